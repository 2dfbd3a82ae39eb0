"""Splicing TOML whose hooks are one value: every layout parses afterwards, and what was added can be taken away."""

import tomllib

import pytest

from editing.kit import scratch
from omnihook.editing import changing, toml_inline
from omnihook.editing.adding import Request, add, draft
from omnihook.hooks import Command

LAYOUTS = {
    "one line": 'hook = [{ on = "Stop", run = "a" }, { on = "Stop", run = "b" }, {on="Stop",run="c"}]\n',
    "lines": """# mine
hook = [ # all of them
    { on = "Stop", run = "a }, {" },   # the first
    { on = ["Stop", "SessionEnd"], run = 'b # "', env = { A = "1" } },
    # about c
    { on = "Stop", run = "c", paths = ["x", "y]"] }, # trailing
]
[model]
name = "m"
""",
    "no comma at the end": 'hook = [\n  {run = "a", on = "Stop"},\n  {on = "Stop", run = "b"},\n'
    '  {run = "c", on = "Stop"}\n]',
    "windows": 'enabled = true\r\nhook = [\r\n  { on = "Stop", run = "a" },\r\n  { on = "Stop", run = "b" },\r\n'
    '  { on = "Stop", run = "c" },\r\n]\r\n',
}
each = pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS.keys())


@each
@pytest.mark.parametrize("number", range(3))
def test_pairs_are_added_changed_and_taken_away(text: str, number: int) -> None:
    pointer = ("hook", number, "enabled")
    more = toml_inline.insert(text, pointer, False)
    wanted = tomllib.loads(text)
    wanted["hook"][number]["enabled"] = False
    assert tomllib.loads(more) == wanted
    assert toml_inline.drop(more, pointer) == text
    wanted["hook"][number]["enabled"] = True
    assert tomllib.loads(toml_inline.replace_value(more, pointer, True)) == wanted


@each
def test_every_pair_can_be_dropped(text: str) -> None:
    for number, table in enumerate(tomllib.loads(text)["hook"]):
        for key in table:
            wanted = tomllib.loads(text)
            del wanted["hook"][number][key]
            assert tomllib.loads(toml_inline.drop(text, ("hook", number, key))) == wanted


@each
@pytest.mark.parametrize("number", range(3))
def test_a_table_is_cut_out_and_comments_stay(text: str, number: int) -> None:
    made = toml_inline.cut(text, ("hook", number))
    wanted = tomllib.loads(text)
    del wanted["hook"][number]
    assert tomllib.loads(made) == wanted
    said = ("# mine", "# all of them", "# the first", "# about c", "# trailing")
    assert [words in made for words in said] == [words in text for words in said]


@each
def test_tables_are_cut_out_until_none_is_left_and_one_is_added(text: str) -> None:
    made = text
    for _ in range(3):
        made = toml_inline.cut(made, ("hook", 0))
    assert tomllib.loads(made) == {**tomllib.loads(text), "hook": []}
    entry = {"on": "Stop", "run": "new"}
    assert tomllib.loads(toml_inline.insert(made, ("hook", 0), entry))["hook"] == [entry]


@each
def test_a_table_is_added_at_the_end(text: str) -> None:
    entry = {"on": "Stop", "run": 'n "'}
    made = toml_inline.insert(text, ("hook", 3), entry)
    wanted = tomllib.loads(text)
    assert tomllib.loads(made) == {**wanted, "hook": [*wanted["hook"], entry]}


@each
def test_hooks_are_disabled_enabled_added_and_removed(text: str) -> None:
    with scratch("omnihook", text) as place:
        for number in range(3):
            changing.disable(place.hooks[number], place.dialect, place.folders, label="x")
            assert [hook.enabled for hook in place.hooks] == [n != number for n in range(3)]
            changing.enable(place.hooks[number], place.dialect, place.folders)
            assert place.bytes.decode() == text
        request = Request(on=("Stop",), run=Command(command="echo new"))
        (hook,) = add(request, draft(request, place.dialect), place.target, place.folders)
        assert len(place.hooks) == 4
        changing.remove(hook, place.dialect, place.folders)
        assert place.bytes.decode() == text
        changing.remove(place.hooks[1], place.dialect, place.folders)
        assert [hook.action for hook in place.hooks][1] == Command(command="c")


COMMENTED = {
    "comma and comment": (
        'hook = [\n  { on = "Stop", run = "a" }, # mine\n]\n',
        'hook = [\n  { on = "Stop", run = "a" }, # mine\n  { run = "b" },\n]\n',
    ),
    "comment": (
        'hook = [\n  { on = "Stop", run = "a" } # mine\n  # the end\n]\n',
        'hook = [\n  { on = "Stop", run = "a" }, # mine\n  { run = "b" }\n  # the end\n]\n',
    ),
    "nothing but a comment": (
        "hook = [ # none yet\n]\n",
        'hook = [ # none yet\n  { run = "b" }\n]\n',
    ),
    "one line": (
        'hook = [{ on = "Stop", run = "a" } # mine\n]\n',
        'hook = [{ on = "Stop", run = "a" }, # mine\n  { run = "b" }\n]\n',
    ),
}


@pytest.mark.parametrize("line", ["\n", "\r\n"], ids=["unix", "windows"])
@pytest.mark.parametrize(("text", "wanted"), COMMENTED.values(), ids=COMMENTED.keys())
def test_a_comment_stays_with_its_hook_and_line_breaks_stay_alike(text: str, wanted: str, line: str) -> None:
    made = toml_inline.insert(text.replace("\n", line), ("hook", 1), {"run": "b"})
    assert made == wanted.replace("\n", line)
    tomllib.loads(made)


def test_a_hook_added_to_lines_of_windows_ends_as_they_do() -> None:
    made = toml_inline.insert(LAYOUTS["windows"], ("hook", 3), {"run": "d"})
    assert made.count("\n") == made.count("\r\n") == LAYOUTS["windows"].count("\n") + 1
