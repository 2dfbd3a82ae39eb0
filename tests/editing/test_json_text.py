"""Splicing JSON text: what is not edited stays, comments and layout included."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omnihook.editing import json_text
from omnihook.positions import uncommented
from strategies import json_values, words

COMMENTED = """\
{
  // the hooks
  "hooks": [
    "a", // about a
    /* about b */ "b",
    // about c
    "c" // last
  ], // done
  "x": {} /* nothing */
}
"""


def stripped(text: str) -> object:
    """The value of JSON with comments."""
    import re

    return json.loads(re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL))


def pointers(value: object, way: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    items = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    return [p for key, item in items for p in ((*way, key), *pointers(item, (*way, key)))]


layouts = st.sampled_from([None, 2, 4, "\t"])
documents = st.dictionaries(words, json_values, min_size=1, max_size=3)


@given(documents, layouts, st.sampled_from(["\n", "\r\n"]), st.data())
def test_what_is_cut_can_be_put_back(value: dict[str, object], indent: object, line: str, data: st.DataObject) -> None:
    text = json.dumps(value, indent=indent).replace("\n", line)  # type: ignore[arg-type]
    pointer = data.draw(st.sampled_from(pointers(value)))
    holder: object = value
    for part in pointer[:-1]:
        holder = holder[part]  # type: ignore[index]
    number = list(holder).index(pointer[-1]) if isinstance(holder, dict) else pointer[-1]
    less, piece = json_text.cut(text, pointer)
    assert isinstance(number, int)
    del holder[pointer[-1]]  # type: ignore[attr-defined]
    assert json.loads(less) == value
    assert json_text.put(less, pointer[:-1], number, piece) == text


@given(documents, layouts, json_values, words)
def test_what_is_inserted_is_there_and_goes_again(
    value: dict[str, object], indent: object, new: object, key: str
) -> None:
    value.pop(key, None)
    text = json.dumps(value, indent=indent)  # type: ignore[arg-type]
    more = json_text.insert(text, (key,), new)  # type: ignore[arg-type]
    assert json.loads(more) == {**value, key: new}
    assert json_text.cut(more, (key,))[0] == text


def test_missing_objects_and_lists_are_made_on_the_way() -> None:
    text = '{\n  "a": {}\n}\n'
    assert json.loads(json_text.insert(text, ("a", "b", 0), 5)) == {"a": {"b": [5]}}
    assert json_text.insert("", ("a", 0), 5) == '{\n  "a": [\n    5\n  ]\n}\n'


def test_a_new_member_is_laid_out_as_its_neighbours() -> None:
    assert json_text.insert('{"a": [1, 2]}', ("a", 2), 3) == '{"a": [1, 2, 3]}'
    wide = '{\r\n\t"a": [\r\n\t\t1\r\n\t]\r\n}'
    assert json_text.insert(wide, ("a", 1), {"b": 2}) == wide.replace("1", '1,\r\n\t\t{\r\n\t\t\t"b": 2\r\n\t\t}')


@pytest.mark.parametrize("number", [0, 1, 2])
def test_comments_stay_when_a_member_is_cut(number: int) -> None:
    less, _ = json_text.cut(COMMENTED, ("hooks", number))
    assert stripped(less) == {"hooks": [word for n, word in enumerate("abc") if n != number], "x": {}}
    for comment in ("// the hooks", "// about a", "/* about b */", "// about c", "// last", "// done", "/* nothing */"):
        assert comment in less


def test_comments_stay_when_all_members_are_cut_and_one_is_added() -> None:
    text = COMMENTED
    for _ in range(3):
        text, _ = json_text.cut(text, ("hooks", 0))
    assert stripped(text) == {"hooks": [], "x": {}}
    more = json_text.insert(text, ("hooks", 0), "d")
    assert stripped(more) == {"hooks": ["d"], "x": {}}
    assert "// last" in more


def test_comments_stay_when_members_are_added_and_replaced() -> None:
    more = json_text.insert(COMMENTED, ("hooks", 3), "d")
    assert stripped(more) == {"hooks": ["a", "b", "c", "d"], "x": {}}
    assert json_text.cut(more, ("hooks", 3))[0] == COMMENTED
    changed = json_text.replace_value(COMMENTED, ("hooks", 1), {"k": [1]})
    assert changed == COMMENTED.replace('"b",', '{"k": [1]},')
    assert json_text.rename_key(COMMENTED, ("hooks",), "crochets") == COMMENTED.replace('"hooks":', '"crochets":')


def test_the_last_of_equal_keys_is_meant() -> None:
    text = '{"a": 1, "a": 2}'
    assert json_text.replace_value(text, ("a",), 3) == '{"a": 1, "a": 3}'
    assert json_text.cut(text, ("a",))[0] == '{"a": 1}'


def test_a_way_that_leads_nowhere_is_an_error() -> None:
    for pointer in (("b",), ("a", "b"), ("a", 0)):
        with pytest.raises(KeyError):
            json_text.cut('{"a": 1}', pointer)


@pytest.mark.parametrize("line", ["\n", "\r\n"])
def test_a_pair_added_behind_a_comment_can_be_taken_away(line: str) -> None:
    text = f'{{"a": 1 // why,{line}}}{line}'
    more = json_text.insert(text, ("b",), False)
    assert json.loads(uncommented(more)) == {"a": 1, "b": False}
    assert json_text.cut(more, ("b",))[0] == text
