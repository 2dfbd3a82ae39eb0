"""What code given to an interpreter does: found among the words, in files and pipes, parsed and walked."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from omnihook.builtin.guard.effects import Act, Note, Shell
from omnihook.builtin.guard.languages.built import is_built, plainer, sources
from omnihook.builtin.guard.languages.launching import codes, reads_code, scripts
from omnihook.builtin.guard.languages.lisp import parse_lisp
from omnihook.builtin.guard.languages.loading import folders, found, imported, preloaded
from omnihook.builtin.guard.languages.nodes import Node
from omnihook.builtin.guard.languages.parsing import parse
from omnihook.builtin.guard.languages.powershell import parse_powershell
from omnihook.builtin.guard.languages.python import parse_python
from omnihook.builtin.guard.languages.reaching import Code, quoted
from omnihook.builtin.guard.languages.surroundings import Around
from omnihook.builtin.guard.languages.tcl import parse_tcl
from omnihook.builtin.guard.languages.tokens import TooLong
from omnihook.builtin.guard.languages.vim import vim_acts, vim_codes, vim_unseen
from omnihook.builtin.guard.languages.walking import Walk
from omnihook.shell.saving import contents, written
from omnihook.shell.state import absolute
from omnihook.shell.values import HOLE, Command, Text, joined

_FROM_NETWORK = frozenset({"network"})
_PARSERS = {"python": parse_python, "lisp": parse_lisp, "tclsh": parse_tcl, "pwsh": parse_powershell}
_MAX_NESTED = 4
_SHORT = 1_000
_PRINTING = frozenset({"-p", "--print", "-pe", "-ep"})
_AWK_CONNECTION = re.compile(r"/inet[46]?/(?:tcp|udp)/")
_AWK_READS = re.compile(r"\|&?\s*getline")
_UNSEEN_LINE = re.compile(rf"^[^\S\n]*+{HOLE}[^\S\n]*+$", re.M)


def command_acts(command: Command, spoken: str) -> Iterator[Act]:
    """What the code given to an interpreter does, and whether code comes from where nobody has looked."""
    if spoken == "awk":
        yield from _awk(command)
        return
    if spoken == "vim":
        yield from vim_acts(command)
        yield from vim_unseen(command)
        for inner, code in vim_codes(command):
            yield from code_acts(code, _around(command, inner, ()))
        yield from _from_files(command, spoken)
        return
    pieces, rest = codes(command, spoken)
    if not pieces and not command.files and command.stdin is None:
        return
    spoken = _dialect(command, spoken)
    for module in preloaded(command, spoken) if command.files else ():
        yield from _loaded_acts(module, _around(command, spoken, ()), {}, set())
    # Some options take code or a file of it.
    given = [code for code in pieces if code.text.strip() != "-" and not _is_file(code, command)]
    if given:
        code = joined(given, "\n") if len(given) > 1 else given[0]
        yield from code_acts(code, _around(command, spoken, rest))
    elif command.files and is_built(spoken):
        for source in sources(command, spoken):
            yield from code_acts(source, _around(command, spoken, rest))
    elif command.files:
        yield from _from_files(command, spoken)
    if not given and command.stdin is not None and (len(pieces) or reads_code(command, spoken)):
        yield from _from_input(command.stdin.text, _around(command, spoken, rest))


def _is_file(code: Text, command: Command) -> bool:
    return bool(command.files) and absolute(code.text, command.cwd.text) in command.files


def _dialect(command: Command, spoken: str) -> str:
    """`osascript -l JavaScript` speaks another language."""
    return "node" if spoken == "osascript" and "JavaScript" in command.words else spoken


def _around(command: Command, spoken: str, rest: tuple[Text, ...], script: str = "") -> Around:
    stdin = command.stdin.text if command.stdin is not None else None
    return Around(
        language=spoken,
        home=command.home,
        arguments=rest,
        environment=command.env,
        stdin=stdin,
        listed=command.stdin.paths if command.stdin is not None else (),
        loads=_loaded(command.words),
        prints=spoken in ("node", "bun") and not _PRINTING.isdisjoint(command.words),
        files=command.files,
        folder=command.cwd.text,
        search=folders(command, script) if command.files else (),
    )


def _loaded(words: Sequence[str]) -> str:
    """The file whose variables an option loads: `--env-file`, or a module that does it at once."""
    for place, word in enumerate(words[1:], 1):
        if word.startswith("--env-file"):
            return word.partition("=")[2] or "".join(words[place + 1 : place + 2])
        if word.startswith(("dotenv/", "-rdotenv/")):
            return ".env"
    return ""


def _from_files(command: Command, spoken: str) -> Iterator[Act]:
    """A script file that was written earlier in the same text."""
    named = [(word.text, written(word.text, command)) for word in scripts(command, spoken)]
    for path, text in [(path, text) for path, text in named if text is not None][:1]:
        if HOLE not in text.text or (text.text.strip(HOLE + "\n ") and not text.origins & _FROM_NETWORK):
            yield from code_acts(text, _around(command, spoken, command.argv[2:], path))
        elif text.origins & _FROM_NETWORK:
            unseen = path.startswith("/dev/fd/") or "fifo" in text.origins
            yield Note("run-remote" if unseen else "run-download", path)


def _from_input(text: Text, around: Around) -> Iterator[Act]:
    if HOLE not in text.text or text.text.strip(HOLE + "\n "):
        yield from code_acts(text, replace(around, stdin=None))
    if HOLE in text.text and (text.text.strip().startswith(HOLE) or _UNSEEN_LINE.search(text.text)):
        remote = text.origins & _FROM_NETWORK
        yield Note("run-remote" if remote else "run-unseen", f"{around.language} reads its code from a pipe")


def code_acts(code: Text, around: Around) -> Iterable[Act]:
    """What a piece of code does; of a short one it is remembered, as scripts run the same code many times."""
    is_short = len(code.text) <= _SHORT and not around.files
    return _remembered(code, around) if is_short else _acts(code, around)


@lru_cache(maxsize=256)
def _remembered(code: Text, around: Around) -> tuple[Act, ...]:
    return tuple(_acts(code, around))


def _acts(code: Text, around: Around, depth: int = 0, entered: set[str] | None = None) -> Iterator[Act]:
    """`entered` holds the code that was gone into so far: what is loaded again and again is judged once."""
    spoken = around.language
    entered = set() if entered is None else entered
    if code.text.strip() == HOLE:
        yield Note("run-remote" if code.origins & _FROM_NETWORK else "run-unseen", f"{spoken} code is not known")
        return
    if HOLE in code.text and code.origins & _FROM_NETWORK and code.text.strip().startswith(HOLE):
        yield Note("run-remote", f"{spoken} code from the network")
    try:
        nodes = _parsed(code, spoken)
        raised = spoken == "osascript" and "administrator privileges" in code.text
        walk = Walk(around, code.origins)
        for act in walk.acts(nodes):
            if not isinstance(act, Code):
                yield _raised(act) if raised and isinstance(act, Shell) else act
            elif depth < _MAX_NESTED and act.text.text not in entered:
                entered.add(act.text.text)
                yield from _acts(act.text, around, depth + 1, entered)
        if (around.files or walk.kept_in) and depth < _MAX_NESTED:
            for module in imported(code.text, spoken):
                yield from _loaded_acts(module, around, walk.folding.written, entered, depth)
    except (TooLong, RecursionError):
        yield Note("too-complex", f"long {spoken} code")


def _loaded_acts(
    module: str, around: Around, written: Mapping[str, Text], entered: set[str], depth: int = 0
) -> Iterator[Act]:
    """What a module does when it is loaded."""
    held = found(module, around, written)
    if held is not None and "saved" in held.origins:
        yield Note("run-download", module)
    elif held is not None and held.text not in entered and held.text.strip(HOLE + "\n "):
        entered.add(held.text)
        yield from _acts(held, around, depth + 1, entered)


def _raised(act: Shell) -> Shell:
    """A shell line that runs with raised privileges."""
    return Shell(Text(f"sudo sh -c {quoted(act.text)}", act.text.origins))


def _parsed(code: Text, spoken: str) -> list[Node]:
    parser = _PARSERS.get(spoken)
    if parser is not None:
        return parser(code.text, code.origins)
    text = code.text
    if spoken == "osascript":
        text = re.sub(r"\bdo\s+(?:shell\s+)?script\b", "do_shell_script", text)
        text = re.sub(r"\bset\s+(\w+)\s+to\b", r"\1 =", text)
    return parse(plainer(text, spoken), spoken, code.origins)


def _awk(command: Command) -> Iterator[Act]:
    """The program is the first operand, or in `-e`; `-f` names a file, and `-v` gives a variable its value."""
    words = command.argv
    given: list[tuple[str, Text]] = []
    programs: list[Text] = []
    place = 1
    filed = False
    while place < len(words):
        text = words[place].text
        place += 1
        if text in ("-F", "-v", "-f", "-e", "--source", "--file", "--assign", "-i", "-l") and place < len(words):
            value = words[place]
            place += 1
            name, equals, rest = value.text.partition("=")
            if text in ("-v", "--assign") and equals:
                given.append((name, Text(rest, value.origins)))
            elif text in ("-e", "--source"):
                programs.append(value)
            elif text in ("-f", "--file"):
                filed = True
                yield from _awk_file(value, command)
        elif not text.startswith("-") or text == "-":
            if not programs and not filed:
                programs.append(words[place - 1])
            break
    data = _awk_data(command, words[place:])
    # `print` by itself prints what it reads.
    given.extend((name, data) for name in ("$0", "print") if data is not None)
    around = Around(language="awk", home=command.home, environment=command.env, given=tuple(given))
    for program in programs:
        yield from code_acts(program, around)
        if _AWK_CONNECTION.search(program.text) and len(_AWK_READS.findall(program.text)) > 1:
            yield Note("reverse-shell", "awk runs what a connection sends")


def _awk_data(command: Command, files: tuple[Text, ...]) -> Text | None:
    """What awk goes through: files that this script wrote, or what it is piped."""
    known = [text for word in files if (text := written(word.text, command)) is not None] if command.files else []
    piped = command.stdin if not files else None
    if not known and piped is not None and piped.paths:
        return piped.paths[0]
    text = joined(known) if known else piped.text if piped is not None else None
    return text if text is not None and (text.known or text.origins & _FROM_NETWORK) else None


def _awk_file(value: Text, command: Command) -> Iterator[Act]:
    around = _around(command, "awk", ())
    if value.text in ("-", "/dev/stdin") and command.stdin is not None:
        yield from _from_input(command.stdin.text, around)
    elif any(path == value.text for path, _ in contents(command)):
        yield from _from_files(command, "awk")
