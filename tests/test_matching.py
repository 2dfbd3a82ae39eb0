import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omnihook import dialects
from omnihook.events import Event, FileModified, PreToolUse, SessionStart, Stop
from omnihook.families.patterns import native_matcher
from omnihook.hooks import Command, Hook, Matcher, Source
from omnihook.matching import Index
from omnihook.matching.globs import GlobSet, comparable, translate
from omnihook.matching.rules import command_pattern, parse
from omnihook.matching.sets import PatternSet

DIALECTS = {name: dialects.get(name) for name in ("omnihook", "claude-code")}


def hook(name: str = "h", *, event: str = "PreToolUse", match: str | None = None, **values: object) -> Hook:
    values.setdefault("matcher", native_matcher(match))
    return Hook(name=name, events=(event,), action=Command(command="true"), **values)  # type: ignore[arg-type]


def bash(command: str) -> PreToolUse:
    return PreToolUse(cwd="/p", tool_name="Bash", tool_input={"command": command})


def hits(hooks: list[Hook], event: Event) -> list[str]:
    index = Index(hooks, DIALECTS)
    return [hooks[number].name for number in index.match(event)]


@pytest.mark.parametrize(
    ("rule", "command", "hit"),
    [
        ("Bash(git push *)", "git push origin main", True),
        ("Bash(git push *)", "git push", True),
        ("Bash(git push *)", "git pushd", False),
        ("Bash(git push *)", "cd x && git push -f", True),
        ("Bash(git push *)", "(git push)", True),
        ("Bash(git push *)", "A=1 git push", True),
        ("Bash(git push *)", "sudo git push", True),
        ("Bash(git push *)", "echo $(git push)", True),
        ("Bash(git push *)", "bash -c 'git push'", True),
        ("Bash(git push *)", "echo 'git push'", False),
        ("Bash(git push *)", "git status # git push", False),
        ("Bash(npm run test:*)", "npm run test:unit", False),
        ("Bash(npm run test:*)", "npm run test -- --ci", True),
        ("Bash", "anything at all", True),
        ("Bash(*)", "anything", True),
        ("Edit(src/**)", "ls", False),
        ("Bash(rm *)", "if true; then rm -rf x; fi", True),
    ],
)
def test_rules_look_into_compound_commands(rule: str, command: str, hit: bool) -> None:
    assert bool(hits([hook(rule=rule)], bash(command))) is hit


def test_a_command_that_cannot_be_parsed_is_shown_to_the_hook() -> None:
    assert hits([hook(rule="Bash(git push *)")], bash("echo 'open")) == ["h"]


def test_rules_of_file_tools_compare_paths() -> None:
    event = PreToolUse(cwd="/p", tool_name="Edit", tool_input={"file_path": "/p/src/a.py"})
    assert hits([hook(rule="Edit(src/**)"), hook("other", rule="Edit(docs/**)")], event) == ["h"]


@pytest.mark.parametrize(
    ("rule", "path", "hit"),
    [
        ("Edit(//etc/*)", "/etc/hosts", True),
        ("Edit(//src/*)", "/p/src/a.py", False),
        ("Edit(/src/*)", "/p/src/a.py", True),
        ("Edit(/etc/*)", "/etc/hosts", True),
        ("Edit(.env)", "/p/deep/down/.env", True),
        ("Edit(./.env)", "/p/deep/.env", False),
        ("Edit(*.pem)", "/p/keys/a.pem", True),
        ("Edit(src/)", "/p/src/deep/a.py", True),
        ("Edit(src/*)", "/p/lib/src/a.py", False),
    ],
)
def test_paths_of_rules_are_read_like_those_of_gitignore(rule: str, path: str, hit: bool) -> None:
    event = PreToolUse(cwd="/p", tool_name="Edit", tool_input={"file_path": path})
    assert bool(hits([hook(rule=rule)], event)) is hit


