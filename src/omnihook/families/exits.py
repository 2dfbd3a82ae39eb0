"""Exit codes that mean "broken", whatever a dialect thinks of the others: they must never look like a decision."""

import re

from omnihook.dialect import Failure, Raw
from omnihook.hooks import BlockOn, Cause, Hook

# What shells and interpreters write when the script itself is missing; such an exit 2 is not a refusal. It is looked
# for only behind the interpreter's own name, so that a hook may refuse with words like these.
_MISSING = re.compile(
    r"^\S*\b(?:sh|bash|dash|zsh|ksh|python[0-9.]*|node|ruby|perl|php|env|Error)\S*:.*"
    r"(?:no such file or directory|can't open|cannot open|cannot find module|is a directory)",
    re.IGNORECASE | re.DOTALL,
)
# The same of programs that say it in their own way. Node's `requireStack: []` tells that it is the script itself.
_MISSING_ELSEWHERE = re.compile(
    "|".join(
        (
            r"Can't open perl script \"",
            r"[gm]?awk: (?:fatal: )?(?:cannot|can't) open ",
            r"jq: Could not open ",
            r"couldn't read file \"",
            r"(?:make: [^\n]*: No such file or directory\n)?make: \*\*\* No rule to make target [^,\n]*\.  Stop\.",
            r"node:internal/modules/.*Error: Cannot find module .*requireStack: \[\]",
        )
    ),
    re.DOTALL,
)
# What a shell writes when it cannot read the text it was given with -c: then nothing of it ran.
_SYNTAX = re.compile(
    r"(?:\S*/)?(?:sh|bash|dash|zsh|ksh)(?:: -c)?:(?: line)? \d+: "
    r"(?:syntax error|unexpected EOF|unterminated|parse error)",
    re.IGNORECASE,
)
_TRACEBACK = "Traceback (most recent call last):"
_GROUP = f"+ Exception Group {_TRACEBACK}"


def blocks(hook: Hook, code: int) -> bool:
    """Whether an exit code refuses, where 2 does unless the hook says otherwise."""
    match hook.block_on:
        case BlockOn.NONZERO:
            return code != 0
        case BlockOn.NEVER:
            return False
        case BlockOn.DIALECT | BlockOn.TWO:
            return code == 2


def broken(raw: Raw, *, blocks: bool) -> Failure | None:
    """The failure behind an exit code, or None when the hook itself chose that code.

    `blocks` tells whether the dialect would read the code as a refusal: only then the text is looked at.
    """
    code = raw.exit_code
    if code == 126:
        return Failure(cause=Cause.START, message=_with_text("exit 126: the command is not executable", raw))
    if code == 127:
        return Failure(cause=Cause.START, message=_with_text("exit 127: command not found", raw))
    if code is not None and 128 < code <= 192:  # how a shell tells that a signal ended its command
        return Failure(cause=Cause.SIGNAL, message=_with_text(f"exit {code}: killed by signal {code - 128}", raw))
    if code == 255:
        return Failure(cause=Cause.EXIT, message=_with_text("exit 255", raw))
    if not blocks or raw.stdout.strip():
        return None
    text = raw.stderr.strip()
    if (text.count("\n") <= 1 and _MISSING.search(text)) or _MISSING_ELSEWHERE.match(text):
        return Failure(cause=Cause.START, message=f"exit {code}: the script is missing: {_missing_line(text)}")
    if _SYNTAX.match(text):
        return Failure(cause=Cause.START, message=f"exit {code}: the shell cannot read it: {last_line(text)}")
    raised = _raised(text)
    return None if raised is None else Failure(cause=Cause.EXIT, message=f"exit {code}: {raised}")


def failed(raw: Raw) -> Failure:
    """An exit code that is neither an answer nor a block."""
    return Failure(cause=Cause.EXIT, message=_with_text(f"exit {raw.exit_code}", raw))


def last_line(text: str) -> str:
    """The last line of a text, which is where errors usually are."""
    return text.strip().rsplit("\n", 1)[-1].strip()


def _missing_line(text: str) -> str:
    """The line of an interpreter's words that names what is missing."""
    lines = text.split("\n")
    return next((line.strip() for line in lines if line.startswith("Error: ")), lines[-1].strip())


def _raised(text: str) -> str | None:
    """What a Python program raised, when its traceback is in a text: the line below the last list of calls."""
    _, grouped, calls = text.partition(_GROUP)
    if grouped:  # every line of it has a margin
        calls = "\n".join(line.strip().removeprefix("|").removeprefix(" ") for line in calls.split("\n"))
    else:
        before, found, calls = text.rpartition(_TRACEBACK)
        if not found or (before and not before.endswith("\n")):
            return None
    lines = calls.strip("\n").split("\n")
    said = next((line for line in lines if line and not line.startswith(" ")), lines[-1])
    return f"Python traceback: {said.strip()}"


def _with_text(message: str, raw: Raw) -> str:
    said = _raised(raw.stderr.strip()) or raw.stderr.strip().split("\n", 1)[0].strip()
    return f"{message}: {said}" if said else message
