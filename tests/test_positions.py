import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omnihook.positions import find_json, line_of, locate, uncommented
from strategies import json_values

TEXT = """\
{
  // a comment with "quotes" and { braces
  "hooks": {
    "Stop": [
      {"hooks": [{"command": "a"}, {"command": "b}"}]} /* , */,
      5
    ]
  }
}
"""


@pytest.mark.parametrize(
    ("pointer", "line", "column"),
    [
        (("hooks",), 3, 3),
        (("hooks", "Stop", 0, "hooks", 1), 5, 36),
        (("hooks", "Stop", 1), 6, 7),
        (("hooks", "Stop", 0, "hooks", 1, "missing"), 5, 36),
    ],
)
def test_json_positions(pointer: tuple[str | int, ...], line: int, column: int) -> None:
    assert locate("x.json", TEXT, pointer) == (line, column)


TOML = """\
# first
enabled = true

[[hook]]
on = "Stop"

  [[hook]]
  name = "b"
  timeout = "1x"
"""


@pytest.mark.parametrize(
    ("pointer", "line", "column"),
    [(("enabled",), 2, 1), (("hook", 0), 4, 1), (("hook", 1), 7, 3), (("hook", 1, "timeout"), 9, 3)],
)
def test_toml_positions(pointer: tuple[str | int, ...], line: int, column: int) -> None:
    assert locate("x.toml", TOML, pointer) == (line, column)


FRONTMATTER = """\
---
name: s
hooks:
  Stop:
    - matcher: a
      hooks: [{type: command}]
---
hooks: here are none
"""


@pytest.mark.parametrize(
    ("pointer", "line", "column"),
    [
        (("hooks",), 3, 1),
        (("hooks", "Stop", 0, "matcher"), 5, 7),
        (("hooks", "Stop", 0, "hooks", 0, "type"), 6, 16),
        (("hooks", "Stop", 0, "hooks", 0, "command"), 6, 15),
    ],
)
def test_frontmatter_positions(pointer: tuple[str | int, ...], line: int, column: int) -> None:
    assert locate("x.md", FRONTMATTER, pointer) == (line, column)


@pytest.mark.parametrize(
    "text", ["", "---", "---\na: [\n---\n", "words\n", "---\na: &a [*a]\n? [x]\n: y\n---\n", "---\n&a [*a, *a]\n---\n"]
)
def test_odd_frontmatter_has_no_such_place(text: str) -> None:
    assert locate("x.md", text, ("b", 0)) is None


@pytest.mark.timeout(5)
def test_endless_frontmatter_is_not_read_for_a_place() -> None:
    text = "---\n" + "a: [1, {b: c}]\n" * 200_000 + "---\n"
    assert (locate("x.md", text, ("a", 0)), locate("x.md", text[:90_000] + "---\n", ())) == (None, None)


@given(st.dictionaries(st.text(max_size=5), json_values, max_size=4), st.sampled_from([None, 2]))
def test_every_value_is_found_where_it_stands(document: dict[str, object], indent: int | None) -> None:
    text = json.dumps(document, indent=indent)
    for key, value in document.items():
        span = find_json(text, (key,))
        assert span is not None
        assert json.loads(text[span.start : span.end]) == value


@given(st.text('{}[]":,/*\\ a\n', max_size=40))
def test_broken_text_is_no_error(text: str) -> None:
    find_json(text, ("a", 0, "b"))
    locate("x.toml", text, ("hook", 0, "a"))


@given(st.dictionaries(st.text(max_size=6), json_values, max_size=4))
def test_json_without_comments_is_left_alone(document: dict[str, object]) -> None:
    text = json.dumps(document)
    assert uncommented(text) == text


def test_comments_are_blanked_where_they_stand() -> None:
    text = '{"a": "// no", // yes\n "b": /* x\n y */ 2}'
    made = uncommented(text)
    assert json.loads(made) == {"a": "// no", "b": 2}
    assert (len(made), made.count("\n")) == (len(text), text.count("\n"))


def test_lines_count_from_one() -> None:
    assert line_of("ab\ncd", 4) == (2, 2)
