"""From the parts of a word to the texts it becomes: variables, substitutions, splitting, tilde, braces."""

import re
from collections.abc import Callable

from omnihook.shell.calculating import NUMBER, calculated, place_of
from omnihook.shell.operating import MAX_PRODUCED, operated
from omnihook.shell.parsing import ShellTextError
from omnihook.shell.quoting import expand_braces
from omnihook.shell.state import State, element_name
from omnihook.shell.syntax import Arith, Lit, Part, Proc, Statement, Sub, Var, Word
from omnihook.shell.tildes import tilde
from omnihook.shell.values import HOLE, Field, Stream, Text, joined, unknown

Run = Callable[[Statement, State], Stream]
_ELEMENT = 64  # characters that one element of a list counts for, however short it is
_BLANK = re.compile(r"[ \t\n]")
_GLOB = frozenset("*?[")
_NO_ORIGINS: frozenset[str] = frozenset()


class Expander:
    """Expands words for one evaluation; `run` evaluates the scripts of substitutions."""

    def __init__(self, run: Run, substitute: Callable[[Proc, State], Text]) -> None:
        self._run = run
        self._substitute = substitute
        self._produced = 0

    def words(self, words: tuple[Word, ...], state: State) -> tuple[Text, ...]:
        """The arguments these words become."""
        texts: list[Text] = []
        for word in words:
            part = word[0] if len(word) == 1 else None
            if type(part) is Lit and part.fixed is not None:
                texts.append(part.fixed)
            elif type(part) is Var and part.quoted and (value := self._whole(part, state)) is not None:
                texts.append(value)
            elif word and (text := self._plain(word, state, splits=True)) is not None:
                texts.append(text)
            else:
                for expanded in expand_braces(word):
                    texts.extend(self._fields(expanded, state))
        return tuple(texts)

    def _whole(self, part: Var, state: State) -> Text | None:
        """A variable on its own and in quotes: its value as it is; None where more must be looked at."""
        if part.op or part.index or part.name in ("@", "*"):
            return None
        value = state.value(part.name)
        return self._counted(value) if value.pattern is None else None

    def _plain(self, word: Word, state: State, *, splits: bool) -> Text | None:
        """The text of a word made of fixed characters and of values that neither split nor match; else None."""
        pieces: list[str] = []
        origins = _NO_ORIGINS
        produced = 0
        for part in word:
            if type(part) is Lit and part.fixed is not None:
                pieces.append(part.text)
            elif type(part) is Var and not part.op and not part.index and part.name not in ("@", "*"):
                value = state.value(part.name)
                if value.pattern is not None or not (part.quoted or _is_one_word(value.text, state, splits=splits)):
                    return None
                pieces.append(value.text)
                origins |= value.origins
                produced += len(value.text)
            else:
                return None
        self._count(produced)
        return Text("".join(pieces), origins)

    def text(self, word: Word, state: State) -> Text:
        """The one text a word becomes where no splitting happens: assignments, redirections, here-docs."""
        if len(word) == 1:
            only = word[0]
            if type(only) is Lit and only.fixed is not None:
                return only.fixed
            if type(only) is Var and (value := self._whole(only, state)) is not None:
                return value
        if (text := self._plain(word, state, splits=False)) is not None:
            return text
        field = Field()
        for index, part in enumerate(word):
            if index == 0 and isinstance(part, Lit):
                part = Lit(tilde(part, state, alone=len(word) == 1), part.quoted)
            for number, value in enumerate(self._values(part, state)):
                if number and isinstance(part, Var):
                    field.add(" " if "@" in (part.name, part.index) else _joiner(state), quoted=True)
                field.add(value.text, quoted=part_quoted(part), origins=value.origins)
                field.active = field.active or value.pattern is not None
        return field.finish()

    def _fields(self, word: Word, state: State) -> list[Text]:
        fields = [Field()]
        for index, part in enumerate(word):
            if isinstance(part, Lit):
                text = tilde(part, state, alone=len(word) == 1) if index == 0 else part.text
                fields[-1].add(text, quoted=part.quoted, origins=_origins(text, state))
                continue
            if len(word) > 1 and state.arguments is None and _is_nothing(part, state):
                continue
            values = self._values(part, state)
            if part_quoted(part):
                self._add_quoted(fields, part, values, state)
            else:
                for number, value in enumerate(values):
                    if number:
                        fields.append(Field())
                    self._add_split(fields, value, state)
        return [field.finish() for field in fields if field.present]

    def _add_quoted(self, fields: list[Field], part: Part, values: list[Text], state: State) -> None:
        """In double quotes only `$@` and whole arrays become several words; others stay one, joined."""
        for number, value in enumerate(values):
            if number and isinstance(part, Var) and "@" in (part.name, part.index):
                fields.append(Field())
            elif number:
                fields[-1].add(_joiner(state), quoted=True)
            fields[-1].add(value.text, quoted=value.pattern is None, origins=value.origins)
            if value.pattern is not None:
                fields[-1].active = True

    def _add_split(self, fields: list[Field], value: Text, state: State) -> None:
        if "IFS" not in state.variables and not _BLANK.search(value.text):
            if value.text:
                fields[-1].add(value.text, quoted=False, origins=value.origins)
            return
        separators = state.value("IFS").text
        pieces = re.split(f"[{re.escape(separators)}]+", value.text) if separators else [value.text]
        for number, piece in enumerate(pieces):
            if number and fields[-1].present:
                fields.append(Field())
            if piece:
                fields[-1].add(piece, quoted=False, origins=value.origins)

    def _values(self, part: Part, state: State) -> list[Text]:
        match part:
            case Lit():
                return [Text(part.text, _origins(part.text, state))]
            case Var():
                return self._variable(part, state)
            case Sub():
                stream = self._run(part.script, state.copy())
                if stream.paths:
                    return list(stream.paths)
                return [Text(stream.text.text.rstrip("\n"), stream.origins)]
            case Proc():
                return [self._substitute(part, state)]
            case Arith():
                return [calculated(self.text(part.expression, state), state)]

    def _variable(self, part: Var, state: State) -> list[Text]:
        if not part.op and not part.index and part.name not in ("@", "*"):
            return [self._counted(state.value(part.name))]
        if part.inner:
            self.text(part.inner, state)
        if _is_list(part):
            listed = state.arguments if part.name in "@*" else state.arrays.get(part.name)
            if part.op.startswith("#"):
                return [NUMBER]
            self._count(_ELEMENT * len(listed or ()))
            if listed is not None and part.op == ":":
                return self._sliced(part, listed, state)
            if listed is not None:
                return [self._counted(operated(part, value, state, self.text)) for value in listed]
            return [unknown("variable")]
        if part.index and (values := state.variables.get(element_name(part.name, part.index))):
            return [self._counted(operated(part, values[0], state, self.text))]
        if part.index and part.name in state.arrays:
            return [self._counted(operated(part, _element(part, state), state, self.text))]
        return [self._counted(operated(part, state.known_value(part.name), state, self.text))]

    def _sliced(self, part: Var, listed: tuple[Text, ...], state: State) -> list[Text]:
        """`${name[@]:offset:length}` takes elements, not letters; arguments are counted from the script's name on."""
        offset, _, length = self.text(part.arg, state).text.partition(":")
        start, count = place_of(offset, state), place_of(length, state) if length else None
        if start is None or (length and count is None):
            return [Text(value.text, value.origins | {"variable"}, value.pattern) for value in listed]
        row = (state.value("0"), *listed) if part.name in "@*" else listed
        kept = row[start:] if count is None else row[start:][: max(count, 0)]
        return [self._counted(value) for value in kept]

    def _counted(self, result: Text) -> Text:
        """The value a part gives, counted."""
        self._count(len(result.text))
        return result

    def _count(self, produced: int) -> None:
        """Count what variables gave, so that doubling one over and over comes to an end."""
        self._produced += produced
        if self._produced > MAX_PRODUCED:
            raise ShellTextError(f"variables expand to more than {MAX_PRODUCED} characters")


