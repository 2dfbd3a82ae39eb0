"""What vim is told on its command line: ex commands that read, write and delete files, and code in other languages."""

import re
from collections.abc import Iterator
from itertools import pairwise

from omnihook.builtin.guard.effects import Act, Do, Effect, Note, Shell
from omnihook.shell.saving import written
from omnihook.shell.values import Command, Text

_VALUES = frozenset({"-c", "--cmd", "-S", "-s", "-u", "-i", "-U", "-T", "-w", "-W", "--startuptime", "-l"})
_PREFIX = re.compile(r"[\s:]*(?:(?:sil(?:ent)?|noa(?:utocmd)?|keepalt|try\s*\|)!?\s+:?)*(?:exe(?:cute)?\s+['\"])?:?")
_CODE = re.compile(r"(py(?:thon)?3?|pyx|lua|rub(?:y)?|pe(?:rl)?)\s+(?:<<\s*\w+\n)?(.+)", re.S)
_READS = re.compile(
    r"(?:r(?:ead)?|e(?:dit)?|vi(?:ew)?|sp(?:lit)?|tabe(?:dit)?|vs(?:plit)?|new|vne(?:w)?|fin(?:d)?)!?\s+(\S+)$"
)
_WRITES = re.compile(r"[\d,%$.]*(?:w(?:rite)?|sav(?:eas)?|wq|x(?:it)?|up(?:date)?)!?\s+(?:>>\s*)?([^!\s]\S*)$")
_SAVES = re.compile(r"(?:w|wq|wqa|wa|x|xa|wall|wqall|update|up|write|xit|exit)!?$")
_EMPTIES = re.compile(r"(?:%|1,\$|0,\$)d(?:elete)?\b.*|(?:norm(?:al)?!?\s+)ggdG.*|g/[.^]?\*?/d|%s/\\_?\.\*.*")
_TELLS = re.compile(r"-[a-zA-Z]*c")
_LANGUAGES = {"py": "python", "lu": "lua", "ru": "ruby", "pe": "perl"}


def vim_codes(command: Command) -> list[tuple[str, Text]]:
    """Code given to vim, and the language it is in."""
    found: list[tuple[str, Text]] = []
    for text in _told(command):
        inner = _CODE.match(text.text)
        if inner is not None:
            found.append((_LANGUAGES[inner[1][:2]], Text(inner[2], text.origins)))
        else:
            plain = re.sub(r"^(?:call|cal|echo|echom|put\s*=|eval|let|=)\s+", "", text.text)
            if "(" in plain:
                found.append(("vim", Text(plain, text.origins)))
    return found


def vim_acts(command: Command) -> Iterator[Act]:
    """Files read and written by ex commands; an emptied buffer that is saved empties its file."""
    told = list(_told(command))
    for text in told:
        shell = re.match(r"(?:[%\d,$.]*(?:r|w|read|write)?\s*)!(.+)", text.text)
        if shell is not None:
            yield Shell(Text(shell[1].rstrip("'\""), text.origins))
        read = _READS.match(text.text)
        if read is not None:
            yield Effect(Do.READ, Text(read[1], text.origins))
        write = _WRITES.match(text.text)
        if write is not None:
            yield Effect(Do.WRITE, Text(write[1], text.origins))
    if any(_SAVES.match(text.text) for text in told):
        emptied = any(_EMPTIES.match(text.text) for text in told)
        for path in _operands(command):
            yield Effect(Do.WRITE if emptied else Do.APPEND, path)


def vim_unseen(command: Command) -> Iterator[Act]:
    """Ex commands from the network: on standard input, or where a script is read from it or from an address."""
    text = command.stdin.text if command.stdin is not None else None
    remote = text is not None and not text.known and "network" in text.origins
    if remote and (_reads_commands(command) or _sources(command) & _INPUT):
        yield Note("run-remote", "vim reads its commands from the network")
    for path in _sources(command):
        if path.startswith(("http://", "https://", "ftp://")):
            yield Note("run-remote", f"vim sources {path}")


def _sources(command: Command) -> set[str]:
    """The scripts that vim is told to read."""
    named = {file.text for option, file in pairwise(command.argv) if option.text in ("-S", "-u")}
    return named.union(found[1] for text in _told(command) if (found := _SOURCES.match(text.text)))


def _reads_commands(command: Command) -> bool:
    return command.name in ("ex", "ed") or any(
        re.fullmatch(r"-[a-df-rt-zA-Z]*+[es][a-zA-Z]*+", word) for word in command.words
    )


_SOURCES = re.compile(r"so(?:urce)?!?\s+(\S+)$")
_INPUT = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})


def _told(command: Command) -> Iterator[Text]:
    words = command.argv
    for place, word in enumerate(words[1:], 1):
        text = word.text
        if (text == "--cmd" or _TELLS.fullmatch(text)) and place + 1 < len(words):
            text = words[place + 1].text
        elif text.startswith("+") and len(text) > 1:
            text = text[1:]
        elif text.startswith("-c") and len(text) > 2:
            text = text[2:]
        else:
            continue
        for part in text.split("|") if "|" in text and '"' not in text and "'" not in text else [text]:
            yield Text(part[_end(part) :].strip(), word.origins)
    for option, file in pairwise(words):
        script = written(file.text, command) if command.files and option.text in ("-S", "-u") else None
        if script is not None:
            yield from (Text(line[_end(line) :].strip(), script.origins) for line in script.text.split("\n")[:200])
    if command.name in ("ex", "ed") or "-es" in command.words or "-s" in command.words:
        stdin = command.stdin.text if command.stdin is not None else None
        for line in stdin.text.split("\n")[:200] if stdin is not None else ():
            yield Text(line[_end(line) :].strip(), stdin.origins if stdin is not None else frozenset())


def _end(text: str) -> int:
    found = _PREFIX.match(text)
    return found.end() if found else 0


def _operands(command: Command) -> list[Text]:
    found: list[Text] = []
    silent = command.name == "ex" or any(re.fullmatch(r"-[a-df-zA-Z]*+e[a-zA-Z]*+", word) for word in command.words[1:])
    skip = False
    for word in command.argv[1:]:
        if skip:
            skip = False
        elif word.text in _VALUES or _TELLS.fullmatch(word.text):
            skip = word.text != "-s" or not silent  # in Ex mode it takes no file
        elif not word.text.startswith(("-", "+")):
            found.append(word)
    return found
