"""What shows only in code as a whole: processes without end, shells on a connection, text fetched and evaluated."""

import re
from collections.abc import Iterator
from dataclasses import field

from omnihook.builtin.guard.effects import Act, Note
from omnihook.builtin.guard.languages.folding import Folding
from omnihook.builtin.guard.languages.nodes import (
    Call,
    Function,
    Group,
    Literal,
    Loop,
    Member,
    Named,
    Node,
    Number,
    Operation,
    Ref,
    Run,
    below,
    children,
)
from omnihook.shell.tables import names
from omnihook.shell.values import HOLE
from omnihook.slotted import dataclass

_MANY = 100
_FORKS = names("fork pcntl_fork forkpty vfork primitive-fork")
_STARTS = names(
    "fork pcntl_fork spawn Popen exec Process start popen create_subprocess_exec create_subprocess_shell Command",
    "execFile proc_open ProcessBuilder spawn_async posix_spawn forkpty detach Start-Process start-process",
    "primitive-fork",
)
_SHELLS = names("system execute shell_exec passthru cmd sh shell shell-command run call execSync")
_CALMS = names(
    "Start-Sleep Wait-Process wait waitpid sleep join communicate accept recv usleep wait4 waitall break last return",
    "exit next_line readline poll pcntl_wait pcntl_waitpid nanosleep select die os._exit _exit Sys.sleep timer.sleep",
    "await read delay",
)
_ENDLESS_SOURCES = names("count cycle repeat iter INFINITY Infinity Inf iterate infinite? Stream.cycle")
_TRUE = names("true $true 1 TRUE t True #t")
_CONNECTS = re.compile(
    r"TCPSocket|fsockopen|stream_socket_client|createConnection|INET|TcpClient|tcp_connect|open_connection|make-network-process"
    r"|gen_tcp|socketConnection|^Socket$|^socket$|^connect$|create_connection|^TCP$"
)
_RUNS = names(
    "exec spawn system proc_open popen shell_exec passthru execvp execve execl call Popen run spawnSync execSync",
    "dup2 sh start-process call-process cmd execute shell IO.popen check_output",
)
_CALLS_OUT = re.compile(
    r"TCPSocket|fsockopen|stream_socket_client|createConnection|create_connection|open_connection|TcpClient"
    r"|^INET6?$|^PeerAddr$"
)
_SOCKET_MODULES = frozenset({"net", "tls", "socket", "node:net"})
_HEARS = names(
    "STDIN receive gets recv read readline readpartial sysread fgets fread readlines each_line stream_get_contents data"
)
_SHELL_TEXT = re.compile(r"(?:^|/|\s)(?:ba|z|da|k)?sh\b|cmd\.exe|powershell")
_EVALUATES = names(
    "eval Function instance_eval runInThisContext runInNewContext iex Invoke-Expression exec load loadstring",
    "eval-buffer",
)
_MERE_TEXT = names(
    "print puts log echo say write warn startsWith startswith includes indexOf match test replace split equal equals",
    "start_with? include? error info debug printf format join push append add sub gsub contains concat croak die",
)
_FETCHES = names(
    "fetch urlopen urlretrieve curl_exec DownloadString Invoke-WebRequest iwr irm Invoke-RestMethod axios got getstore",
    "url-retrieve URLSession HTTParty HTTPoison LWP Net::HTTP HttpClient",
)


@dataclass(slots=True)
class Seen:
    """Names that are called or mentioned, and whether the code reaches the network."""

    called: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)
    strings: list[str] = field(default_factory=list)
    fetches: bool = False
    unknown_runs: bool = False
    """Whether something is run of which the text says nothing."""

    def read(self, nodes: list[Node], folding: Folding) -> None:
        """Note everything below the nodes."""
        bare = folding.around.language == "perl"
        callees: set[int] = set()
        for node in (inner for item in nodes for inner in below(item)):
            match node:
                case Ref(name=("system" | "exec") as name) if bare and id(node) not in callees:
                    self.unknown_runs = True  # what it runs is in `$_`
                    self.named.add(name)
                case Call(callee=callee, args=args):
                    callees.add(id(callee))
                    chained = folding.chain(callee)
                    self.called.update(chained[-1:])
                    self.named.update(chained)
                    self.unknown_runs = self.unknown_runs or _runs_unknown(chained, args, folding)
                    self.fetches = self.fetches or fetches(node, folding)
                case Run(text=text):
                    self.unknown_runs = self.unknown_runs or not _known(text, folding)
                case Ref(name=name) | Member(name=name):
                    self.named.add(name)
                case Literal(text=written):
                    self.strings.append(written.text)
                case Named(name=name):
                    self.named.add(name)


def fetches(node: Call, folding: Folding) -> bool:
    """Whether a call reads from the network."""
    chained = folding.chain(node.callee)
    return bool(_FETCHES.intersection(chained)) or _addressed(chained, node.args)


def _runs_unknown(chained: tuple[str, ...], args: list[Node], folding: Folding) -> bool:
    if not chained or chained[-1] not in _RUNS or not args or isinstance(args[0], Literal | Named | Function):
        return False
    return not _known(args[0], folding)


def _known(node: Node, folding: Folding) -> bool:
    return any(text.text.strip(HOLE + " ") for text in folding.sequence(node))


def _addressed(chained: tuple[str, ...], args: list[Node]) -> bool:
    """Whether an address on the network is given to something that could read from it."""
    if chained and chained[-1] in _MERE_TEXT:
        return False
    return any(isinstance(arg, Literal) and re.match(r"(?:https?|ftp)://", arg.text.text) for arg in args)


