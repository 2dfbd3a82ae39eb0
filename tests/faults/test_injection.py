"""R11, R15: names and payloads chosen by an attacker become neither shell code, nor hooks, nor options."""

import json
import os
import random
import subprocess
from pathlib import Path

import pytest

from faults.kit import Machine, fire, shell
from omnihook import dialects
from omnihook.dialect import Policy
from omnihook.events import PostToolUse, PreToolUse
from omnihook.hooks import Argv, Hook, Source
from omnihook.runners import environment, exposing
from omnihook.runners.command import argv_of
from omnihook.runners.quoting import quote_references

BAITS = (
    "a;touch pwned;.txt",
    "$(touch pwned)",
    "`touch pwned`",
    "a' ; touch pwned ; '",
    'a" ; touch pwned ; "',
    "a\ntouch pwned\n",
    "a\r\ntouch pwned",
    "| touch pwned",
    "&& touch pwned",
    "> pwned",
    ">>pwned",
    "<(touch pwned)",
    "a\\';touch pwned;#",
    "${IFS}touch${IFS}pwned",
    "$((`touch pwned`))",
    "{a,$(touch,pwned)}",
    "-exec touch pwned ;",
    "--output=pwned",
    "*",
    "a b\tc",
    "~/x",
    "$HOME",
    "%s%n",
    "a';touch pwned;$(id)'\"\n.txt",
    "\u202etxt.exe",
    "\x1b]0;x\x07",
    "\x00;touch pwned",
    "\ud800",
    "\udcff",
)
PIECES = (
    *";&|<>()$`\\\"'*?[]#~=%!{}^ \t\n\r\0",
    "touch pwned",
    "$(touch pwned)",
    "`touch pwned`",
    "a",
    "\\\n",
    "$X",
    "é",
)


def names(count: int, seed: int = 1) -> list[str]:
    """Hostile file names, the same ones in every run."""
    chance = random.Random(seed)
    made = list(BAITS)
    while len(made) < count:
        made.append("".join(chance.choice(PIECES) for _ in range(chance.randint(1, 12))))
    return made


# How authors write a reference, none of them wrong enough to deserve an injection.
STYLES = (
    "printf '%s' {bare}",
    'printf "%s" "{bare}"',
    "printf %s '{bare}'",
    "printf %s {braced}",
    'x={bare}; printf %s "$x"',
    'printf %s "$(printf %s "{bare}")"',
    "printf %s $(printf %s {bare})",
    "printf %s `printf %s {bare}`",
    'sh -c "printf %s {bare}"',
    "sh -c 'printf %s {bare}'",
    "sh -c \"printf %s '{bare}'\"",
    'bash -c "printf %s \\"{bare}\\""',
    'eval "printf %s {bare}"',
    "eval printf %s {bare}",
    "case {bare} in x) printf y;; *) printf n;; esac",
    "test -e {bare} && printf yes; # don't {bare}",
    "cat <<EOF\n{bare}\nEOF",
    'bash -c "printf %s {bare}" <<< y',
    '(( 1 )); bash -c "printf %s {bare}"',
    'sh -c -e "printf %s {bare}"',
    'bash -cx -- "printf %s {bare}"',
    "'/bin/sh' -c \"printf %s {bare}\"",
    '"${{SHELL:-sh}}" -c "printf %s {bare}"',
    'trap "printf %s {bare}" EXIT',
    'flock lock -c "printf %s {bare}"; rm -f lock',
    'sh -c "printf %s {operator}"',
    'eval "printf %s {operator}"',
    'find . -maxdepth 0 -exec sh -c "printf %s {bare}" \\;',
)
# Here the value is code of a shell that no quoting reaches: such a command is not started.
REFUSED = (
    'echo "printf %s {bare}" | sh',
    "bash -s <<EOF\nprintf %s {bare}\nEOF",
    'bash <<< "printf %s {bare}"',
    'source <(echo "printf %s {bare}")',
    'x="printf %s {bare}"; eval "$x"',
    'x="printf %s {bare}"; sh -c "$x"',
    'bash -c "bash -c \\"printf %s {bare}\\""',
    "bash -c 'bash -c \"printf %s {bare}\"'",
    "bash -c \"trap 'printf %s {bare}' EXIT\"",
    'sh -c "printf %s $(printf %s {bare})"',
    'sh -c "printf %s `printf %s {bare}`"',
    'bash -c "echo $((1+{bare}))"',
    'cat <<EOF\nit\'s\nEOF\nsh -c "printf %s {bare}"',
    'sh -c "printf %s {quoting}"',
    'ssh host "printf %s {bare}"',
    "make FILE={bare}",
    "make -C sub lint FILE:=x{bare}",
    'echo "printf %s {bare}" | bash -',
    'echo "printf %s {bare}" | sudo -u me bash -s',
    "echo {bare} | xargs -I{{}} sh -c 'printf %s {{}}'",
)
# Ordinary commands with shells in them, which must start whatever the value is.
STARTED = (
    "bash check.sh {bare}",
    "echo {bare} | bash check.sh",
    "printf %s {bare} | bash -euo pipefail check.sh -",
    "sh -c 'printf %s \"$1\"' sh {bare}",
    "sh -c 'printf %s \"{bare}\"'",
    'sh -c "printf %s {bare}"; sh -c "printf %s {bare}"',
    "make test && printf %s {bare}",
    "make -C {bare} test",
    "git push origin {bare} -c; printf %s {bare}",
    "printf %s {bare} | sha256sum",
    "printf %s {bare} | xargs -0 wc -c",
    'x={bare}; printf %s "$x"',
    'cd "{bare}" && npm run lint -- {bare}',
)


