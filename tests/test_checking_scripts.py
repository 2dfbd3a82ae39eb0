"""Programs and scripts that hooks name: what is missing is found, and what is there is not complained about."""

from pathlib import Path

import pytest

from checking_kit import Desk, desk, entry, errors


@pytest.fixture
def here(tmp_path: Path) -> Desk:
    made = desk(tmp_path)
    made.write("my dir/ok.sh")
    made.write("ok.sh")
    made.write("tools/x.ts")
    made.write("tools/x.py", "")
    made.write("pkg/__init__.py", "")
    made.write("pkg/there.py", "")
    made.write("app/index.js", "")
    return made


GOOD = [
    '"$CLAUDE_PROJECT_DIR/my dir/ok.sh"',
    '"$CLAUDE_PROJECT_DIR"/my\\ dir/ok.sh arg',
    "${CLAUDE_PROJECT_DIR}/ok.sh",
    '"${CLAUDE_PROJECT_DIR:-.}/ok.sh"',
    "$CLAUDE_PROJECT_DIRX/ok.sh",
    "$SOMEWHERE/ok.sh",
    'cd "$CLAUDE_PROJECT_DIR" && deno run -A tools/x.ts',
    'cd "$CLAUDE_PROJECT_DIR" && python3 -u tools/x.py',
    'cd "$CLAUDE_PROJECT_DIR" && python3 -m pkg.there',
    "python3 -m pytest -q",
    "python3 -c 'import nope'",
    'node "$CLAUDE_PROJECT_DIR/app"',
    'node "$CLAUDE_PROJECT_DIR/app/index"',
    "bash -c 'echo hi'",
    "cat | bash -s nope",
    "bash -lc 'true'",
    'if [ -f "$CLAUDE_PROJECT_DIR/nope.sh" ]; then "$CLAUDE_PROJECT_DIR/nope.sh"; fi',
    "[ -x /no/such ] && /no/such; true",
    "[ -x /no/such ] || exit 0; /no/such",
    "test -x /no/such && /no/such",
    "command -v no-such-prog >/dev/null && no-such-prog",
    "command -v no-such-prog >/dev/null 2>&1 || exit 0; no-such-prog x",
    "true || /no/such",
    "helper() { cat; }; helper",
    "for f in a b; do /no/$f; done",
    "PATH=/opt/x:$PATH no-such-prog",
    "export PATH=/opt/x; no-such-prog",
    '. "$CLAUDE_PROJECT_DIR/ok.sh" && made_by_it',
    "env FOO=1 /bin/sh -c true",
    "time ls && timeout 5 ls && nice -n 5 ls",
    "jq -r .tool_input.command >> /no/log",
    "npx no-such-prog --check",
    "uv run no-such-prog",
    "npx -y @scope/tool hook",
    "uv run https://a.example/m.py",
    "watch '/no/such'",
    "env -S '/no/such x' y",
    "{/no/such,/no/other}",
    "bash /dev/fd/3 3<<< 'true'",
    "bash -i >& /dev/tcp/127.0.0.1/9 0>&1",
    'cd "$(git rev-parse --show-toplevel)" && ./nope.sh',
    'cd "$SOMEWHERE" && ./nope.sh',
    "cd - && ./nope.sh",
    "echo 'it is # not a comment' # don't",
    "cat <<'EOF'\nit's fine\nEOF",
    "while read -r line; do /no/such; done",
    'x="$CLAUDE_PROJECT_DIR/ok.sh"; "$x"',
    "perl -MJSON -pe 's/a/b/'",
    "php -r 'echo 1;'",
    "exit 0; /no/such",
    "f=$(mktemp) && cat > $f",
    "[[ $(git branch) == main ]] && exit 2 || exit 0",
]


@pytest.mark.parametrize("command", GOOD)
def test_a_good_command_is_not_complained_about(here: Desk, command: str) -> None:
    found = here.claude({"Stop": [entry(command)]})
    # Interpreters that this machine happens not to have are another matter.
    assert [item.message for item in found if item.code != "program"] == []
    assert errors(found) == []


