"""Dataclasses with slots whose methods are written when they are first called.

`dataclasses` writes and compiles six methods for every class that is declared. A command that lives a fifth of a
second declares two hundred and uses the methods of a few, so here each method waits for its first call. The
`__init__` also fills slots directly, in half the time that `object.__setattr__` by name would take.
"""

import dataclasses
import reprlib
import threading
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")
Method = Callable[..., Any]


class _Thread(threading.local):
    """What this thread is doing."""

    declaring = False


_thread = _Thread()

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, slots, frozen=False, kw_only=False, repr=True, eq=True, unsafe_hash=False):
        """Declare a dataclass, as the decorator of the same name does."""
        if not slots:
            raise TypeError("only dataclasses with slots are written late")
        wanted = {"__init__", *(["__repr__"] if repr else []), *(["__eq__"] if eq else [])}
        hashed = unsafe_hash or (eq and frozen)

        def declared(kind):
            kept = _own(kind)
            kind.__doc__ = kind.__doc__ or kind.__name__  # else the standard library works one out, which takes long
            _thread.declaring = True
            try:
                made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(kind)
            finally:
                _thread.declaring = False
            for name in wanted - kept:
                setattr(made, name, _awaited(made, name))
            if "__hash__" not in kept and (hashed or eq):
                made.__hash__ = _awaited(made, "__hash__") if hashed else None
            made.__signature__ = _Signature(made)
            if frozen:
                made.__dataclass_params__ = _Params(made.__dataclass_params__)
                made.__setattr__, made.__delattr__ = _refused_change, _refused_loss
                made.__getstate__, made.__setstate__ = _state, _put_state
            return made

        return declared


def copier(kind: type[T], changed: Iterable[str]) -> Callable[..., T]:
    """A function of a value and of new values for some fields, in their order, that makes what `replace` would."""
    given = list(changed)
    names: dict[str, Any] = {"_new": object.__new__, "_kind": kind}
    lines = ["    made = _new(_kind)"]
    for field in fields(kind):  # type: ignore[arg-type]  # only dataclasses are copied
        names[f"_put_{field.name}"] = getattr(kind, field.name).__set__
        lines.append(f"    _put_{field.name}(made, {'' if field.name in given else 'self.'}{field.name})")
    source = "\n".join([f"def copy({', '.join(['self', *given])}):", *lines, "    return made"])
    exec(source, names)  # only names of fields, too
    made: Callable[..., T] = names["copy"]
    return made


def _own(kind: type) -> frozenset[str]:
    """The methods that a class brings itself; an `__eq__` makes Python set `__hash__` to None, which is not one."""
    names = kind.__dict__
    none = names.get("__hash__", MISSING) is None and "__eq__" in names
    return frozenset(names) - {"__hash__"} if none else frozenset(names)


def _awaited(kind: type, name: str) -> Method:
    """A method that writes the real one in its place and hands the call over."""

    def first(*args: Any, **named: Any) -> Any:
        return _written(kind, name)(*args, **named)

    return first


def _written(kind: type, name: str) -> Method:
    names: dict[str, Any] = {"_missing": MISSING}
    source = _WRITERS[name](kind, names)
    exec(source, names)  # only names of fields are in it, as in what dataclasses writes
    made: Method = names[name]
    made.__qualname__, made.__module__ = f"{kind.__qualname__}.{name}", kind.__module__
    if name == "__repr__":
        made = reprlib.recursive_repr()(made)
    type.__setattr__(kind, name, made)
    return made


def _init(kind: type, names: dict[str, Any]) -> str:
    parameters, lines, starred = ["self"], [], False
    # Where nothing stands in the way of assigning, that is the quickest of all.
    assigns = not any("__setattr__" in vars(base) for base in kind.__mro__[:-1])
    for field in fields(kind):
        names[f"_put_{field.name}"] = getattr(kind, field.name).__set__
        default, value = _stored(field, names)
        if field.init:
            parameters += ["*"] if field.kw_only and not starred else []
            parameters.append(f"{field.name}{default}")
            starred = starred or bool(field.kw_only)
        if value:
            lines.append(f"    self.{field.name} = {value}" if assigns else f"    _put_{field.name}(self, {value})")
    if hasattr(kind, "__post_init__"):
        lines.append("    self.__post_init__()")
    return f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines or ["    pass"])


def _stored(field: "Field[Any]", names: dict[str, Any]) -> tuple[str, str]:
    """The default of a field's parameter, and what is put into its slot."""
    if field.default is not MISSING:
        names[f"_is_{field.name}"] = field.default
        return f"=_is_{field.name}", field.name if field.init else f"_is_{field.name}"
    if field.default_factory is not MISSING:
        names[f"_make_{field.name}"] = field.default_factory
        made = f"_make_{field.name}()"
        return "=_missing", f"{made} if {field.name} is _missing else {field.name}" if field.init else made
    return "", field.name if field.init else ""


def _eq(kind: type, _names: dict[str, Any]) -> str:
    compared = [field.name for field in fields(kind) if field.compare]
    return (
        "def __eq__(self, other):\n"
        "    if other.__class__ is not self.__class__:\n"
        "        return NotImplemented\n"
        f"    return {_tuple('self', compared)} == {_tuple('other', compared)}"
    )


def _hash(kind: type, _names: dict[str, Any]) -> str:
    hashed = [field.name for field in fields(kind) if (field.compare if field.hash is None else field.hash)]
    return f"def __hash__(self):\n    return hash({_tuple('self', hashed)})"


def _repr(kind: type, _names: dict[str, Any]) -> str:
    shown = ", ".join(f"{field.name}={{self.{field.name}!r}}" for field in fields(kind) if field.repr)
    return f"def __repr__(self):\n    return f'{{self.__class__.__qualname__}}({shown})'"


def _tuple(owner: str, names: Iterable[str]) -> str:
    return "(" + "".join(f"{owner}.{name}, " for name in names) + ")"


_WRITERS: dict[str, Callable[[type, dict[str, Any]], str]] = {
    "__init__": _init,
    "__eq__": _eq,
    "__hash__": _hash,
    "__repr__": _repr,
}


class _Params:
    """How a frozen class was declared, for the standard library, which lets frozen classes inherit from such alone.

    Ours are declared as if they were not, for it would write their `__setattr__` at once; then none is frozen.
    """

    def __init__(self, given: Any) -> None:
        self._given = given

    def __getattr__(self, name: str) -> Any:
        return getattr(self._given, name)

    @property
    def frozen(self) -> bool:
        return not _thread.declaring


class _Signature:
    """How a class is called, for `help` and editors: read from the `__init__` that is written for it."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def __get__(self, instance: object, kind: type) -> Any:
        import inspect  # only editors and `help` ask

        written = inspect.signature(_written(self._kind, "__init__"))
        types = {field.name: field.type for field in fields(self._kind)}
        own = [one.replace(annotation=types[name]) for name, one in written.parameters.items() if name != "self"]
        return written.replace(parameters=own)


def _refused_change(self: object, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refused_loss(self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: object) -> list[Any]:
    return [getattr(self, field.name) for field in fields(self)]  # type: ignore[arg-type]  # only dataclasses have it


def _put_state(self: object, state: list[Any]) -> None:
    for field, value in zip(fields(self), state, strict=True):  # type: ignore[arg-type]  # as above
        object.__setattr__(self, field.name, value)
