"""Shells that code starts and then tells what to do: text printed into a pipe is run like any other."""

import re
from collections.abc import Iterator

from omnihook.builtin.guard.effects import Shell
from omnihook.builtin.guard.languages.folding import Folding
from omnihook.builtin.guard.languages.nodes import Call, Literal, Named, Node, Operation, below
from omnihook.builtin.guard.languages.wholes import Seen
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE, Text

_OPENS = names(
    "open popen Popen spawn open2 open3 popen2 popen2e popen3 proc_open open_pipe open-pipe create_subprocess_exec",
    "create_subprocess_shell pipeline_w capture2 capture3 capture2e execFile",
)
_PRINTS = names(
    "print printf say puts write write_nonblock syswrite fwrite fputs print_line end send communicate writelines <<",
    "putrequest printf_nonblock p sendline",
)
_SHELL = re.compile(r"\|?\s*+(?:-\s*+)?+(?:/(?:[^\s/]*+/)++)?+(?:ba|z|da|k)?sh(?:\s++-[isx-]++)*+\s*+")
_MAX_PRINTED = 64


def fed_shells(nodes: list[Node], seen: Seen, folding: Folding) -> Iterator[Shell]:
    """The text given to a shell that the code opened for writing."""
    if seen.called.isdisjoint(_OPENS) or not any(map(_SHELL.fullmatch, seen.strings)):
        return
    inner = [node for item in nodes for node in below(item)]
    if not any(isinstance(node, Call) and _opens(node, folding) for node in inner):
        return
    for text in printed_texts(nodes, folding):
        if text.text.strip(HOLE + " \n"):
            yield Shell(Text(text.text.replace("\\n", "\n"), text.origins))


def printed_texts(nodes: list[Node], folding: Folding) -> list[Text]:
    """All that code prints, wherever it goes."""
    inner = [node for item in nodes for node in below(item)]
    printed = [arg for node in inner for arg in _printed(node, folding)]
    if folding.around.language == "perl":
        # `print $handle "text"` leaves the text as a statement of its own.
        printed.extend(node for node in nodes if isinstance(node, Literal))
    return [text for node in printed for text in folding.texts(node)][:_MAX_PRINTED]


def _opens(node: Call, folding: Folding) -> bool:
    """Whether a call starts a shell that is given no script."""
    chained = folding.chain(node.callee)
    if not chained or chained[-1] not in _OPENS:
        return False
    given = [text.text for arg in node.args if not isinstance(arg, Named) for text in folding.sequence(arg)]
    return any(map(_SHELL.fullmatch, given)) and not any(text.startswith("-c") for text in given)


def _printed(node: Node, folding: Folding) -> list[Node]:
    """What a node prints. Perl's `print HANDLE "text"` looks like a call of the handle."""
    if isinstance(node, Operation) and node.op == "<<":
        return [node.right]
    if not isinstance(node, Call):
        return []
    chained = folding.chain(node.callee)
    if not chained or chained[-1] not in _PRINTS:
        return []
    handles = [arg for arg in node.args if isinstance(arg, Call)] if folding.around.language == "perl" else []
    return [
        *(arg for arg in node.args if not isinstance(arg, Named)),
        *(inner for handle in handles for inner in handle.args),
    ]
