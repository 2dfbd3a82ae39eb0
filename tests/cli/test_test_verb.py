"""test HOOK and test --all in a scratch home, with real hooks."""

import json
import time
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from cli.conftest import Place, Result
from omnihook import dialects
from omnihook.dialect import native_name
from omnihook.events import EVENTS
from omnihook.trying.samples import sample

Run = Callable[..., Result]
USER = "~/.config/omnihook/hooks.toml"


def native(name: str, **more: object) -> str:
    pairs = {"name": name, "on": "PreToolUse", **more}
    return "[[hook]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in pairs.items())


def test_a_hook_runs_whatever_its_matcher_rule_paths_and_switch(place: Place, omnihook: Run) -> None:
    deny = "echo no >&2; exit 2"
    never = {"match": "mcp__x__y", "if": "Bash(never this)", "paths": ["nowhere/*.x"], "enabled": False}
    place.write(USER, native("a", run=deny, mode="shadow", once=True, **never))
    for _ in range(2):
        found = omnihook("test", "a", "--json")
        assert found.code == 0
        assert (found.json["status"], found.json["exit_code"], found.json["stderr"]) == ("blocked", 2, "no\n")
        verdict = found.json["verdict"]
        assert isinstance(verdict, dict)
        assert (verdict["decision"], verdict["reason"]) == ("block", "no")


def test_what_people_see(place: Place, omnihook: Run) -> None:
    place.write(USER, native("a", run="echo hello; echo oh >&2; exit 2"))
    lines = omnihook("test", "a").out.splitlines()
    assert lines[0] == "PreToolUse:1 (a) on PreToolUse"
    assert lines[1].startswith("  exit 2 after ")
    assert lines[2:] == ["  output: hello", "  stderr: oh", "  verdict: block (oh)"]


def test_a_background_hook_is_waited_for(place: Place, omnihook: Run) -> None:
    place.write(USER, '[[hook]]\nname = "a"\non = "Stop"\nasync = true\nrun = "sleep 0.2; echo done"\n')
    assert "  output: done" in omnihook("test", "a").out


BROKEN = {
    "no such program": ("/no/such/program", "127"),
    "bad reply": ("echo '{\"decision\": 5}'", "decision"),
    "too slow": ("sleep 5", "0.2"),
    "other exit": ("exit 7", "exit 7"),
}


@pytest.mark.parametrize(("command", "said"), BROKEN.values(), ids=BROKEN.keys())
def test_what_broke_is_said(place: Place, omnihook: Run, command: str, said: str) -> None:
    place.write(USER, native("a", run=command, timeout="200ms"))
    begun = time.monotonic()
    found = omnihook("test", "a")
    assert (found.code, time.monotonic() - begun < 4) == (1, True)
    broken = next(line for line in found.out.splitlines() if line.startswith("  broken: "))
    assert said in broken
    assert omnihook("test", "a", "--json").json["error"]


def test_the_sample_is_one_the_hook_is_meant_for(place: Place, omnihook: Run) -> None:
    hooks = [
        {"event": "pre-tool", "command": "cat >&2", "matcher": "^write_file$"},
        {"event": "file-modified", "command": "cat >&2", "filter": {"path": ["docs/**/*.md"]}},
        {"event": "stop", "command": "cat >&2"},
    ]
    place.write("~/.autohand/config.json", {"hooks": {"hooks": hooks}})
    seen = [
        json.loads(str(omnihook("test", hook, "--as", "autohand", "--json").json["stderr"]))
        for hook in ("pre-tool:1", "file-modified:1", "stop:1")
    ]
    assert seen[0]["tool_name"] == "write_file"
    assert seen[0]["tool_input"] == {"path": str(place.project / "src/example.py"), "content": "answer = 42\n"}
    assert seen[1]["file_path"] == str(place.project / "docs/example.md")
    assert (seen[2]["hook_event_name"], seen[2]["tokens_used"], seen[2]["turn_duration"]) == ("stop", 1500, 12500)


def test_another_event_and_another_payload(place: Place, omnihook: Run) -> None:
    place.write(USER, native("a", run="cat >&2", on=["PreToolUse", "Stop"]))
    told = json.loads(str(omnihook("test", "a", "--event", "Stop", "--json").json["stderr"]))
    assert told["hook_event_name"] == "Stop"
    payload = {"tool_name": "Bash", "tool_input": {"command": "rm x"}, "session_id": "s"}
    told = json.loads(str(omnihook("test", "a", "--payload", "-", "--json", stdin=payload).json["stderr"]))
    assert (told["tool_input"], told["session_id"]) == ({"command": "rm x"}, "s")
    file = place.write("event.json", payload)
    told = json.loads(str(omnihook("test", "a", "--payload", str(file), "--json").json["stderr"]))
    assert told["tool_input"] == {"command": "rm x"}
    file.write_text("nonsense")
    for path in (str(file), "/no/such/file"):
        wrong = omnihook("test", "a", "--payload", path)
        assert (wrong.code, path in wrong.err) == (1, True)
    assert omnihook("test", "a", "--event", "Nonsense").code == 1


def test_wrong_usage(place: Place, omnihook: Run) -> None:
    assert omnihook("test").code == 2
    assert omnihook("test", "a", "--all").code == 2
    assert omnihook("test", "a", "--junit", "x").code == 2
    assert omnihook("test", "a").code == 1


