"""The Nth system call of a kind fails while a file is edited: it is whole, and its hook is in it or kept aside."""

from pathlib import Path

import pytest

from editing.kit import Scratch, at
from failing_calls import trials
from omnihook.editing import changing, setting_aside
from omnihook.editing.keeping import Ledger

REFUSED = 4
TEXTS = {
    "claude-code": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}\n',
    "omnihook": '# mine\n[[hook]]\non = "Stop"\nrun = "a"\n',
}
CODE = f"""
from editing.kit import at
from editing.test_failing_calls import TEXTS
from omnihook.editing import changing
from omnihook.errors import ConfigError
def trial(argument):
    folder, _, name = argument.partition("|")
    for one in (name,) if name else TEXTS:
        place = at(folder, one)
        if not name:
            place.write(TEXTS[one])
        try:
            hooks = place.hooks
        except OSError:  # the test's own reading
            return {REFUSED}
        try:
            changing.disable(hooks[0], place.dialect, place.folders, label="Stop:1")
        except ConfigError as error:
            assert place.folders.home in str(error), error
            return {REFUSED}
    return 0
"""
CALLS = {
    "openat": ("EIO", "ENOSPC", "EINTR"),
    "write": ("EIO", "ENOSPC", "EINTR"),
    "fsync": ("EIO", "EINTR"),
    "rename": ("EIO", "ENOSPC"),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("call", CALLS)
def test_the_nth_failing_call_tears_no_file_and_loses_no_hook(tmp_path: Path, name: str, call: str) -> None:
    (tmp_path / "warm").mkdir()
    with trials(CODE, tmp_path / "warm") as template:
        for number in range(1, 13):
            error = CALLS[call][number % len(CALLS[call])]
            folder = tmp_path / f"{error}-{number}"
            folder.mkdir()
            place = at(str(folder), name)
            place.write(TEXTS[name])
            code = template.run(f"{folder}|{name}", call, error, number)
            assert code in (0, REFUSED), (call, error, number)
            comes_back(place, TEXTS[name], disabled=code == 0)


def comes_back(place: Scratch, text: str, *, disabled: bool) -> None:
    """The hook is disabled if that was said; enabling it gives it back either way, and nothing is left over."""
    if disabled:
        assert not any(hook.enabled for hook in place.hooks)
    for kept in Ledger(place.folders.state).read().kept:
        setting_aside.enable(kept, place.dialect, place.folders)
    for hook in place.hooks:
        changing.enable(hook, place.dialect, place.folders)
    # Where the edit could not be remembered, undoing it is right and not byte for byte.
    assert place.bytes.decode() in (text, text + "enabled = true\n")
    left = [path.name for path in Path(place.folders.home).rglob("*.tmp")]
    assert left == []