def _script(policy: Policy, style: str, variable: str) -> str:
    return quote_references(_written(style, variable), policy.variables, policy.single_quotes)


def _written(style: str, variable: str) -> str:
    braced, operator, quoting = (f"${{{variable}{tail}}}" for tail in ("", "%.txt", ":-'y'"))
    return style.format(bare=f"${variable}", braced=braced, operator=operator, quoting=quoting)


@pytest.mark.parametrize("style", REFUSED)
def test_a_command_that_hands_a_value_on_as_code_starts_with_plain_values_only(style: str) -> None:
    """R11: where quoting does not help, a hostile value keeps the command from being started."""
    text, names = _written(style, "OMNIHOOK_FILE_PATH"), dialects.get("omnihook").policy.variables
    assert exposing.refusal(text, names, {"OMNIHOOK_FILE_PATH": "src/a-b_c.py"}) is None
    for bait in ("a;touch pwned", "$(touch pwned)", "a b", "x'y", "a\nb", "a[$(touch pwned)]"):
        assert "OMNIHOOK_FILE_PATH" in (exposing.refusal(text, names, {"OMNIHOOK_FILE_PATH": bait}) or ""), bait


@pytest.mark.parametrize("style", (*STYLES, *STARTED))
def test_a_command_whose_references_are_quoted_starts_with_any_value(style: str) -> None:
    text, names = _written(style, "OMNIHOOK_FILE_PATH"), dialects.get("omnihook").policy.variables
    assert exposing.refusal(text, names, {"OMNIHOOK_FILE_PATH": "app/(group)/[id]/it's $(x).tsx"}) is None


def test_the_projects_folder_may_hold_spaces() -> None:
    policy = dialects.get("omnihook").policy
    command = 'echo "cd $OMNIHOOK_PROJECT_DIR" | sh'
    for path, started in (("/home/me/My Projects/x", True), ("/home/me/$(x)", False)):
        refused = exposing.refusal(command, policy.variables, {"OMNIHOOK_PROJECT_DIR": path}, policy.project_variable)
        assert (refused is None) is started


def test_a_refused_value_is_a_broken_hook_and_a_guard_denies(box: Machine) -> None:
    engine = box.engine(files=False)
    engine.register(shell('echo "touch pwned $OMNIHOOK_FILE_PATH" | sh', guard=True, cwd=str(box.project)))
    report = fire(engine, PreToolUse(cwd=str(box.project), tool_name="Edit", tool_input={"file_path": "a;b"}))
    assert report.refused and "a further shell would run as code" in (report.verdict.reason or "")
    assert os.listdir(box.project) == []