@pytest.mark.parametrize(
    ("cwd", "path", "hit"),
    [
        ("/p", "src/a.py", True),
        ("/p/sub", "/p/src/a.py", True),
        ("/p/sub", "../src/a.py", True),
        ("/p/sub", "//p/./src//a.py", True),
        ("/p/sub", "src/a.py", False),
        ("/other", "src/a.py", True),
        ("/other", "/p/src/a.py", True),
        ("", "src/a.py", True),
    ],
)
def test_paths_start_from_the_project_wherever_the_agent_is(cwd: str, path: str, hit: bool) -> None:
    event = PreToolUse(cwd=cwd, tool_name="Edit", tool_input={"file_path": path})
    hooks = [hook(paths=("src/**",)), hook("r", rule="Edit(src/**)")]
    index = Index(hooks, DIALECTS, "/p")
    assert index.match(event) == ([0, 1] if hit else [])
    assert (index.why_not(event, 0) is None) is hit


@pytest.mark.parametrize(("globs", "hit"), [(("/p/src/*",), True), (("/p/*", "/q/*"), False), (("!/p/src/*",), False)])
def test_a_glob_may_name_the_project(globs: tuple[str, ...], hit: bool) -> None:
    event = PreToolUse(cwd="/p/sub", tool_name="Edit", tool_input={"file_path": "/p/src/a.py"})
    assert bool(Index([hook(paths=globs)], DIALECTS, "/p").match(event)) is hit


def test_a_project_at_the_root_leaves_paths_whole() -> None:
    event = PreToolUse(cwd="/p", tool_name="Edit", tool_input={"file_path": "/etc/hosts"})
    assert Index([hook(paths=("/etc/*",))], DIALECTS, "/").match(event) == [0]


def test_a_rule_on_an_event_without_a_tool_never_holds() -> None:
    assert hits([hook(event="Stop", rule="Bash")], Stop()) == []


@pytest.mark.parametrize(
    ("glob", "path", "hit"),
    [
        ("src/**/*.ts", "src/a.ts", True),
        ("src/**/*.ts", "src/a/b/c.ts", True),
        ("src/**/*.ts", "lib/a.ts", False),
        ("**/*.ts", "a.ts", True),
        ("**/*.ts", "x/.hidden/a.ts", True),
        ("*.{ts,js}", "a.js", True),
        ("*.{ts,js}", "x/a.js", False),
        ("src/**", "src/x/y", True),
        ("src/**", "src", False),
        ("a?c", "abc", True),
        ("[ab].md", "b.md", True),
        ("[!ab].md", "c.md", True),
        ("[!ab].md", "a.md", False),
        ("./src/*.py", "src/x.py", True),
        ("!*.md", "a.py", True),
        ("!*.md", "a.md", False),
        ("a.b", "aXb", False),
        ("**", ".env", True),
    ],
)
def test_globs(glob: str, path: str, hit: bool) -> None:
    assert bool(GlobSet([(1, glob)], dotfiles=True).match(path)) is hit


@pytest.mark.parametrize(("glob", "path"), [("**/*.ts", "x/.h/a.ts"), ("*", ".env"), ("src/*", "src/.x")])
def test_globs_of_some_dialects_skip_dotfiles(glob: str, path: str) -> None:
    assert not GlobSet([(1, glob)], dotfiles=False).match(path)


@given(st.text("ab./*?[]!{},-", max_size=12))
def test_any_glob_translates_to_a_pattern(glob: str) -> None:
    re.compile(translate(glob, dotfiles=True))
    GlobSet([(1, glob)], dotfiles=False).match("a/b")


@pytest.mark.parametrize(
    ("path", "seen"),
    [("/p/src/a", "src/a"), ("src/../lib/a", "lib/a"), ("./a", "a"), ("/other/a", "/other/a"), ("/p/../q", "/q")],
)
def test_paths_are_compared_relative_to_the_workspace(path: str, seen: str) -> None:
    assert comparable(path, "/p") == seen


def test_every_file_of_a_patch_is_a_file() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n*** Add File: docs/b.md\n+x\n*** End Patch"
    event = PreToolUse(cwd="/p", tool_name="apply_patch", tool_input={"patch": patch})
    assert hits([hook(paths=("docs/*.md",)), hook("py", paths=("**/*.py",))], event) == ["h", "py"]


