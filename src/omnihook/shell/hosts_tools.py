"""Tools that can be told to run a command through an option, a setting or an escape in their own language."""

import re
from dataclasses import replace
from itertools import pairwise

from omnihook.shell.hosts import Host, Inner, option_scripts, stream_or_unknown, with_options
from omnihook.shell.saving import contents
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Command, Text, joined

_GIT_COMMAND_KEYS = re.compile(
    r"(alias\..*|core\.(pager|editor|sshcommand|fsmonitor|askpass|gitproxy)|sequence\.editor|diff\.external|pager\..*"
    r"|credential\.helper|(diff|merge)tool\..*\.cmd|filter\..*\.(clean|smudge|process)|gpg\.program|uploadpack\..*"
    r"|diff\..*\.(textconv|command)|merge\..*\.driver|web\.browser|browser\..*\.cmd|ssh\.variant)",
    re.I,
)
_GIT_VALUES = names("-C -c --git-dir --work-tree --namespace --exec-path --config-env")
_GIT_EXEC = names(
    "-x --exec --extcmd --tree-filter --index-filter --env-filter --msg-filter --commit-filter --upload-pack",
    "--receive-pack --open-files-in-pager --sendmail-cmd --to-cmd --cc-cmd",
)
_GIT_LETTERS = {"clone": frozenset({"-u"}), "rebase": frozenset({"-x"}), "difftool": frozenset({"-x"})}
_GIT_HOOK = re.compile(r"/(?:\.git/hooks|\.husky)/[a-z-]+$")
_GIT_RUNS_NO_HOOK = names("add status diff log show config branch rev-parse ls-files remote fetch tag blame init stash")
_MAX_LINES = 200
_TAR_SCRIPTS = names("--to-command -I --use-compress-program --info-script -F --new-volume-script --rsh-command")


def git(command: Command) -> list[Inner]:
    """Aliases, pagers, editors and hooks given on the command line or being configured."""
    words = command.argv
    found: list[Inner] = []
    index = 1
    while index < len(words) and words[index].text.startswith("-"):
        if words[index].text == "-c" and index + 1 < len(words):
            key, _, value = words[index + 1].text.partition("=")
            found.extend(setting(key, Text(value, words[index + 1].origins)))
        index += 2 if words[index].text in _GIT_VALUES else 1
    verb, rest = (words[index].text, words[index + 1 :]) if index < len(words) else ("", ())
    if verb == "config":
        operands = [word for word in rest if not word.text.startswith("-") and word.text not in ("set", "get")]
        if len(operands) > 1:
            found.extend(_kept(operands[0], operands[1]))
    elif verb == "submodule" and rest and rest[0].text == "foreach":
        found.append(Inner(script=joined([word for word in rest[1:] if word.text != "--recursive"], " ")))
    elif verb == "bisect" and rest and rest[0].text == "run":
        found.append(Inner(argv=rest[1:]))
    found.extend(option_scripts(rest, _GIT_EXEC | _GIT_LETTERS.get(verb, frozenset())))
    if verb == "grep":
        found.extend(Inner(script=_cut(word, 2)) for word in rest if word.text.startswith("-O"))
    found.extend(Inner(script=_cut(word, len("ext::"))) for word in rest if word.text.startswith("ext::"))
    if command.files and verb not in _GIT_RUNS_NO_HOOK:
        found.extend(Inner(argv=(Text(path),)) for path in command.files if _GIT_HOOK.search(path))
    return found


def _kept(key: Text, value: Text) -> list[Inner]:
    """A setting that stays, as the variables would give it to every git that is run later."""
    env = ((f"GIT_CONFIG_KEY_{key.text}", key), (f"GIT_CONFIG_VALUE_{key.text}", value))
    return [replace(inner, via="configured", env=env) for inner in setting(key.text, value)]


def setting(key: str, value: Text) -> list[Inner]:
    """What one of git's settings runs."""
    if not _GIT_COMMAND_KEYS.fullmatch(key) or not value.text:
        return []
    if key.lower().startswith("alias.") or key.lower().endswith("credential.helper"):
        return [Inner(script=_cut(value, 1))] if value.text.startswith("!") else []
    return [Inner(script=value)] if value.text not in ("true", "false") else []


def _cut(text: Text, count: int) -> Text:
    return Text(text.text[count:], text.origins)


def tar(command: Command) -> list[Inner]:
    """`--checkpoint-action=exec=CMD`, `--to-command`, `-I`."""
    found = option_scripts(command.argv[1:], _TAR_SCRIPTS)
    for word in command.argv[1:]:
        _, mark, value = word.text.partition("exec=")
        if mark and "checkpoint-action" in word.text:
            found.append(Inner(script=Text(value, word.origins)))
    for index, word in enumerate(command.argv[:-1]):
        if word.text == "--checkpoint-action" and command.argv[index + 1].text.startswith("exec="):
            found.append(Inner(script=_cut(command.argv[index + 1], 5)))
    return found


