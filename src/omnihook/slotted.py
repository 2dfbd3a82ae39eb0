"""Frozen values that are made quickly: each field goes into its slot directly instead of by name."""

from dataclasses import MISSING, Field, fields
from typing import TypeVar

T = TypeVar("T")


def quick(kind: type[T]) -> type[T]:
    """Give a frozen, slotted, keyword-only dataclass an `__init__` that does what its own does in half the time.

    Its own goes through `object.__setattr__` for every field, which for the outcome of a hook with nothing to say
    takes as long as everything else together.
    """
    names: dict[str, object] = {"_missing": MISSING}
    parameters, lines = [], []
    for field in fields(kind):  # type: ignore[arg-type]  # only dataclasses are decorated
        default, value = _declared(field, names)
        names[f"_put_{field.name}"] = getattr(kind, field.name).__set__
        parameters.append(f"{field.name}{default}")
        lines.append(f"    _put_{field.name}(self, {value})")
    source = f"def __init__(self, *, {', '.join(parameters)}):\n" + "\n".join(lines)
    exec(source, names)  # all of it is names of fields, as in the `__init__` that dataclasses writes
    own, made = kind.__dict__["__init__"], names["__init__"]
    for name in ("__annotations__", "__module__", "__qualname__"):
        object.__setattr__(made, name, getattr(own, name))
    type.__setattr__(kind, "__init__", made)
    return kind


def _declared(field: "Field[object]", names: dict[str, object]) -> tuple[str, str]:
    """How the parameter of a field is declared, and what is stored of it."""
    if field.default is not MISSING:
        names[f"_is_{field.name}"] = field.default
        return f"=_is_{field.name}", field.name
    if field.default_factory is not MISSING:
        names[f"_make_{field.name}"] = field.default_factory
        return "=_missing", f"_make_{field.name}() if {field.name} is _missing else {field.name}"
    return "", field.name