def test_an_untrusted_hook_is_not_run(place: Place, omnihook: Run) -> None:
    place.write(".omnihook/hooks.toml", native("a", run="touch ran") + '[[hook.case]]\nexpect = "none"\n')
    found = omnihook("test", "a")
    assert (found.code, "untrusted" in found.err) == (1, True)
    assert omnihook("test", "a", "--json").json["status"] == "skipped"
    assert omnihook("test", "--all").code == 1
    assert not (place.project / "ran").exists()
    assert omnihook("test", "a", "--trust-project").code == 0
    (place.project / "ran").unlink()
    assert omnihook("test", "--all", "--trust-project").code == 0
    (place.project / "ran").unlink()
    omnihook("trust", "--trust-project")
    assert omnihook("test", "a").code == 0
    assert (place.project / "ran").exists()


def test_a_changed_script_is_not_run(place: Place, omnihook: Run) -> None:
    script = place.write("x.sh", "#!/bin/sh\ntouch ran\n", mode=0o755)
    place.write(".omnihook/hooks.toml", native("a", run="./x.sh"))
    omnihook("trust", "--trust-project")
    assert omnihook("test", "a").code == 0
    (place.project / "ran").unlink()
    script.write_text("#!/bin/sh\ntouch ran # more\n")
    assert omnihook("test", "a").code == 1
    assert not (place.project / "ran").exists()


CASES = """\
[[hook]]
name = "no-force"
on = "PreToolUse"
match = "Bash"
enabled = false
run = '''grep -q -e --force && { echo "never by force" >&2; exit 2; }; exit 0'''
[[hook.case]]
tool = "Bash"
payload = { command = "git push --force" }
expect = "block"
reason = "by force"
[[hook.case]]
name = "plain pushes"
payload = { tool_name = "Bash", tool_input = { command = "git push" } }
expect = "none"
[[hook.case]]
name = "other tools"
tool = "Read"
payload = { file_path = "--force" }
expect = "none"

[[hook]]
name = "longer"
on = ["PreToolUse", "Stop"]
run = '''echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls -la"}}}' '''
[[hook.case]]
tool = "Bash"
payload = { command = "ls" }
expect = "none"
input = { command = "ls -la" }

[[hook]]
name = "breaks"
on = "Stop"
run = "exit 9"
on_error = "deny"
[[hook.case]]
expect = "broken"
"""


def test_cases_pass(place: Place, omnihook: Run) -> None:
    place.write(USER, CASES)
    found = omnihook("test", "--all")
    assert (found.code, found.out.splitlines()[-1]) == (0, "5 cases, 0 failed")
    assert found.out.count("passed") == 5


FAILING = {
    "decision": ('expect = "block"', 'expect = "allow"', "expected allow, got block (never by force)"),
    "reason": ('reason = "by force"', 'reason = "gently"', "expected a reason with 'gently'"),
    "rewrite": ('input = { command = "ls -la" }', 'input = { command = "ls -l" }', 'got {"command":"ls -la"}'),
    "no match": ('--force" }\nexpect = "none"', '--force" }\nexpect = "deny"', "it did not match"),
    "broke": ('expect = "broken"', 'expect = "deny"', "but it broke"),
    "bad word": ('expect = "broken"', 'expect = "maybe"', "expect must be one of"),
    "bad key": ('expect = "broken"', 'expects = "deny"', "unknown key 'expects'"),
    "bad event": ('expect = "broken"', 'expect = "none"\nevent = "Stopp"', "unknown event 'Stopp'"),
}


@pytest.mark.parametrize(("old", "new", "said"), FAILING.values(), ids=FAILING.keys())
def test_a_case_that_fails_says_how(place: Place, omnihook: Run, old: str, new: str, said: str) -> None:
    assert CASES.count(old) == 1
    place.write(USER, CASES.replace(old, new))
    found = omnihook("test", "--all", "--json")
    assert (found.code, found.json["failed"]) == (1, 1)
    results = found.json["results"]
    assert isinstance(results, list)
    wrong = next(item for item in results if not item["passed"])
    assert said in (wrong["failure"] or wrong["error"])


def test_junit(place: Place, omnihook: Run) -> None:
    place.write(
        USER, CASES.replace('reason = "by force"', 'reason = "gently <&>"') + '[[hook.case]]\nexpect = "x\\u0007"\n'
    )
    found = omnihook("test", "--all", "--junit", "report.xml")
    assert found.code == 1
    root = ElementTree.parse(place.project / "report.xml").getroot()
    suite = root.find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("6", "1", "1")
    cases = suite.findall("testcase")
    assert [case.get("classname") for case in cases] == ["no-force"] * 3 + ["longer", "breaks", "breaks"]
    failure = cases[0].find("failure")
    assert failure is not None
    assert "gently <&>" in str(failure.text)
    wrong = omnihook("test", "--all", "--junit", "/no/such/folder/x.xml")
    assert (wrong.code, "/no/such/folder/x.xml" in wrong.err) == (1, True)


def test_no_cases(place: Place, omnihook: Run) -> None:
    place.write(USER, native("a", run="true"))
    found = omnihook("test", "--all")
    assert (found.code, "No hook has cases" in found.out) == (0, True)


@pytest.mark.parametrize("name", dialects.names())
def test_every_event_of_every_dialect_has_a_sample(name: str) -> None:
    dialect = dialects.get(name)
    for event in {row.event for row in dialect.names}:
        made = sample(event, "/project")
        body = dialect.encode_event(made).body
        again = dialect.decode_event(body, native_name(dialect, made))
        assert again.name in {row.event for row in dialect.names if row.native == native_name(dialect, made)}


@pytest.mark.parametrize("name", EVENTS)
def test_samples_say_something(name: str) -> None:
    made = sample(name, "/project")
    plain = {"Interrupt", "PostToolBatch", "TeammateIdle"}
    own = [made.__class__.__dataclass_fields__[f] for f in made.__class__.__dataclass_fields__]
    told = [f.name for f in own if f.name not in ("session_id", "cwd", "permission_mode") and getattr(made, f.name)]
    assert (set(told) > {"agent"}) is (name not in plain)