def whole(seen: Seen, folding: Folding) -> Iterator[Act]:
    """Reverse shells, and code that is fetched and evaluated further on."""
    connects = any(map(_CONNECTS.search, seen.named))
    shell = any(map(_SHELL_TEXT.search, seen.strings))
    if connects and "connect" in seen.named | seen.called and "dup2" in seen.called:
        yield Note("reverse-shell", "a socket becomes a process's standard input and output")
    elif connects and shell and seen.called & _RUNS:
        yield Note("reverse-shell", "a socket connected to a shell")
    elif seen.unknown_runs and (seen.named & _HEARS or "data" in seen.strings) and _calls_out(seen):
        yield Note("reverse-shell", "what a connection sends is run")
    if "setInterval" in seen.called and seen.called & _STARTS:
        yield Note("fork-bomb", "starts processes again and again")
    indirect = seen.fetches and folding.around.language in ("node", "deno", "bun", "pwsh", "lisp")
    if indirect and seen.named & (_EVALUATES - {"exec", "load"}):
        yield Note("run-remote", "evaluates code from the network")


def _calls_out(seen: Seen) -> bool:
    """Whether the code connects to another machine."""
    if "connect" in seen.called and not _SOCKET_MODULES.isdisjoint(seen.strings):
        return True
    return any(map(_CALLS_OUT.search, seen.named))


def looped(node: Loop, folding: Folding) -> Iterator[Act]:
    """A loop that starts processes and has no end."""
    parts = [inner for item in node.body for inner in below(item)]
    calls = _calls(parts, folding)
    tested = _calls(list(below(node.head)), folding) if node.head is not None else set[str]()
    endless = _endless(node, folding) or bool(tested & _FORKS)
    if not endless:
        return
    forks = (calls | tested) & _FORKS
    own = [inner for item in node.body for inner in _without_children(item, folding)]
    words = _calls(own, folding) | {
        inner.name for inner in own if isinstance(inner, Ref | Member) and _is_call(inner, folding)
    }
    if forks and not words & _CALMS - {"exit", "return"}:
        yield Note("fork-bomb", "forks in a loop without end")
    elif calls & _STARTS and not words & _CALMS:
        yield Note("fork-bomb", "starts processes in a loop without end")
    elif calls & _SHELLS and _in_background(parts) and not words & _CALMS:
        yield Note("fork-bomb", "starts processes in the background in a loop without end")


def _without_children(node: Node, folding: Folding) -> Iterator[Node]:
    """A node and what is below it, except blocks that only a forked child runs: what calms those calms no loop."""
    todo = [node]
    while todo:
        current = todo.pop()
        yield current
        forks = isinstance(current, Call) and not _FORKS.isdisjoint(folding.chain(current.callee)[-1:])
        todo.extend(child for child in reversed(children(current)) if not (forks and isinstance(child, Function)))


def _is_call(node: Ref | Member, folding: Folding) -> bool:
    """A name by itself may be a call: a member in Ruby only, and in PowerShell a cmdlet, not the words given to one."""
    if isinstance(node, Member):
        return folding.around.language == "ruby"
    return folding.around.language != "pwsh" or "-" in node.name


def _in_background(parts: list[Node]) -> bool:
    texts = [inner.text.text for inner in parts if isinstance(inner, Literal)]
    return any(re.search(r"(?<!&)&\s*$|\bnohup\b|\bsetsid\b", text) for text in texts)


def _calls(parts: list[Node], folding: Folding) -> set[str]:
    found: set[str] = set()
    for inner in parts:
        if isinstance(inner, Call):
            chained = folding.chain(inner.callee)
            found.update(chained[-1:])
            found.update(arg.name for arg in inner.args if isinstance(arg, Ref))
        elif isinstance(inner, Ref | Member) and (inner.name in _FORKS or inner.name.lower() == "start-process"):
            found.add("fork" if inner.name in _FORKS else "start-process")
        elif isinstance(inner, Run):
            found.add("system")
    return found


def _endless(node: Loop, folding: Folding) -> bool:
    if node.kind == "endless":
        return True
    inner = list(below(node.head)) if node.head is not None else []
    if node.kind == "each":
        words = {item.name for item in inner if isinstance(item, Ref | Member)}
        large = any(isinstance(item, Number) and item.value >= _MANY for item in inner)
        return bool(words & _ENDLESS_SOURCES) or large or _open_range(node.head)
    value = _truth(node.head)
    return value is (node.kind == "while") if value is not None else False


def _open_range(node: Node | None) -> bool:
    return isinstance(node, Operation) and node.op in ("..", "...") and isinstance(node.right, Group)


def _truth(node: Node | None) -> bool | None:
    """Whether a test is a constant, and which."""
    match node:
        case Number(value=value):
            return value != 0
        case Ref(name=name):
            return True if name in _TRUE else False if name.lower() in ("false", "nil", "none") else None
        case Literal(text=text):
            return bool(text.text)
        case Group(items=[*_, last]):
            return _truth(last)
        case Group(items=[]) | None:
            return True
        case _:
            return None


def recursive(node: Function, folding: Folding) -> Iterator[Act]:
    """A function that starts a process and comes back to itself."""
    name = node.name or next((key for key, value in folding.functions.items() if value is node), "")
    if not name:
        return
    parts = [inner for item in node.body for inner in below(item)]
    calls = _calls(parts, folding)
    mentioned = {inner.name for inner in parts if isinstance(inner, Ref)}
    if name in mentioned and calls & _STARTS and not calls & _CALMS - {"exit", "return"}:
        yield Note("fork-bomb", f"{name} starts processes and calls itself")
