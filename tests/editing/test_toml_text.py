"""Splicing TOML text: tables and pairs are found where a parser finds them, whatever stands around them."""

import tomllib

import pytest

from omnihook.editing import toml_text

TEXT = '''\
# hooks of mine

[[hook]]
name = "a" # its name
on = ["Stop", # both
  "B]"]
run = """
[[hook]]
enabled = true
"""

# about b
[[hook]]
on = "Stop"
"run" = 'x # no comment'
[hook.env]
A = "1"
[[hook.case]]
expect = "none"

[model]
name = "x"

[[hook]]
on="Stop"
run="z"
'''
LAYOUTS = {
    "plain": TEXT,
    "no line break at the end": TEXT[:-1],
    "windows": TEXT.replace("\n", "\r\n"),
    "a comment at the end": TEXT + "# end\n",
    "blank lines at the end": TEXT + "\n\n",
    "only hooks": '[[hook]]\non = "Stop"\nrun = "a"\n\n[[hook]]\non = "Stop"\nrun = "b"',
}
each = pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS.keys())


@each
def test_pairs_are_added_to_their_table_and_taken_away(text: str) -> None:
    for number in range(len(tomllib.loads(text)["hook"])):
        pointer = ("hook", number, "enabled")
        more = toml_text.insert(text, pointer, False)
        wanted = tomllib.loads(text)
        wanted["hook"][number]["enabled"] = False
        assert tomllib.loads(more) == wanted
        assert toml_text.drop(more, pointer) == text


@each
def test_pairs_of_the_document_come_before_the_tables(text: str) -> None:
    more = toml_text.insert(text, ("enabled",), False)
    assert tomllib.loads(more) == {**tomllib.loads(text), "enabled": False}
    assert toml_text.drop(more, ("enabled",)) == text


@each
def test_tables_are_appended_and_cut(text: str) -> None:
    count = len(tomllib.loads(text)["hook"])
    entry = {"on": "Stop", "run": 'a "quoted" \\ word', "paths": ["x", "y"], "a key": 1}
    more = toml_text.insert(text, ("hook", count), entry)
    assert tomllib.loads(more)["hook"][count] == entry
    assert toml_text.cut(more, ("hook", count)) == text


@each
def test_cutting_a_table_takes_what_is_inside_it_and_nothing_else(text: str) -> None:
    for number in range(len(tomllib.loads(text)["hook"])):
        wanted = tomllib.loads(text)
        del wanted["hook"][number]
        less = toml_text.cut(text, ("hook", number))
        assert tomllib.loads(less) == wanted
        assert less.count("# hooks of mine") == text.count("# hooks of mine")
        assert less.count("# about b") == text.count("# about b")


def test_values_are_replaced_in_place() -> None:
    assert toml_text.replace_value(TEXT, ("hook", 0, "name"), "b") == TEXT.replace('"a" # its', '"b" # its')
    assert toml_text.replace_value(TEXT, ("hook", 2, "run"), True) == TEXT.replace('run="z"', "run=true")
    assert toml_text.find_value(TEXT, ("hook", 0, "enabled")) is None
    start, end = toml_text.find_value(TEXT, ("hook", 0, "on")) or (0, 0)
    assert TEXT[start:end] == '["Stop", # both\n  "B]"]'


def test_a_new_file_begins_with_the_table() -> None:
    assert toml_text.insert("", ("hook", 0), {"on": "Stop"}) == '[[hook]]\non = "Stop"\n'
    assert toml_text.insert("", ("enabled",), False) == "enabled = false\n"
