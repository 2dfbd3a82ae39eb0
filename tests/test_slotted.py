import copy
import dataclasses
import inspect
import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, asdict, field, fields, replace
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omnihook.slotted import copier, dataclass


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """One as the standard library makes it."""

    kind: ClassVar[str] = "plain"
    name: str
    count: int = 3
    words: Mapping[str, str] = field(default_factory=dict)
    hidden: int = field(default=7, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Late:
    """The same one, written late."""

    kind: ClassVar[str] = "late"
    name: str
    count: int = 3
    words: Mapping[str, str] = field(default_factory=dict)
    hidden: int = field(default=7, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Child(Late):
    """One with another field."""

    more: str | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """One that is called with positions, and works out a field."""

    x: int
    y: int = 0
    sum: int = field(init=False)
    seen: list[int] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sum", self.x + self.y)


@dataclass(slots=True)
class Open:
    """One that may change."""

    x: int = 0


@dataclass(slots=True, eq=False, repr=False)
class Same:
    """One that is equal to itself alone."""

    x: int = 0


@dataclass(frozen=True, slots=True)
class Odd:
    """One with methods of its own."""

    x: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Odd)

    def __repr__(self) -> str:
        return "odd"


names, counts = st.text(max_size=3), st.integers(0, 2)
values = st.fixed_dictionaries(
    {"name": names}, optional={"count": counts, "hidden": counts, "words": st.just({"k": "v"})}
)


@given(values, values)
def test_one_written_late_is_what_a_plain_one_would_be(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert asdict(Late(**one)) == asdict(Plain(**one))
    assert repr(Late(**one)) == repr(Plain(**one)).replace("Plain", "Late")
    assert (Late(**one) == Late(**other)) is (Plain(**one) == Plain(**other))


@given(st.integers(), st.integers())
def test_equal_ones_have_equal_hashes(x: int, y: int) -> None:
    assert hash(Odd(x)) == hash(Odd(x))
    assert Child(name="a", words=(), count=x) in {Child(name="a", words=(), count=x)}  # type: ignore[arg-type]


def test_one_with_a_field_that_has_no_hash_has_none() -> None:
    for kind in (Plain, Late):
        with pytest.raises(TypeError, match="unhashable"):
            hash(kind(name="a"))


def test_it_is_frozen_and_has_no_other_attributes() -> None:
    made = Late(name="a")
    with pytest.raises(FrozenInstanceError):
        made.name = "b"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del made.name
    with pytest.raises((AttributeError, TypeError)):
        object.__setattr__(made, "other", 1)


def test_default_factories_give_each_value_its_own() -> None:
    assert Late(name="a").words is not Late(name="b").words


def test_inherited_fields_are_filled_and_kinds_are_told_apart() -> None:
    assert Child(name="a", more="b") == Child(name="a", count=3, words={}, more="b")
    assert Child(name="a") != Late(name="a")
    assert [one.name for one in fields(Child)] == ["name", "count", "words", "hidden", "more"]


def test_values_are_replaced_copied_and_pickled() -> None:
    made = Late(name="a", words={"k": "v"})
    assert replace(made, count=9) == Late(name="a", count=9, words={"k": "v"})
    assert copy.deepcopy(made) == made == pickle.loads(pickle.dumps(made))
    assert pickle.loads(pickle.dumps(Open(4))) == Open(4)


@given(values, counts, names)
def test_a_copier_makes_what_replace_makes(one: dict[str, Any], count: int, more: str) -> None:
    made = Child(**one)
    assert copier(Child, ("more", "count"))(made, more, count) == replace(made, more=more, count=count)


@pytest.mark.parametrize("given", [{}, {"name": "a", "other": 1}])
def test_wrong_arguments_are_refused_with_the_names_of_the_class(given: dict[str, Any]) -> None:
    for _ in range(2):  # the first call writes the method
        with pytest.raises(TypeError, match=r"Late\.__init__\(\)"):
            Late(**given)
        with pytest.raises(TypeError):
            Late("a")  # type: ignore[misc]


def test_the_signature_is_the_same() -> None:
    late, plain = (inspect.signature(kind).parameters.values() for kind in (Late, Plain))
    assert [(one.name, one.kind, one.annotation) for one in late] == [
        (one.name, one.kind, one.annotation) for one in plain
    ]


def test_positions_and_fields_worked_out_later() -> None:
    made = Point(2, 3)
    assert (made.sum, made.seen, repr(made)) == (5, [], "Point(x=2, y=3, sum=5, seen=[])")
    match made:
        case Point(x, y):
            assert (x, y) == (2, 3)


def test_one_that_may_change_has_no_hash() -> None:
    made = Open()
    made.x = 5
    assert made == Open(5)
    with pytest.raises(TypeError, match="unhashable"):
        hash(made)


def test_without_equality_each_is_itself() -> None:
    one, other = Same(), Same()
    assert one == one and one != other and len({one, other}) == 2
    assert repr(one).startswith("<")


def test_methods_of_its_own_are_kept() -> None:
    assert Odd(1) == Odd(2) and repr(Odd(1)) == "odd"


def test_one_that_holds_itself_can_be_shown() -> None:
    made = Open()
    made.x = made  # type: ignore[assignment]
    assert repr(made) == "Open(x=...)"


def test_the_standard_library_s_frozen_classes_may_inherit_from_one() -> None:
    @dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
    class Hosts(Child):
        """A host's own."""

        extra: int = 1

    made = Hosts(name="a", more="b", extra=2)
    assert (made.name, made.more, made.extra) == ("a", "b", 2)
    assert replace(made, extra=3) != made == Hosts(name="a", more="b", extra=2)
    with pytest.raises(FrozenInstanceError):
        made.extra = 4  # type: ignore[misc]
    with pytest.raises(TypeError, match="frozen"):
        dataclasses.dataclass(slots=True)(type("Loose", (Child,), {}))