def test_matchers_of_a_hook_are_in_its_own_words() -> None:
    hooks = [hook("task", match="Task"), hook("agent", match="Agent"), hook("regex", match="^Ag")]
    assert hits(hooks, PreToolUse(tool_name="Agent")) == ["task", "agent", "regex"]


def test_sources_and_missing_subjects() -> None:
    hooks = [hook("start", event="SessionStart", match="startup"), hook("any", event="SessionStart", match="*")]
    assert hits(hooks, SessionStart(source="startup")) == ["start", "any"]
    assert hits(hooks, SessionStart(source="resume")) == ["any"]
    assert hits(hooks, SessionStart()) == ["any"]


def test_a_matcher_on_an_event_without_a_subject_is_ignored() -> None:
    assert hits([hook(event="Stop", match="Bash")], Stop()) == ["h"]


def test_tools_filter_and_a_matcher_that_cannot_match() -> None:
    event = PreToolUse(tool_name="Write", tool_input={"file_path": "x"})
    assert hits([hook(tools=("Write",)), hook("no", tools=("Read",))], event) == ["h"]
    assert hits([hook(matcher=Matcher(text="(", never="bad"))], event) == []


def test_hooks_of_a_skill_are_live_while_it_is() -> None:
    mine = hook(source=Source(owner="skill:format"))
    assert hits([mine], PreToolUse(tool_name="Bash")) == []
    assert hits([mine], PreToolUse(tool_name="Bash", metadata={"active_skills": ["format"]})) == ["h"]


def test_hooks_of_a_subagent_are_live_inside_it() -> None:
    mine = hook(source=Source(owner="agent:reviewer"))
    assert hits([mine], PreToolUse(tool_name="Bash", subagent_type="reviewer")) == ["h"]
    assert hits([mine], PreToolUse(tool_name="Bash")) == []


def test_look_around_runs_with_a_time_limit_and_counts_as_a_match_when_it_is_slow() -> None:
    found = PatternSet([(1, r"^(?!rm).*$"), (2, r"^(?=(a|aa)+$)")])
    assert found.match("ls") == [1]
    assert 2 in found.match("a" * 60 + "b")


def test_a_pathological_pattern_is_linear() -> None:
    assert PatternSet([(1, "(a+)+$")]).match("a" * 100_000 + "b") == []


def test_a_set_that_runs_out_of_memory_still_answers() -> None:
    patterns = [(n, f"^(?:[^/]+/)*x{n}/(?:[^/]+/)*[^/]*a[^/]*[.]ts$") for n in range(3000)]
    assert PatternSet(patterns).match("q/x77/lib/a.ts") == [77]


@given(st.text(max_size=30))
def test_no_subject_breaks_a_set(text: str) -> None:
    PatternSet([(1, "x"), (2, "(?=y)")]).match(text + "\udc80")


@given(st.text(max_size=20))
def test_any_rule_text_is_read_or_refused(text: str) -> None:
    rule = parse(text)
    if rule is not None and rule.pattern is not None:
        re.compile(command_pattern(rule.pattern))


@pytest.mark.parametrize(
    ("made", "event", "reason"),
    [
        (hook(match="Read"), bash("ls"), "its matcher 'Read' does not match 'Bash'"),
        (hook(event="Stop"), bash("ls"), "it is for Stop"),
        (hook(tools=("Read",)), bash("ls"), "it is only for the tools Read, not 'Bash'"),
        (hook(rule="Bash(git *)"), bash("ls"), "its rule 'Bash(git *)' does not hold"),
        (
            hook(event="FileModified", paths=("src/**",)),
            FileModified(cwd="/p", file_path="/p/docs/x"),
            "no path matches src/**: 'docs/x'",
        ),
        (hook(source=Source(owner="skill:fmt")), bash("ls"), "its skill fmt is not active"),
        (hook(), bash("ls"), None),
    ],
)
def test_the_reason_why_a_hook_does_not_run(made: Hook, event: Event, reason: str | None) -> None:
    assert Index([made], DIALECTS).why_not(event, 0) == reason
