"""Undoing the shell's quoting of literal text, and spelling out brace lists."""

import re
from itertools import pairwise

from omnihook.shell.parsing import ShellTextError
from omnihook.shell.syntax import Lit, Part, Word

_SIMPLE_ESCAPES = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}
_ANSI_C = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|c(.)|(.))", re.S)
_EMPTY = Lit("", quoted=True)
_MAX_BRACE_WORDS = 256
_MAX_BRACES = 64
_RANGE_SAMPLE = 8


def unescape_ansi_c(text: str) -> str:
    """The characters that `$'text'` stands for; also what `echo -e` and printf formats mean."""
    return _ANSI_C.sub(_ansi_c_character, text) if "\\" in text else text


def _ansi_c_character(match: re.Match[str]) -> str:
    two, four, eight, octal, control, single = match.groups()
    hexadecimal = two or four or eight
    if hexadecimal:
        code = int(hexadecimal, 16)
        return chr(code) if code < 0x110000 else ""
    if octal:
        return chr(int(octal, 8) & 0xFF)
    if control:
        return chr(ord(control.upper()) & 0x1F)
    return _SIMPLE_ESCAPES.get(single, "\\" + single)


def unescape_double(text: str) -> str:
    """The characters between double quotes: a backslash only escapes `$`, backtick, `"`, itself and a newline."""
    if "\\" not in text:
        return text
    return re.sub(r'\\([$`"\\\n])', lambda found: "" if found[1] == "\n" else found[1], text)


def unescape_backticks(text: str) -> str:
    """The script inside backticks."""
    return re.sub(r"\\([$`\\])", r"\1", text)


def bare_parts(text: str) -> tuple[Part, ...]:
    """Unquoted text as parts: what a backslash escapes is quoted, and an escaped newline is nothing."""
    if "\\" not in text:
        return (Lit(text),)
    parts: list[Part] = []
    for index, piece in enumerate(re.split(r"\\(.)", text, flags=re.S)):
        if piece and not (index % 2 and piece == "\n"):
            parts.append(Lit(piece, quoted=bool(index % 2)))
    return tuple(parts)


def expand_braces(word: Word) -> tuple[Word, ...]:
    """The words that `a{b,c}` and `{1..3}` stand for; a word without a brace list is itself."""
    if not any(isinstance(part, Lit) and not part.quoted and "{" in part.text for part in word):
        return (word,)
    done: list[Word] = []
    if word[0] == _EMPTY:
        word = word[1:]  # so that a tilde among the alternatives is at the beginning
    todo: list[Word] = [_atoms(word)]
    if todo[0].count(Lit("{")) > _MAX_BRACES:
        raise ShellTextError(f"a word has more than {_MAX_BRACES} brace lists")
    while todo:
        if len(done) + len(todo) > _MAX_BRACE_WORDS:
            raise ShellTextError(f"a word stands for more than {_MAX_BRACE_WORDS} words")
        current = todo.pop()
        alternatives = _first_list(current)
        if alternatives is None:
            done.append(_joined(current))
        else:
            todo.extend(reversed(alternatives))
    return tuple(done)


def _atoms(word: Word) -> Word:
    """The same word with every unquoted brace and comma as a part of its own."""
    atoms: list[Part] = []
    for part in word:
        if isinstance(part, Lit) and not part.quoted:
            atoms.extend(Lit(piece) for piece in re.split(r"([{},])", part.text) if piece)
        else:
            atoms.append(part)
    return tuple(atoms)


def _first_list(atoms: Word) -> list[Word] | None:
    """The words after expanding the first brace list, or None when there is none."""
    for start, atom in enumerate(atoms):
        if atom != Lit("{"):
            continue
        depth, cuts = 0, [start]
        for end in range(start, len(atoms)):
            if atoms[end] == Lit("{"):
                depth += 1
            elif atoms[end] == Lit("}"):
                depth -= 1
                if depth == 0:
                    inner = _items(atoms, [*cuts, end])
                    if inner is None:
                        break
                    return [(*atoms[:start], *item, *atoms[end + 1 :]) for item in inner]
            elif atoms[end] == Lit(",") and depth == 1:
                cuts.append(end)
    return None


def _items(atoms: Word, cuts: list[int]) -> list[Word] | None:
    if len(cuts) > 2:
        return [atoms[left + 1 : right] for left, right in pairwise(cuts)]
    middle = atoms[cuts[0] + 1 : cuts[1]]
    if len(middle) == 1 and isinstance(middle[0], Lit):
        return _range(middle[0].text)
    return None


def _range(text: str) -> list[Word] | None:
    match = re.fullmatch(r"(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.-?(\d+))?", text)
    if match is None:
        return None
    first, last, step = match[1], match[2], max(int(match[3] or 1), 1)
    if first.isalpha() != last.isalpha():
        return None
    low, high = (ord(first), ord(last)) if first.isalpha() else (int(first), int(last))
    numbers = range(low, high + 1, step) if low <= high else range(low, high - 1, -step)
    # The numbers of a long range are all alike: the ends and a few beside them will do.
    shown = [*numbers[:_RANGE_SAMPLE], *numbers[_RANGE_SAMPLE:][-1:]]
    width = max(len(first), len(last)) if first.startswith("0") or last.startswith("0") else 0
    return [(Lit(chr(number) if first.isalpha() else str(number).zfill(width)),) for number in shown]


def _joined(atoms: Word) -> Word:
    """Adjacent unquoted literals as one part again."""
    parts: list[Part] = []
    for atom in atoms:
        last = parts[-1] if parts else None
        if isinstance(atom, Lit) and isinstance(last, Lit) and not atom.quoted and not last.quoted:
            parts[-1] = Lit(last.text + atom.text)
        else:
            parts.append(atom)
    return tuple(parts)
