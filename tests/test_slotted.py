import copy
import inspect
import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, asdict, dataclass, field, replace

import pytest

from omnihook.slotted import quick


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    name: str
    count: int = 3
    words: Mapping[str, str] = field(default_factory=dict)


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Quick:
    name: str
    count: int = 3
    words: Mapping[str, str] = field(default_factory=dict)


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Child(Quick):
    more: str | None = None


@pytest.mark.parametrize("given", [{"name": "a"}, {"name": "a", "count": 0}, {"name": "", "words": {"k": "v"}}])
def test_a_quick_value_is_what_a_plain_one_would_be(given: dict[str, object]) -> None:
    assert asdict(Quick(**given)) == asdict(Plain(**given))  # type: ignore[arg-type]
    assert repr(Quick(**given)) == repr(Plain(**given)).replace("Plain", "Quick")  # type: ignore[arg-type]


def test_it_is_frozen_and_has_no_other_attributes() -> None:
    made = Quick(name="a")
    with pytest.raises(FrozenInstanceError):
        made.name = "b"  # type: ignore[misc]
    with pytest.raises((AttributeError, TypeError)):
        object.__setattr__(made, "other", 1)


def test_default_factories_give_each_value_its_own() -> None:
    assert Quick(name="a").words is not Quick(name="b").words


def test_inherited_fields_are_filled() -> None:
    assert Child(name="a", more="b") == Child(name="a", count=3, words={}, more="b")


def test_values_are_replaced_copied_and_pickled() -> None:
    made = Quick(name="a", words={"k": "v"})
    assert replace(made, count=9) == Quick(name="a", count=9, words={"k": "v"})
    assert copy.deepcopy(made) == made == pickle.loads(pickle.dumps(made))


@pytest.mark.parametrize("given", [{}, {"name": "a", "other": 1}])
def test_wrong_arguments_are_refused_with_the_names_of_the_class(given: dict[str, object]) -> None:
    with pytest.raises(TypeError, match=r"Quick\.__init__\(\)"):
        Quick(**given)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Quick("a")  # type: ignore[misc]


def test_the_signature_is_the_same() -> None:
    assert list(inspect.signature(Quick).parameters) == list(inspect.signature(Plain).parameters)
    assert Quick.__init__.__annotations__ == Plain.__init__.__annotations__