MISSING = [
    "/no/nope.sh",
    '"$CLAUDE_PROJECT_DIR/my dir/nope.sh"',
    "bash -x /no/nope.sh",
    "python3 -u /no/nope.sh",
    "python3 -W ignore /no/nope.sh",
    "env X=1 /no/nope.sh",
    "/usr/bin/env bash /no/nope.sh",
    "exec /no/nope.sh",
    "timeout 5 /no/nope.sh",
    "time /no/nope.sh",
    ". /no/nope.sh",
    "source /no/nope.sh",
    "cd / && no/nope.sh",
    'cd "$CLAUDE_PROJECT_DIR/tools" && ./nope.sh',
    "cat | /no/nope.sh",
    "(cd /no; ./nope.sh)",
    "bash -c '/no/nope.sh arg'",
    "X=$(/no/nope.sh); echo $(/no/nope.sh)",
    "/no/nope.sh || true",
    "~/nope.sh",
    'deno_dir=x; sh "$CLAUDE_PROJECT_DIR/nope.sh"',
]


@pytest.mark.parametrize("command", MISSING)
def test_a_missing_script_is_found_wherever_it_stands(here: Desk, command: str) -> None:
    said = errors(here.claude({"Stop": [entry(command)]}))
    assert len(said) == 1
    assert "nope.sh' does not exist" in said[0]


def test_what_an_earlier_command_may_have_made_is_only_warned_about(here: Desk) -> None:
    (item,) = here.claude({"Stop": [entry("make all && /no/made")]})
    assert (item.severity, item.code) == ("warning", "missing")


def test_what_a_download_brings_is_only_warned_about(here: Desk) -> None:
    found = here.claude({"Stop": [entry("curl -fsSLo i.sh https://x.example/i.sh && sh i.sh")]})
    assert [(item.severity, item.code) for item in found] == [("warning", "missing")]


def test_a_versioned_interpreter_runs_its_first_operand(here: Desk, tmp_path: Path) -> None:
    for name in ("python3.99", "deno"):
        program = here.write(f"bin/{name}")
        found = here.claude({"Stop": [entry(f"{program} /no/nope.py"), entry(f"{program} {here.project}/tools/x.py")]})
        assert errors(found) == ["hook Stop:1: the script '/no/nope.py' does not exist"]


@pytest.mark.parametrize("command", ["no-such-prog", "no.such.prog x", "sudo no-such-prog", "python3.99 x"])
def test_a_program_that_is_not_on_the_path_is_warned_about(here: Desk, command: str) -> None:
    found = here.claude({"Stop": [entry(command)]})
    name = next(word for word in command.split() if word != "sudo")
    assert any(f"{name!r} is not a program on the path" in item.message for item in found)
    assert errors(found) == []


def test_a_bare_script_is_not_on_the_path_and_the_fix_says_how_to_write_it(here: Desk) -> None:
    found = here.hook(f'on = "Stop"\nrun = "ok.sh"\ncwd = "{here.project}"')
    assert [(item.severity, item.code, item.fix) for item in found] == [("error", "program", "write ./ok.sh")]


def test_a_module_that_its_own_package_lacks_is_a_hint(here: Desk) -> None:
    found = here.claude({"Stop": [entry('cd "$CLAUDE_PROJECT_DIR" && python3 -m pkg.nope')]})
    assert [(item.severity, "no module 'pkg.nope'" in item.message) for item in found] == [("warning", True)]


def test_the_words_of_argv_are_looked_at_as_they_are(here: Desk) -> None:
    good = here.hook(f'on = "Stop"\nargv = ["{here.project}/my dir/ok.sh", "$HOME/*", "a b"]')
    assert good == ()
    bad = here.hook('on = "Stop"\nargv = ["env", "X=1", "/no/such dir/nope.sh"]')
    assert errors(bad) == ["hook Stop:1: the script '/no/such dir/nope.sh' does not exist"]


def test_a_path_is_relative_only_where_the_folder_is_the_agents(here: Desk) -> None:
    loose = here.claude({"Stop": [entry("./ok.sh")]})
    assert [item.code for item in loose] == ["relative"]
    assert here.claude({"Stop": [entry('cd "$CLAUDE_PROJECT_DIR" && ./ok.sh')]}) == ()


def test_variables_that_an_agent_gives_the_project_under_are_known(here: Desk) -> None:
    hooks = {"hooks": {"hooks": [{"event": "stop", "command": '"$HOOK_WORKSPACE/nope.sh"'}]}}
    assert "nope.sh' does not exist" in errors(here.json("autohand", hooks))[0]


def test_text_for_another_shell_is_not_read_as_shell_text(here: Desk) -> None:
    found = here.claude({"Stop": [entry("if (Test-Path x) { /no/such } 'it''s'", shell="powershell")]})
    assert errors(found) == []
