import json
import time
from collections.abc import Callable

import pytest

from cli.conftest import Place, Result

Run = Callable[..., Result]
BASH = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
USER = "~/.config/omnihook/hooks.toml"
FIELDS = {
    "schema", "decision", "reason", "continue", "stop_reason", "updated_input", "updated_output",
    "additional_context", "system_message", "suppress_output", "lowered", "runs",
}  # fmt: skip
RUN_FIELDS = {
    "hook", "event", "source", "dialect", "status", "why", "pass", "exit_code", "signal", "duration_ms",
    "stdout", "stderr", "verdict", "error",
}  # fmt: skip


def hook(run: str, **keys: object) -> str:
    lines = [f"{key} = {value if not isinstance(value, str) else repr(value)}" for key, value in keys.items()]
    return "\n".join(["[[hook]]", *lines, f"run = '''{run}'''", ""])


def test_the_json_shape(place: Place, omnihook: Run) -> None:
    place.write(USER, hook("echo no >&2; exit 2", name="n", on="PreToolUse"))
    found = omnihook("fire", "PreToolUse", "--json", stdin=BASH)
    assert found.code == 0
    assert set(found.json) >= FIELDS
    runs = found.json["runs"]
    assert isinstance(runs, list)
    assert set(runs[0]) >= RUN_FIELDS
    assert (found.json["schema"], found.json["decision"], found.json["reason"]) == (1, "block", "no")
    assert (runs[0]["hook"], runs[0]["status"], runs[0]["exit_code"]) == ("n", "blocked", 2)
    assert runs[0]["source"] == f"{place.home}/.config/omnihook/hooks.toml:1"


def test_nothing_configured_is_no_opinion(place: Place, omnihook: Run) -> None:
    found = omnihook("fire", "PreToolUse", "--json", stdin=BASH)
    assert (found.code, found.json["decision"], found.json["runs"]) == (0, None, [])


def test_an_untrusted_project_hook_is_skipped_and_says_so(place: Place, omnihook: Run) -> None:
    place.write(".omnihook/hooks.toml", hook("touch ran", name="p", on="PreToolUse"))
    runs = omnihook("fire", "PreToolUse", "--json", stdin=BASH).json["runs"]
    assert isinstance(runs, list)
    assert [(run["hook"], run["status"], run["why"]) for run in runs] == [("p", "skipped", "untrusted")]
    assert not (place.project / "ran").exists()
    omnihook("fire", "PreToolUse", "--trust-project", stdin=BASH)
    assert (place.project / "ran").exists()


def test_exit_code_answers_as_the_dialect_would(place: Place, omnihook: Run) -> None:
    place.write(USER, hook("echo no >&2; exit 2", name="n", on="PreToolUse"))
    found = omnihook("fire", "PreToolUse", "--exit-code", stdin=BASH)
    assert (found.code, found.err) == (2, "no\n")
    settings = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}}
    place.write("~/.claude/settings.json", settings)
    found = omnihook("fire", "PreToolUse", "--as", "claude-code", "--exit-code", stdin=BASH)
    assert found.code == 0
    assert '"permissionDecision":"deny"' in found.out


def test_a_file_named_on_the_command_line(place: Place, omnihook: Run) -> None:
    path = place.write("elsewhere.toml", hook("echo hi", name="n", on="SessionStart"))
    found = omnihook("fire", "SessionStart", "--config", str(path), "--json")
    assert found.json["additional_context"] == "hi"
    settings = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}
    other = place.write("s.json", settings)
    assert omnihook("fire", "Stop", "--config", f"claude-code:{other}", "--json").json["decision"] == "block"
    assert omnihook("fire", "Stop", "--config", str(other), "--json").json["decision"] == "block"


@pytest.mark.parametrize(
    ("args", "stdin", "code", "said"),
    [
        (["PreTolUse"], "", 1, "did you mean 'PreToolUse'?"),
        (["PreToolUse", "--as", "claud-code"], "", 1, "did you mean 'claude-code'?"),
        (["PreToolUse"], "not json", 1, "not a JSON object"),
        (["PreToolUse"], "[1]", 1, "not a JSON object"),
        (["PreToolUse", "--nope"], "", 2, "No such option"),
        ([], "", 2, "Missing argument"),
    ],
)
def test_bad_input_is_one_clear_sentence(omnihook: Run, args: list[str], stdin: str, code: int, said: str) -> None:
    found = omnihook("fire", *args, stdin=stdin)
    assert found.code == code
    assert said in found.err
    assert "Traceback" not in found.err


