"""What shell text says, as plain values: statements, words and redirections, before any expansion.

`lowering` makes these from a parse; `evaluating` and `lines` read them.
"""

from dataclasses import field

from omnihook.shell.values import HOLE, Text
from omnihook.slotted import dataclass

_EXPANDING = frozenset("~{*?[" + HOLE)


@dataclass(frozen=True, slots=True)
class Lit:
    """Literal characters; `quoted` ones are never split, globbed or brace-expanded.

    `fixed` is what they become whatever the shell remembers, None where something in them expands.
    """

    text: str
    quoted: bool = False
    fixed: Text | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """See whether anything in the text can expand."""
        plain = HOLE not in self.text if self.quoted else _EXPANDING.isdisjoint(self.text)
        object.__setattr__(self, "fixed", Text(self.text) if plain else None)


@dataclass(frozen=True, slots=True)
class Var:
    """`$name`, or `${name<op><arg>}` with `op` such as `:-`, `//` or `#`.

    `index` is the subscript's text and `inner` what expands inside it.
    """

    name: str
    quoted: bool = False
    op: str = ""
    arg: "Word" = ()
    index: str = ""
    inner: "Word" = ()


@dataclass(frozen=True, slots=True)
class Sub:
    """`$(script)` or its backtick spelling."""

    script: "Statement"
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Proc:
    """`<(script)`, or `>(script)` when `output`."""

    script: "Statement"
    output: bool = False


@dataclass(frozen=True, slots=True)
class Arith:
    """`$((...))` and `((...))`: the expression, in which expansions happen before it is worked out."""

    expression: "Word" = ()


Part = Lit | Var | Sub | Proc | Arith
Word = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Assign:
    """`name=value`, `name+=value` or `name=(a b c)`; `index` is the subscript's text."""

    name: str
    value: Word = ()
    items: tuple[Word, ...] | None = None
    append: bool = False
    index: str = ""
    inner: Word = ()


@dataclass(frozen=True, slots=True)
class Redirect:
    """`2>file` and relatives. A here-doc is `<<` and a here-string `<<<`, with the text as target."""

    op: str
    target: Word
    fd: str = ""


@dataclass(frozen=True, slots=True)
class Simple:
    """One simple command: assignments, words, redirections in the order written.

    `fixed` is what the words become whatever the shell remembers, where there is nothing but such words.
    """

    words: tuple[Word, ...] = ()
    assigns: tuple[Assign, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    fixed: tuple[Text, ...] | None = field(default=None, repr=False, compare=False)


def plain_command(words: tuple[Word, ...]) -> Simple:
    """A command of words alone."""
    fixed: list[Text] = []
    for word in words:
        part = word[0] if len(word) == 1 else None
        if type(part) is not Lit or part.fixed is None:
            return Simple(words)
        fixed.append(part.fixed)
    return Simple(words, fixed=tuple(fixed) or None)


@dataclass(frozen=True, slots=True)
class Sequence:
    """Statements one after the other, whatever joins them."""

    items: tuple["Statement", ...]


@dataclass(frozen=True, slots=True)
class Maybe:
    """A statement that runs only if a condition beside it allows: the right side of `||` or `[ x ] &&`."""

    body: "Statement"


@dataclass(frozen=True, slots=True)
class Background:
    """`statement &`."""

    body: "Statement"


@dataclass(frozen=True, slots=True)
class Pipeline:
    """`a | b | c`."""

    stages: tuple["Statement", ...]


@dataclass(frozen=True, slots=True)
class Block:
    """`{ ...; }`, or `( ... )` when `subshell`, or any compound command that carries redirections."""

    body: "Statement"
    redirects: tuple[Redirect, ...] = ()
    subshell: bool = False


@dataclass(frozen=True, slots=True)
class For:
    """`for name in words; do body; done`; `words` is None for `for name;`, which reads the arguments."""

    name: str
    words: tuple[Word, ...] | None
    body: "Statement"


@dataclass(frozen=True, slots=True)
class While:
    """`while` and `until`, and the C-style `for`, whose condition is empty."""

    condition: "Statement"
    body: "Statement"


@dataclass(frozen=True, slots=True)
class Branches:
    """`if` and `case`: what always runs first, then alternatives of which at most one runs."""

    first: "Statement"
    arms: tuple["Statement", ...]


@dataclass(frozen=True, slots=True)
class Function:
    """`name() body`."""

    name: str
    body: "Statement"


@dataclass(frozen=True, slots=True)
class Test:
    """`[ ... ]`, `[[ ... ]]`, `(( ... ))`: no effect but that of the substitutions inside."""

    words: tuple[Word, ...] = ()


Statement = Simple | Sequence | Maybe | Background | Pipeline | Block | For | While | Branches | Function | Test
EMPTY = Sequence(())


@dataclass(frozen=True, slots=True)
class Script:
    """A whole text; `broken` when part of it could not be parsed and was read as well as possible."""

    body: Statement
    broken: bool = False
