"""Whether a loop leaves processes behind without end."""

from omnihook.shell import syntax
from omnihook.shell.syntax import Simple, Statement


def endless(condition: Statement) -> bool:
    """`while true`, `while :`, `until false`, `for ((;;))`."""
    match condition:
        case Simple(words=((syntax.Lit(text=text),), *_)):
            return text in ("true", ":", "false", "1")
        case syntax.Test(words=()):
            return True
        case _:
            return False


def spawns(body: Statement) -> bool:
    """Whether each round leaves a process behind and nothing waits."""
    names: set[str] = set()
    background = False
    todo = [body]
    while todo:
        node = todo.pop()
        match node:
            case Simple(words=((syntax.Lit(text=text), *_), *_)):
                names.add(text)
            case syntax.Background():
                background = True
            case syntax.Sequence():
                todo.extend(node.items)
            case syntax.Block() | syntax.Maybe():
                todo.append(node.body)
            case syntax.Branches():
                todo.extend((node.first, *node.arms))
            case _:
                pass
    return background and names.isdisjoint({"wait", "sleep", "break", "exit", "read", "return"})
