"""Trying a hook from the manager: real processes, whatever the matcher, and none left behind."""

import os
import time

from manager.kit import Place, Screen

SLOW = "echo $$ > {pid}; exec sleep 60"


def _config(*commands: str, **more: object) -> dict[str, object]:
    return {"hooks": {"hooks": [{"event": "pre-tool", "command": command, **more} for command in commands]}}


def test_a_disabled_hook_with_another_matcher_is_run_and_its_output_shown(place: Place) -> None:
    place.write("~/.autohand/config.json", _config("cut -c 2-30; echo oops >&2", enabled=False, matcher="^nothing$"))

    async def steps(screen: Screen) -> None:
        await screen.press("t")
        await screen.until(
            "result ok, exit 0", "verdict no opinion", "stderr oops", 'output "session_id":"sample-session"'
        )
        assert 'tool_name: "nothing"' in screen.text

    place.drive(steps, "autohand")


def test_refusals_and_breakage_are_told_apart(place: Place) -> None:
    place.write("~/.autohand/config.json", _config("echo no way >&2; exit 2", "nosuchprogram"))

    async def steps(screen: Screen) -> None:
        await screen.press("enter")
        await screen.until("result blocked, exit 2", "verdict block: no way")
        await screen.press("escape", "down", "enter")
        await screen.until("broken exit 127", "verdict no opinion")
        await screen.press("r")
        await screen.until("broken exit 127")

    place.drive(steps, "autohand")


def test_leaving_ends_a_hook_that_is_still_running(place: Place) -> None:
    pid = place.top / "pid"
    place.write("~/.autohand/config.json", _config(SLOW.format(pid=pid), timeout=60_000))

    async def steps(screen: Screen) -> None:
        await screen.press("t")
        await screen.until("Running ...")
        deadline = time.monotonic() + 10
        while not (pid.exists() and pid.read_text()):
            assert time.monotonic() < deadline
            await screen.pilot.pause(0.02)
        await screen.press("escape")
        while _alive(int(pid.read_text())):
            assert time.monotonic() < deadline + 5
            await screen.pilot.pause(0.02)

    place.drive(steps, "autohand")


def test_an_untrusted_hook_is_not_run(place: Place) -> None:
    mark = place.top / "ran"
    place.write(".omnihook/hooks.toml", f'[[hook]]\non = "Stop"\nrun = "touch {mark}"\n')

    async def steps(screen: Screen) -> None:
        await screen.press("t")
        await screen.until("not run", "it is untrusted")

    place.drive(steps)
    assert not mark.exists()


def _alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
    finally:
        os.sched_yield()
