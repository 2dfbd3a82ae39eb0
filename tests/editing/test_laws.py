"""Laws of editing, over generated files of every dialect: bytes come back, and other hooks are left alone."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from editing.kit import NAMES, Scratch, files, scratch
from omnihook import dialects
from omnihook.editing import changing, setting_aside
from omnihook.editing.adding import Request, add, draft
from omnihook.editing.keeping import Ledger
from omnihook.editing.reading import bare, digest
from omnihook.hooks import Command, Hook

every = pytest.mark.parametrize("name", NAMES)
some = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


def disable(place: Scratch, hook: Hook) -> None:
    changing.disable(hook, place.dialect, place.folders, label=hook.name)


def enable(place: Scratch, wanted: str) -> None:
    """Enable the hook of that digest, wherever it is."""
    kept = next((item for item in Ledger(place.folders.state).read().kept if item.digest == wanted), None)
    if kept is not None:
        setting_aside.enable(kept, place.dialect, place.folders)
        return
    hook = next(hook for hook in place.hooks if digest(hook, place.dialect) == wanted)
    changing.enable(hook, place.dialect, place.folders)


@every
@some
@given(data=st.data())
def test_enabling_what_was_disabled_gives_the_bytes_back(name: str, data: st.DataObject) -> None:
    text = data.draw(files(name))
    with scratch(name, text) as place:
        on = [hook for hook in place.hooks if hook.enabled]
        for hook in on:
            before = place.bytes
            disable(place, hook)
            assert place.bytes != before
            enable(place, digest(hook, place.dialect))
            assert place.bytes == before == text.encode()


@every
@some
@given(data=st.data())
def test_the_order_of_disabling_and_enabling_does_not_matter(name: str, data: st.DataObject) -> None:
    text = data.draw(files(name))
    with scratch(name, text) as place:
        wanted = [digest(hook, place.dialect) for hook in place.hooks if hook.enabled]
        for one in data.draw(st.permutations(wanted)):
            disable(place, next(hook for hook in place.hooks if digest(hook, place.dialect) == one))
        assert not any(hook.enabled for hook in place.hooks)
        for one in data.draw(st.permutations(wanted)):
            enable(place, one)
        assert place.bytes.decode() == text
        assert Ledger(place.folders.state).read().kept == ()


@every
@some
@given(data=st.data())
def test_toggles_in_any_sequence_that_ends_enabled_give_the_bytes_back(name: str, data: st.DataObject) -> None:
    text = data.draw(files(name))
    with scratch(name, text) as place:
        wanted = [digest(hook, place.dialect) for hook in place.hooks if hook.enabled]
        off: list[str] = []
        for one in data.draw(st.lists(st.sampled_from(wanted), max_size=12) if wanted else st.just([])):
            if one in off:
                enable(place, one)
                off.remove(one)
            else:
                disable(place, next(hook for hook in place.hooks if digest(hook, place.dialect) == one))
                off.append(one)
            held = [digest(hook, place.dialect) for hook in place.hooks if hook.enabled]
            assert held == [other for other in wanted if other not in off]
        for one in data.draw(st.permutations(off)):
            enable(place, one)
        assert place.bytes.decode() == text
        assert Ledger(place.folders.state).read().kept == ()


@every
@some
@given(data=st.data())
def test_hooks_come_back_in_order_though_the_file_was_edited_meanwhile(name: str, data: st.DataObject) -> None:
    with scratch(name, data.draw(files(name))) as place:
        before = place.hooks
        wanted = [digest(hook, place.dialect) for hook in before if hook.enabled]
        for one in data.draw(st.permutations(wanted)):
            disable(place, next(hook for hook in place.hooks if digest(hook, place.dialect) == one))
            place.write(place.bytes.decode() + "\n")
        for one in data.draw(st.permutations(wanted)):
            enable(place, one)
        assert [digest(hook, place.dialect) for hook in place.hooks] == [digest(h, place.dialect) for h in before]
        assert [hook.enabled for hook in place.hooks] == [hook.enabled for hook in before]


@every
@some
@given(data=st.data())
def test_disabling_leaves_every_other_hook_as_it_was(name: str, data: st.DataObject) -> None:
    with scratch(name, data.draw(files(name))) as place:
        before = place.hooks
        chosen = data.draw(st.integers(0, len(before) - 1))
        disable(place, before[chosen])
        after = place.hooks
        if place.dialect.editing.enabled is None:
            assert [bare(h) for h in after] == [bare(h) for n, h in enumerate(before) if n != chosen]
        else:
            assert [h.enabled for h in after] == [h.enabled and n != chosen for n, h in enumerate(before)]
            others = [(bare(a), bare(b)) for n, (a, b) in enumerate(zip(before, after, strict=True)) if n != chosen]
            assert all(one == other for one, other in others)


@every
@some
@given(data=st.data())
def test_removing_what_was_added_gives_the_bytes_back(name: str, data: st.DataObject) -> None:
    text = data.draw(files(name))
    event = data.draw(st.sampled_from(["Stop", "UserPromptSubmit"]))
    with scratch(name, text) as place:
        request = Request(on=(event,), run=Command(command="echo new"), timeout=data.draw(st.none() | st.just(2.5)))
        (hook,) = add(request, draft(request, place.dialect), place.target, place.folders)
        assert [h.action for h in place.hooks].count(Command(command="echo new")) == 1
        changing.remove(hook, place.dialect, place.folders)
        assert place.bytes.decode() == text


@every
@some
@given(data=st.data())
def test_removing_without_memory_leaves_the_same_hooks(name: str, data: st.DataObject) -> None:
    with scratch(name, data.draw(files(name))) as place:
        before = place.hooks
        request = Request(on=("Stop",), run=Command(command="echo new"))
        (hook,) = add(request, draft(request, place.dialect), place.target, place.folders)
        Path(place.folders.state, "edits.json").unlink()
        changing.remove(hook, place.dialect, place.folders)
        assert [bare(hook) for hook in place.hooks] == [bare(hook) for hook in before]


@every
@some
@given(data=st.data())
def test_removing_every_hook_leaves_none_and_all_else(name: str, data: st.DataObject) -> None:
    with scratch(name, data.draw(files(name))) as place:
        problems = {item.message for item in place.target.read(place.bytes.decode()).diagnostics}
        while place.hooks:
            changing.remove(place.hooks[0], place.dialect, place.folders)
        after = place.target.read(place.bytes.decode())
        assert {item.message for item in after.diagnostics} <= problems


@pytest.mark.parametrize("name", [name for name in NAMES if dialects.get(name).editing.switch is not None])
@some
@given(data=st.data())
def test_on_after_off_gives_the_bytes_back(name: str, data: st.DataObject) -> None:
    text = data.draw(files(name))
    with scratch(name, text) as place:
        assert changing.switch(place.target, place.folders, on=False).changed
        said = place.target.read(place.bytes.decode()).settings[place.target.layer]
        assert said.disable_all or not said.enabled
        assert not changing.switch(place.target, place.folders, on=False).changed
        assert changing.switch(place.target, place.folders, on=True).changed
        assert place.bytes.decode() == text