def editor(command: Command) -> list[Inner]:
    """vim's `-c ':!cmd'`, `+!cmd` and relatives."""
    return [
        Inner(script=_cut(word, match.end()))
        for word in command.argv[1:]
        if (match := re.match(r"\+?:?[%\d,$.\s]*(?:silent\s*|r(?:ead)?\s*)?!", word.text))
    ] + [
        Inner(script=Text(match[1], word.origins))
        for word in command.argv[1:]
        if (match := re.search(r"""(?:system\(|shell-command(?:-to-string)?)\s*['"]([^'"]*)['"]""", word.text))
    ]


def line_editor(command: Command) -> list[Inner]:
    """ed and ex run lines that begin with an exclamation mark."""
    text = stream_or_unknown(command.stdin).text
    lines = re.findall(r"^[ \t]*!(.+)$", text.text, re.M)
    return [Inner(script=Text(line, text.origins)) for line in lines] + editor(command)


def crontab(command: Command) -> list[Inner]:
    """The commands in a table given on standard input."""
    files = [text for _, text in contents(command)]
    text = files[0] if files else stream_or_unknown(command.stdin).text
    if text.text.strip() == HOLE and "network" in text.origins:
        return [Inner(script=text, via="pipe")]
    lines = re.findall(rf"^[ \t{HOLE}]*(?:@\w+|(?:[\d*/,a-zA-Z-]+[ \t]+){{5}})([^\n]+)$", text.text, re.M)
    return [Inner(script=Text(line, text.origins)) for line in lines]


def heroku(command: Command) -> list[Inner]:
    """`heroku run cmd`, `fly ssh console -C cmd`."""
    words = command.argv
    if len(words) > 2 and words[1].text in ("run", "run:detached"):
        return [Inner(script=joined(words[2:], " "), context=frozenset({"remote"}))]
    return option_scripts(words[1:], frozenset({"-C", "--command"}))


def database(command: Command) -> list[Inner]:
    r"""sqlite3's `.shell` and `.read |cmd`, psql's and mysql's `\!`, PostgreSQL's `copy ... program 'cmd'`."""
    texts = [*command.argv[1:], stream_or_unknown(command.stdin).text, *(text for _, text in contents(command))]
    return [
        Inner(script=Text(match[1], text.origins)) for text in texts for match in _DATABASE_SHELL.finditer(text.text)
    ] + [
        Inner(script=Text(match[1] or match[2], text.origins))
        for text in texts
        for match in _DATABASE_PIPE.finditer(text.text)
    ]


_DATABASE_SHELL = re.compile(r"(?:^|[\s;])(?:\.shell|\.system|\\!|(?:(?<=^)|(?<=;))system)[ \t]+([^\n]+)")
_DATABASE_PIPE = re.compile(
    r"(?:^|\n)[ \t]*\.(?:read|once|output|import|excel)[ \t]+[\"']?\|([^\"'\n]+)"
    r"|\b(?i:from|to)\s+(?i:program)\s+'([^'\n]+)'"
)


def terminal(command: Command) -> list[Inner]:
    """`xterm -e cmd`, `tmux new -d 'cmd'`, `screen -dm cmd`: words after the option are the command."""
    words = command.argv
    if command.name == "tmux":
        return _tmux(words)
    if "stuff" in command.words:
        typed = words[command.words.index("stuff") + 1 :]
        return [Inner(script=Text(text.text.replace("^M", "\n"), text.origins)) for text in typed]
    for index, word in enumerate(words):
        if word.text in ("-e", "-x", "--", "-dm", "-dmS") and index + 1 < len(words):
            rest = words[index + (2 if word.text == "-dmS" else 1) :]
            return [Inner(script=rest[0]) if len(rest) == 1 else Inner(argv=rest)] if rest else []
    return []


def _tmux(words: tuple[Text, ...]) -> list[Inner]:
    verbs = ("new", "new-session", "new-window", "neww", "split-window", "splitw", "send-keys", "send", "run-shell",
             "run", "respawn-pane", "if-shell")  # fmt: skip
    place = next((index for index, word in enumerate(words) if word.text in verbs), None)
    if place is None:
        return []
    skip = ("Enter", "C-m", "-d", "-P")
    rest: list[Text] = []
    index = place + 1
    while index < len(words):
        word = words[index].text
        if word.startswith("-") and len(word) == 2 and word[1] in "tscnxyeF":
            index += 2
            continue
        if word not in skip and not word.startswith("-"):
            rest.append(words[index])
        index += 1
    return [Inner(script=text) for text in rest]


