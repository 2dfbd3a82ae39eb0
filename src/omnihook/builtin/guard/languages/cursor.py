"""A place in the tokens of a piece of code, and how deep it is."""

from abc import ABC, abstractmethod

from omnihook.builtin.guard.languages.nodes import Node
from omnihook.builtin.guard.languages.syntaxes import Syntax
from omnihook.builtin.guard.languages.tokens import Token, TooLong
from omnihook.shell.values import Text

MAX_DEPTH = 60


class Cursor(ABC):
    """Tokens and a place in them. Subclasses know expressions and statements."""

    def __init__(self, tokens: list[Token], syntax: Syntax, origins: frozenset[str]) -> None:
        self.tokens = tokens
        self.syntax = syntax
        self.origins = origins
        self.at = 0
        self.nest = 0
        self.depth = 0
        self.in_head = False

    @property
    def done(self) -> bool:
        """Whether every token has been read."""
        return self.at >= len(self.tokens)

    @property
    def token(self) -> Token:
        """The next token."""
        return self.tokens[self.at]

    def at_op(self, *texts: str) -> bool:
        """Whether the next token is one of these operators."""
        return not self.done and self.token.kind == "op" and self.token.text in texts

    def follows(self, *texts: str) -> bool:
        """Whether the token after the next is one of these."""
        return self.at + 1 < len(self.tokens) and self.tokens[self.at + 1].text in texts

    def skip(self, *texts: str) -> None:
        """Step over these words."""
        while not self.done and self.token.text in texts and self.token.kind in ("name", "op"):
            self.at += 1

    def ended(self) -> bool:
        """Whether a statement ends here."""
        return self.done or (self.token.newline and not self.nest) or self.at_op(";", "}", ")", "]", ",")

    def enter(self) -> None:
        """One level deeper."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooLong

    def leave(self) -> None:
        """One level back."""
        self.depth -= 1

    def known(self, text: str) -> Text:
        """A literal; holes in it come from where the code's holes come from."""
        return Text(text, self.origins)

    @abstractmethod
    def statements(self, stops: tuple[str, ...]) -> list[Node]:
        """Statements, which a subclass reads."""

    @abstractmethod
    def nested(self, code: str) -> list[Node]:
        """Code inside a string, which a subclass reads."""

    @abstractmethod
    def function(self, word: str) -> Node:
        """A function, which a subclass reads."""

    @abstractmethod
    def ended_body(self) -> list[Node]:
        """A block that runs to `end`, which a subclass reads."""

    @abstractmethod
    def expression(self, level: int) -> Node:
        """An expression, which a subclass reads."""

    @abstractmethod
    def postfix(self, node: Node) -> Node:
        """What comes after an operand, which a subclass reads."""