@pytest.mark.parametrize(
    "words",
    [
        ("sh", "-c", "printf %s ${OMNIHOOK_FILE_PATH}"),
        ("/bin/bash", "-ec", "printf %s '${OMNIHOOK_FILE_PATH}'"),
        ("env", "A=1", "sh", "-c", 'printf %s "${OMNIHOOK_FILE_PATH}"'),
    ],
)
def test_a_script_among_arguments_gets_no_value_spliced_in(box: Machine, words: tuple[str, ...]) -> None:
    """R11: arguments are filled in, but a shell's script is quoted like any other."""
    engine = box.engine(files=False)
    hook = Hook(name="h", events=("PreToolUse",), action=Argv(argv=words), source=Source(dialect="omnihook"))
    engine.register(hook)
    for bait in BAITS:
        path = str(box.project / bait.replace("\0", "")) if bait else bait
        event = PreToolUse(cwd=str(box.project), tool_name="Edit", tool_input={"file_path": path})
        report = fire(engine, event)
        assert os.listdir(box.project) == [], bait
        assert report.outcomes[0].failure is None, (bait, report.outcomes[0])


FULL = ("omnihook",)  # the other dialects get fewer of the fuzzed names, and every bait


@pytest.mark.parametrize("dialect", dialects.names())
def test_a_thousand_hostile_names_through_every_variable_create_nothing(tmp_path: Path, dialect: str) -> None:
    """R11: every documented variable, in every style of quoting, with every name: no file appears.

    One shell reads the names and forks for each, so that a thousand of them cost little.
    """
    policy = dialects.get(dialect).policy
    hostile = [
        name.replace("\0", "\ufffd").encode("utf-8", "replace") for name in names(1000 if dialect in FULL else 200)
    ]
    work = tmp_path / "work"
    work.mkdir()
    variables = sorted(policy.variables)
    for position, style in enumerate(STYLES):
        variable = variables[position % len(variables)]
        (tmp_path / "hook").write_text(_script(policy, style, variable))
        driver = f'while IFS= read -r -d "" {variable}; do export {variable}; ( . "$HOOK" ); done < "$NAMES"'
        env = {"PATH": os.environ["PATH"], "HOOK": str(tmp_path / "hook"), "NAMES": str(tmp_path / "some")}
        # Every style sees every bait, and its own share of the fuzzed names: together a thousand and more.
        share = hostile[: len(BAITS)] + hostile[len(BAITS) + position :: len(STYLES)]
        (tmp_path / "some").write_bytes(b"\0".join(share) + b"\0")
        subprocess.run(["bash", "-c", driver], cwd=work, env=env, capture_output=True, timeout=50)
        assert sorted(os.listdir(work)) == [], (style, variable)


@pytest.mark.parametrize("style", STYLES[:8])
@pytest.mark.parametrize("dialect", ["omnihook", "claude-code", "code-agent"])
def test_the_value_arrives_whole(tmp_path: Path, style: str, dialect: str) -> None:
    """R11: quoting protects and does not change: one argument, every byte."""
    policy = dialects.get(dialect).policy
    variable = sorted(policy.variables)[0]
    if style == STYLES[2] and not policy.single_quotes:
        return  # there single quotes mean what they mean in a shell
    value = "a b  *;$(x)'\"\\n é"
    hook = shell(_written(style, variable), dialect=dialect)
    words = argv_of(hook, policy, {"PATH": os.environ["PATH"]})
    ran = subprocess.run(
        words, env={"PATH": os.environ["PATH"], variable: value}, capture_output=True, cwd=tmp_path, timeout=10
    )
    split = style in (STYLES[6], STYLES[7])  # an unquoted substitution of the author's own is split by the shell
    wanted = "".join(value.split()) if split else value
    assert ran.stdout.decode() == wanted or split, ran


@pytest.mark.parametrize("dialect", ["omnihook", "claude-code", "autohand", "codemie", "code-agent"])
def test_hostile_events_run_hooks_and_nothing_else(box: Machine, dialect: str) -> None:
    """R11, F17: the same through the engine, with the name in every field of the event."""
    made = dialects.get(dialect)
    references = " ".join(f"${name}" for name in sorted(made.policy.variables))
    engine = box.engine(files=False)
    engine.register(
        shell(f"printf '%s\\n' {references} >/dev/null; cat >/dev/null", dialect=dialect, cwd=str(box.project))
    )
    for name in BAITS:
        event = PreToolUse(
            session_id=name,
            cwd=str(box.project),
            agent_name=name,
            transcript_path=name,
            permission_mode=name,
            tool_name=name or "x",
            tool_input={"file_path": name, "command": name, name: name},
            tool_use_id=name,
            metadata={name: name},
        )
        report = fire(engine, event)
        assert report.outcomes[0].failure is None, (name, report.outcomes[0])
        assert os.listdir(box.project) == [], name