def debugger(command: Command) -> list[Inner]:
    """`-ex 'shell cmd'`, and lldb's `platform shell cmd`; what stands behind `--args` is run under it."""
    lines = [Text(line, text.origins) for _, text in contents(command) for line in text.text.split("\n")[:_MAX_LINES]]
    found = [inner for word in (*command.argv[1:], *lines) for inner in _debugged(word)]
    place = command.words.index("--args") if "--args" in command.words else len(command.words)
    return [*found, Inner(argv=command.argv[place + 1 :])] if command.argv[place + 1 :] else found


def _debugged(line: Text) -> list[Inner]:
    """What one of a debugger's commands runs: a shell, a call of `system` in the program, or Python."""
    if match := _DEBUGGER_SHELL.match(line.text):
        return [Inner(script=_cut(line, match.end()))]
    if match := _DEBUGGER_PYTHON.match(line.text):
        return [Inner(argv=(Text("python3"), Text("-c"), _cut(line, match.end())))]
    if match := _DEBUGGER_CALL.match(line.text):
        return [Inner(script=Text(match[1].replace('\\"', '"'), line.origins))]
    return []


_DEBUGGER_SHELL = re.compile(r"\s*(?:platform\s+)?(?:shell\s+|!\s*)")
_DEBUGGER_PYTHON = re.compile(r"\s*(?:python|py|python-interactive|pi|script)\s+(?=\S)")
_DEBUGGER_CALL = re.compile(
    r"""\s*(?:call|print|p|output|set|eval|expr|expression|e)\b.*?\b(?:system|popen)\s*\(\s*"((?:[^"\\]|\\.)*)\""""
)


def calculator(command: Command) -> list[Inner]:
    """Programs whose lines that begin with an exclamation mark, or `system`, go to a shell."""
    values = [value for option, value in pairwise(command.argv) if option.text in ("-e", "--expression")]
    texts = [*values, *([command.stdin.text] if command.stdin is not None else [])]
    pattern = re.compile(r"""^[ \t]*!(.+)$|\bsystem\s*\(?\s*["']([^"'\n]+)["']""", re.M)
    return [
        Inner(script=Text(match[1] or match[2], text.origins))
        for text in texts
        for match in pattern.finditer(text.text)
    ]


def pager(command: Command) -> list[Inner]:
    """`less '+!cmd'`."""
    found = [(word, re.match(r"\+:?!", word.text)) for word in command.argv[1:]]
    return [Inner(script=_cut(word, match.end())) for word, match in found if match is not None]


def cargo(command: Command) -> list[Inner]:
    """`cargo watch -s script`."""
    return option_scripts(command.argv[2:], frozenset({"-s", "--shell"})) if command.words[1:2] == ("watch",) else []


def line_run(command: Command) -> list[Inner]:
    """Programs that take a command as one word or as several."""
    rest = [place for place, word in enumerate(command.argv[1:], 1) if " " in word.text and word.text[:1] != "-"]
    return [Inner(script=command.argv[place]) for place in rest]


TOOLS: dict[str, Host] = {
    "git": git,
    "tar": tar,
    "gtar": tar,
    "bsdtar": tar,
    **dict.fromkeys(("vim", "vi", "nvim", "view", "gvim", "emacs", "emacsclient"), editor),
    **dict.fromkeys(("ed", "ex"), line_editor),
    "crontab": crontab,
    **dict.fromkeys(("heroku", "fly", "flyctl"), heroku),
    **dict.fromkeys(("sqlite3", "sqlite", "psql", "mysql", "mariadb"), database),
    "salt": lambda command: [Inner(script=word) for word in command.argv[3:]],
    "man": with_options("-P", "--pager", "-H"),
    "rsync": with_options("-e", "--rsh", "--rsync-path"),
    "zip": with_options("-TT", "--unzip-command"),
    **dict.fromkeys(("gdb", "lldb"), debugger),
    **dict.fromkeys(("dc", "ftp", "lftp", "telnet", "gnuplot", "units"), calculator),
    **dict.fromkeys(("less", "more"), pager),
    "cargo": cargo,
    **dict.fromkeys(("watchexec", "bsub", "qsub"), line_run),
    "socat": lambda command: [
        Inner(script=Text(match[1], word.origins))
        for word in command.argv[1:]
        if (match := re.match(r"(?i)(?:exec|system):[\"']?([^,\"']+)", word.text))
    ],
    **dict.fromkeys(("xterm", "gnome-terminal", "konsole", "alacritty", "screen", "tmux", "kitty"), terminal),
    "concurrently": lambda command: [
        Inner(script=word) for word in command.argv[1:] if " " in word.text and not word.text.startswith("-")
    ],
    **dict.fromkeys(("cmd", "cmd.exe"), lambda command: [Inner(script=joined(command.argv[2:], " "))]),
}
