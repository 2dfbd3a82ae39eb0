"""How languages are spelt, as data for one lexer and one parser: comments, strings, blocks, operators, bare calls."""

from dataclasses import replace
from enum import Enum, auto

from omnihook.shell.tables import names
from omnihook.slotted import dataclass


class Tick(Enum):
    """What backticks mean."""

    NONE = auto()
    RUN = auto()
    TEMPLATE = auto()


class Bare(Enum):
    """Which calls do without parentheses."""

    NONE = auto()
    WORDS = auto()
    """Only those of the functions in `bare_names`."""
    STRINGS = auto()
    """A name before a string or a table."""
    LISTS = auto()
    """A name before arguments parted by commas."""
    APPLIED = auto()
    """A name before arguments parted by nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """One language's spelling."""

    name: str
    comments: tuple[str, ...] = ("//",)
    """What starts a comment that ends with the line."""
    block_comments: tuple[tuple[str, str], ...] = (("/*", "*/"),)
    joins: frozenset[str] = frozenset({"+"})
    """Operators that put strings together."""
    members: frozenset[str] = frozenset({".", "?.", "::"})
    tick: Tick = Tick.NONE
    inside: str = ""
    """How code is put into strings: `#{`, `${`, `$`, `\\(`, or not at all."""
    bare: Bare = Bare.NONE
    bare_names: frozenset[str] = frozenset()
    ends: bool = False
    """Blocks run to `end`."""
    trailing: bool = False
    """A block in braces after a call is its last argument."""
    words: bool = False
    """`q(...)`, `qw(...)`, `qx(...)` as in Perl, or `%w[...]` as in Ruby."""
    regexes: bool = False
    sigils: str = ""
    bangs: bool = False
    """Names may end in `!` or `?`."""
    adjacent: bool = False
    """Values side by side are put together."""


_JS = Syntax(name="node", tick=Tick.TEMPLATE, inside="${", regexes=True)
_JAVA = Syntax(name="java", regexes=False)
_ALL = (
    _JS,
    replace(_JS, name="deno"),
    replace(_JS, name="bun"),
    Syntax(
        name="perl", comments=("#",), block_comments=(), joins=frozenset({"."}), members=frozenset({"->", "::"}),
        tick=Tick.RUN, inside="$", bare=Bare.LISTS, words=True, regexes=True, sigils="$@%",
    ),
    Syntax(
        name="raku", comments=("#",), block_comments=(), joins=frozenset({"~"}), members=frozenset({".", "::"}),
        inside="$", bare=Bare.LISTS, words=True, sigils="$@%",
    ),
    Syntax(
        name="ruby", comments=("#",), block_comments=(), joins=frozenset({"+", "<<"}), tick=Tick.RUN, inside="#{",
        bare=Bare.LISTS, ends=True, trailing=True, words=True, regexes=True, sigils="$@", bangs=True,
        members=frozenset({".", "&.", "::"}),
    ),
    Syntax(
        name="php", comments=("//", "#"), joins=frozenset({"."}), members=frozenset({"->", "?->", "::"}), tick=Tick.RUN,
        inside="$", bare=Bare.WORDS, sigils="$",
        bare_names=names("echo print include include_once require require_once exit die throw clone"),
    ),
    Syntax(
        name="lua", comments=("--",), block_comments=(("--[[", "]]"),), joins=frozenset({".."}), ends=True,
        members=frozenset({".", ":"}), bare=Bare.STRINGS,
    ),
    Syntax(
        name="awk", comments=("#",), block_comments=(), joins=frozenset(), bare=Bare.WORDS, regexes=True, adjacent=True,
        bare_names=names("print printf getline"), members=frozenset(),
    ),
    Syntax(
        name="julia", comments=("#",), block_comments=(("#=", "=#"),), joins=frozenset({"*"}), tick=Tick.RUN,
        inside="$", ends=True, bangs=True, members=frozenset({".", "::"}),
    ),
    Syntax(name="Rscript", comments=("#",), block_comments=(), joins=frozenset(),
           members=frozenset({".", "::", ":::", "$"})),
    Syntax(
        name="elixir", comments=("#",), block_comments=(), joins=frozenset({"<>", "++"}), inside="#{", bare=Bare.LISTS,
        ends=True, bangs=True, members=frozenset({"."}), sigils="@",
    ),
    Syntax(name="erl", comments=("%",), block_comments=(), joins=frozenset({"++"}), members=frozenset({":"})),
    replace(_JAVA, name="groovy", inside="$", bare=Bare.LISTS, trailing=True, regexes=True),
    replace(_JAVA, name="scala", inside="$", trailing=True, bangs=True),
    _JAVA,
    replace(_JAVA, name="csharp"),
    Syntax(name="rust", bangs=True, members=frozenset({".", "::"})),
    Syntax(name="go", tick=Tick.TEMPLATE, members=frozenset({"."})),
    Syntax(name="swift", inside="\\(", trailing=True, members=frozenset({".", "?.", "!."})),
    Syntax(
        name="ghc", comments=("--",), block_comments=(("{-", "-}"),), joins=frozenset({"++", "<>"}), bare=Bare.APPLIED,
        members=frozenset({"."}),
    ),
    Syntax(
        name="ocaml", comments=(), block_comments=(("(*", "*)"),), joins=frozenset({"^"}), bare=Bare.APPLIED,
        members=frozenset({"."}),
    ),
    Syntax(
        name="osascript", comments=("--",), block_comments=(("(*", "*)"),), joins=frozenset({"&"}), bare=Bare.WORDS,
        bare_names=names("do_shell_script"), members=frozenset({"."}),
    ),
    Syntax(name="python", comments=("#",), block_comments=(), bare=Bare.WORDS, bare_names=names("print exec"),
           adjacent=True),
    Syntax(name="vim", comments=(), block_comments=(), joins=frozenset({".", ".."}), members=frozenset({"->"})),
    Syntax(name="pwsh", comments=("#",), block_comments=(("<#", "#>"),), inside="$", sigils="$",
           members=frozenset({".", "::"})),
    Syntax(name="nim", comments=("#",), block_comments=(("#[", "]#"),), joins=frozenset({"&"}), bare=Bare.STRINGS),
    Syntax(name="octave", comments=("%", "#"), block_comments=(), joins=frozenset(), ends=True),
)  # fmt: skip
SYNTAXES: dict[str, Syntax] = {syntax.name: syntax for syntax in _ALL}