def test_arguments_without_a_shell_are_filled_in_once(box: Machine) -> None:
    """R11: a value that looks like a placeholder is not one, and stays one argument."""
    value = "${OMNIHOOK_SESSION_ID} a b"
    action = Argv(argv=("printf", "%s|", "${OMNIHOOK_FILE_PATH}", "x${OMNIHOOK_SESSION_ID}y", "${OMNIHOOK_NOT}"))
    engine = box.engine(files=False)
    engine.register(Hook(name="h", events=("PostToolUse",), action=action, source=Source(dialect="omnihook")))
    event = PostToolUse(session_id="S", tool_name="Write", tool_input={"file_path": value})
    outcome = fire(engine, event).outcomes[0]
    assert outcome.stdout == f"{value}|xSy|${{OMNIHOOK_NOT}}|"


def test_a_reference_is_never_the_start_of_a_longer_name() -> None:
    """R11: `$NAME` and `$NAME_X` are two variables."""
    names_ = frozenset({"FILE"})
    assert quote_references("x $FILE $FILE_X ${FILE}_X $FILES", names_, False) == 'x "$FILE" $FILE_X "${FILE}"_X $FILES'


def test_values_the_kernel_does_not_take_are_made_to_fit() -> None:
    """R11, F17: NUL and halves of characters are replaced, raw bytes stay."""
    fitted = environment.fit({"A": "a\0b", "B": "x\ud800y", "C": "\udcff", "D": "é"})
    assert fitted.env == {"A": "a\ufffdb", "B": "x\ufffdy", "C": "\udcff", "D": "é"}
    assert os.fsencode(fitted.env["C"]) == b"\xff"


SMUGGLED = {
    "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "touch pwned"}]}]},
    "hook": [{"on": "PreToolUse", "run": "touch pwned"}],
    "settings": {"hooks": {"PreToolUse": []}},
    "read": ["claude-code"],
    "enabled": False,
    "disableAllHooks": True,
    "trust": True,
    "metadata": {"trust": True, "hooks": {}},
    "env": {"OMNIHOOK_STATE_DIR": "/tmp/x", "PATH": "/tmp"},
}


@pytest.mark.parametrize("dialect", ["omnihook", "claude-code"])
def test_settings_in_a_payload_are_only_data(box: Machine, dialect: str) -> None:
    """R15: what an event carries never becomes a hook, a switch or an environment."""
    engine = box.engine(files=False)
    engine.register(shell("cat >/dev/null; exit 2", dialect=dialect, cwd=str(box.project)))
    event = dialects.get(dialect).decode_event(
        {**SMUGGLED, "session_id": "s", "cwd": str(box.project), "tool_name": "Bash", "tool_input": SMUGGLED},
        "PreToolUse",
    )
    report = fire(engine, event)
    assert report.refused
    assert len(report.outcomes) == 1
    assert os.listdir(box.project) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("fire", "PreToolUse", "--config", json.dumps(SMUGGLED)),
        ("fire", "PreToolUse", "--config", 'hook=[{on="PreToolUse",run="touch pwned"}]'),
        ("fire", "--config=/dev/stdin", "PreToolUse"),
        ("fire", "--", "--trust-project"),
        ("fire", "--trust-project=1", "PreToolUse"),
        ("fire", "PreToolUse --trust-project"),
        ("fire", "PreToolUse", "--settings", "{}"),
        ("fire", "PreToolUse", "--as", "claude-code --trust-project"),
        ("list", "--config", "omnihook:data:text/plain,x"),
        ("omnihook://fire?hook=touch%20pwned",),
    ],
)
def test_settings_in_arguments_are_only_paths_or_wrong_usage(box: Machine, arguments: tuple[str, ...]) -> None:
    """R15: a flag takes the name of a file, and nothing on the command line is a definition."""
    box.write(".omnihook/hooks.toml", '[[hook]]\non = "PreToolUse"\nrun = "touch pwned"\n')
    payload = (
        '[[hook]]\non = "PreToolUse"\nrun = "touch pwned"\n' if "/dev/stdin" in str(arguments) else json.dumps(SMUGGLED)
    )
    ended = box.run(*arguments, stdin=payload.encode())
    assert ended.code in (0, 1, 2)
    assert b"Traceback" not in ended.err
    assert not (box.project / "pwned").exists()