def test_missing_common_fields_are_filled_in(place: Place, omnihook: Run) -> None:
    place.write(USER, hook("cat", name="n", on="SessionStart"))
    found = omnihook("fire", "SessionStart", "--json", stdin={"source": "startup"})
    runs = found.json["runs"]
    assert isinstance(runs, list)
    assert f'"cwd":"{place.project}"' in str(runs[0]["stdout"])


def test_broken_files_are_reported_and_the_rest_runs(place: Place, omnihook: Run) -> None:
    place.write(USER, hook("exit 2", name="n", on="PreToolUse"))
    place.write(".omnihook/hooks.toml", "[[hook]\n")
    found = omnihook("fire", "PreToolUse", "--json", stdin=BASH)
    assert found.json["decision"] == "block"
    assert f"{place.project}/.omnihook/hooks.toml:1" in found.err


def test_people_see_what_ran(place: Place, omnihook: Run) -> None:
    place.write(USER, hook("exit 2", name="n", on="PreToolUse") + hook("no-such-thing", name="b", on="PreToolUse"))
    found = omnihook("fire", "PreToolUse", stdin=BASH)
    assert found.out.startswith("PreToolUse: block (exit 2 with no message)\n")
    assert "n.............................................blocked" in found.out
    assert "broken" in found.out


def test_async_hooks_survive_the_command(place: Place, omnihook: Run) -> None:
    place.write(USER, hook("sleep 0.5; touch late", name="n", on="Stop", **{"async": "x"}).replace("'x'", "true"))
    begun = time.monotonic()
    found = omnihook("fire", "Stop", "--json")
    assert time.monotonic() - begun < 2
    runs = found.json["runs"]
    assert isinstance(runs, list)
    assert runs[0]["status"] == "late"
    for _ in range(100):
        if (place.project / "late").exists():
            return
        time.sleep(0.1)
    raise AssertionError("the background hook did not run")


def test_what_an_async_hook_said_later_is_in_the_journal(place: Place, omnihook: Run) -> None:
    later = """[[hook]]
name = "later"
on = ["PostToolUse", "FileModified"]
async = true
run = "sleep 0.3; echo told; exit 7"
"""
    place.write(USER, later)
    payload = {"session_id": "s", "tool_name": "Write", "tool_input": {"file_path": "a.py"}, "tool_response": {}}
    assert omnihook("fire", "PostToolUse", "--json", stdin=payload).code == 0
    for _ in range(100):
        records = json.loads(omnihook("log", "--json").out)
        if all(record["late"] for record in records):
            break
        time.sleep(0.1)
    assert [record["event"] for record in records] == ["PostToolUse", "FileModified"]
    for record in records:
        ((run,), (late,)) = record["runs"], record["late"]
        assert (run["hook"], run["status"], record["decision"]) == ("later", "late", None)
        assert (late["hook"], late["status"], late["stdout"], late["exit_code"]) == ("later", "broken", "told\n", 7)
        shown = omnihook("show", record["id"])
        assert "hook later: broken" in shown.out
        assert omnihook("show", record["id"], "--json").json["late"] == record["late"]
    assert omnihook("log").out.count("later later broken") == 2
    (stats,) = omnihook("log", "--stats", "--json").json["hooks"]  # type: ignore[misc]  # a list
    assert (stats["hook"], stats["runs"], stats["failures"]) == ("later", 2, 2)


def test_comments_in_a_json_file_are_fine(place: Place, omnihook: Run) -> None:
    text = """// mine
{"hooks": {"Stop": [{"hooks": [
  /* blocks */ {"type": "command", "command": "echo 'a // b' >&2; exit 2"} // here
]}]}}"""
    place.write("~/.claude/settings.json", text)
    found = omnihook("fire", "Stop", "--as", "claude-code", "--json")
    assert (found.json["decision"], found.json["reason"], found.err) == ("block", "a // b", "")
    assert omnihook("disable", "Stop:1", "--as", "claude-code").code == 0
    assert "// mine" in (place.home / ".claude/settings.json").read_text()
    assert omnihook("enable", "Stop:1", "--as", "claude-code").code == 0
    assert (place.home / ".claude/settings.json").read_text() == text