def _is_nothing(part: Part, state: State) -> bool:
    """Whether a part is the arguments of a text that has none; on their own they are taken as left to be filled in."""
    if type(part) is not Var or part.quoted or part.op or part.name not in ("@", "*"):
        return False
    return "uncalled" not in state.context


def _is_one_word(text: str, state: State, *, splits: bool) -> bool:
    """Whether an unquoted value stays as it is: nothing to match, and where words are split, nothing to split at."""
    if not _GLOB.isdisjoint(text):
        return False
    return not splits or (text != "" and "IFS" not in state.variables and _BLANK.search(text) is None)


def part_quoted(part: Part) -> bool:
    """Whether the part is protected from splitting and globbing."""
    return not isinstance(part, Var | Sub | Lit) or part.quoted


def _joiner(state: State) -> str:
    """What stands between the elements of a list that becomes one word."""
    return state.value("IFS").text[:1] if "IFS" in state.variables else " "


def _origins(text: str, state: State) -> frozenset[str]:
    return state.holes if HOLE in text else _NO_ORIGINS


def _is_list(part: Var) -> bool:
    return part.name in ("@", "*") or part.index in ("@", "*")


def _element(part: Var, state: State) -> Text:
    values = state.arrays[part.name]
    place = place_of(part.index, state)
    if place is None:
        return joined(values, " ").with_origin("variable")
    return values[place] if -len(values) <= place < len(values) else Text("")
