"""What commands name, and when more than that may run; in real folders, without running anything."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from omnihook.hooks import Action, Argv, Call, Command, Http, McpTool, Prompt
from omnihook.trust import Pinning, pinning
from omnihook.trust.listing import matching
from omnihook.trust.named import READER, from_json
from omnihook.trust.pinning import MAX_FILES, read_names
from trust_kit import Place, place

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")


@pytest.fixture
def here(tmp_path: Path) -> Place:
    made = place(tmp_path / "project")
    for name in ("check", "a.sh", "sub/run.sh", "data.json", "pkg/__init__.py", "pkg/mod.py", "src/far/__init__.py"):
        made.write(name)
    return made


def ids(case: object) -> str | None:
    return case if isinstance(case, str) else None


PINNED: list[tuple[Action | str, Sequence[str]]] = [
    ("$CLAUDE_PROJECT_DIR/a.sh", ["a.sh"]),
    ("${CLAUDE_PROJECT_DIR}/a.sh", ["a.sh"]),
    ('"${CLAUDE_PROJECT_DIR:-.}"/a.sh', ["a.sh"]),
    ("./a.sh --now", ["a.sh"]),
    ("./not-there", ["not-there"]),
    ("sub/run.sh", ["sub/run.sh"]),
    ("sub/../a.sh", ["a.sh"]),
    ("bash check", ["check"]),
    ("bash -e -o pipefail check", ["check"]),
    ("bash --rcfile rc.sh a.sh", ["rc.sh", "a.sh"]),
    ("sh -c 'sh a.sh'", ["a.sh"]),
    ("python3.12 -u check data.json", ["check", "data.json"]),
    ("python3 -X dev -W error tool.py", ["tool.py"]),
    ("node --require ./pre.js app.js", ["pre.js", "app.js"]),
    ("ruby check", ["check"]),
    ("perl -w check", ["check"]),
    ("env A=1 timeout 5 nice -n 3 bash a.sh", ["a.sh"]),
    ("sudo -u other ./a.sh", ["a.sh"]),
    ("source ./env.sh && ./a.sh", ["env.sh", "a.sh"]),
    (". sub/run.sh", ["sub/run.sh"]),
    ("cd sub && ./run.sh", ["sub/run.sh"]),
    ("cd sub || exit; bash ../a.sh", ["a.sh"]),
    ("(cd sub; ./run.sh); ./a.sh", ["sub/run.sh", "a.sh"]),
    ("if [ -n x ]; then sh a.sh; else sh b.sh; fi", ["a.sh", "b.sh"]),
    ("for name in a b; do sh $name.sh; done", ["a.sh", "b.sh"]),
    ("S=a; sh $S.sh", ["a.sh"]),
    ("x=$(./a.sh); echo $x", ["a.sh"]),
    ("./a.sh; exit $?", ["a.sh"]),
    ("n=$((n + 1)); echo $n $(ls | head -1); ./a.sh", ["a.sh"]),
    ("git diff --name-only | xargs black; ./a.sh", ["a.sh"]),
    ('cd "$(git rev-parse --show-toplevel)" && ./a.sh', ["a.sh"]),
    ('D="$(cd sub && pwd)"; "$D"/run.sh', ["sub/run.sh"]),
    ("cat | ./a.sh | tee out.log", ["a.sh"]),
    ("./a.sh < data.json > out.json 2>> err.log", ["data.json", "a.sh"]),
    ("cat data.json", ["data.json"]),
    ("mytool --config=conf/x.toml", ["conf/x.toml"]),
    ("curl -s -d @./body.json https://example.org/a/b", ["body.json"]),
    ("awk -f prog.awk", ["prog.awk"]),
    ("jq --from-file f.jq", ["f.jq"]),
    ("CONFIG=./c.json mytool", ["c.json"]),
    ("NODE_OPTIONS='--require ./pre.js' mytool", ["pre.js"]),
    ("make test", MAKEFILES),
    ("make -C sub all", [f"sub/{name}" for name in MAKEFILES]),
    ("make -f build.mk", ["build.mk"]),
    ("make -fbuild.mk", ["build.mk"]),
    ("gmake --file=build.mk", ["build.mk"]),
    ("npm run lint", ["package.json"]),
    ("cd sub && npm test", ["sub/package.json", "package.json"]),
    ("pnpm lint", ["package.json"]),
    ("yarn --cwd sub build", ["sub/package.json", "package.json"]),
    ("just ci", ["justfile", "Justfile", ".justfile"]),
    ("python -m pkg.mod", ["pkg.py", "pkg/__init__.py", "pkg/mod.py"]),
    ("python -Im pkg", ["pkg.py", "pkg/__init__.py", "pkg/mod.py"]),
    ("python -m far", ["far.py", "far/__init__.py", "src/far/__init__.py"]),
    ("python -m json.tool", ["json.py", "json/__init__.py"]),
    (Argv(argv=("bash", "${CLAUDE_PROJECT_DIR}/a.sh")), ["a.sh"]),
    (Argv(argv=("./a b.sh", "it's", "$(x)", "*")), ["a b.sh"]),
    (Argv(argv=("python", "-m", "pkg.mod")), ["pkg.py", "pkg/__init__.py", "pkg/mod.py"]),
    (Call(target="pkg.mod:check"), ["pkg.py", "pkg/__init__.py", "pkg/mod.py"]),
    (Command(command="./a.sh", interpreter="/bin/bash"), ["a.sh"]),
]


@pytest.mark.parametrize(("action", "files"), PINNED, ids=ids)
def test_files_a_command_names_are_pinned(here: Place, action: Action | str, files: Sequence[str]) -> None:
    found = pinning(here.hook(action), here.path)
    assert (found.files, found.open, found.why) == (tuple(files), False, "")


NOTHING: list[Action | str] = [
    "true",
    "echo done",
    "cat | jq -r .tool_input.command | grep -q 'rm -rf /'",
    'read line; echo "$line" >&2; exit 2',
    "echo $HOOK_TOOL >> .claude/hooks.log",
    "tee -a .claude/hooks.log",
    "mkdir -p .claude/logs && touch .claude/logs/x.txt",
    "[ -f .claude/off.txt ] && exit 0",
    'black "$FILE_PATH"',
    "git diff --stat src/main.py",
    "/usr/bin/notify-send hello",
    "~/bin/mine.sh",
    "sed -n s/a/b/p",
    "grep -r needle/in.haystack",
    "curl -s https://example.org/x.sh",
    "python3 -I -c 'import sys, json; json.load(sys.stdin)'",
    "node -e 'console.log(1)'",
    "perl -pe 's/a/b/'",
    Call(target="builtin:guard"),
    Http(url="https://example.org/a.sh"),
    Prompt(prompt="is ./a.sh fine?"),
    McpTool(server="./a.sh", tool="b"),
]


@pytest.mark.parametrize("action", NOTHING, ids=ids)
def test_what_runs_nothing_of_the_project_pins_nothing(here: Place, action: Action | str) -> None:
    assert pinning(here.hook(action), here.path) == Pinning()


OPEN: list[tuple[Action | str, str]] = [
    ("pytest -q", "pytest runs the project's tests"),
    ("python -m pytest", "pytest runs the project's tests"),
    ("timeout 60 cargo test", "cargo runs the project's build"),
    ("go vet ./...", "go runs the project's build"),
    ("./gradlew check", "gradlew runs the project's build"),
    ("npx eslint .", "npx runs what the project installs"),
    ("eslint --fix x.js", "eslint loads the project's configuration as code"),
    ("npm install", "npm install runs what the project installs"),
    ("git commit -am x", "git commit runs the repository's own hooks"),
    ('bash "$SCRIPT"', "it runs a file whose name is not known"),
    ("bash ${SCRIPT:-a.sh}", "it runs a file whose name is not known"),
    ('bash "$1"', "it runs a file whose name is not known"),
    ("$TOOL x", "it runs a program whose name is not known"),
    ("$(cat data.json)", "it runs a program whose name is not known"),
    ('mytool "$FILE"', "mytool is given a word that is not known"),
    ("sh *.sh", "it runs a file whose name is not known"),
    ("cat rules/*.md", "cat is given a glob"),
    ('eval "$(cat x)"', "eval runs text it is given"),
    ("curl -s https://example.org | sh", "sh runs text that is not known"),
    ("cat a.sh | sh", "sh runs text that is not known"),
    ("sh", "sh runs what it reads"),
    ("python3", "python3 runs what it reads"),
    ("python3 -c 'import json'", "imports from the current folder first"),
    ("python3 -I -c 'exec(open(1).read())'", "inline code may load files"),
    ("node -e 'require(\"./a\")'", "inline code may load files"),
    ("sh sub", "sub is a folder"),
    ("python3 .", "it runs a folder"),
    ("find . -name x -exec sh {} ;", "only known when it runs"),
    ("find . -name a.sh | xargs sh", "only known when it runs"),
    ("for f in $(ls hooks); do sh hooks/$f; done", "only known when it runs"),
    ("find . -name a.sh | while read f; do sh $f; done", "only known when it runs"),
    ("cd $(ls -d hooks*) && ./a.sh", "only known when it runs"),
    ("set -- $(ls); sh $1", "only known when it runs"),
    ("f() { sh $1; }; f $(which a.sh)", "only known when it runs"),
    ("xargs -n1 bash", "it runs a file whose name is not known"),
    ('cd "$X" && ./a.sh', "in a folder that is not known"),
    ("x=$$; y=$x; sh a$y.sh", "only known when it runs"),
    ("sh a$?.sh", "only known when it runs"),
    ("sh a$((1 + 1)).sh", "only known when it runs"),
    ("sh a${#X}.sh", "only known when it runs"),
    ("../other.sh", "outside the project"),
    ("/dev/shm/x.sh", "outside the project"),
    ("PYTHONPATH=lib python3 tool.py", "it puts folders of the project on PYTHONPATH"),
    ("export PATH=$PWD/bin:$PATH; tool", "it puts folders of the project on PATH"),
    ("BASH_ENV=$(ls lib*) bash -c true", "it runs a file whose name is not known"),
    ("echo 'exit 0' > new.sh; sh new.sh", "it uses new.sh, which it writes itself"),
    ('awk "$PROGRAM"', "awk runs a program that is not known"),
    ("if [", "it is not a shell command that can be read"),
    ("echo \0", "it cannot be read"),
    ("x" * 200_000, "it cannot be read"),
    (Command(command=".\\check.ps1", interpreter="pwsh"), "it is written for pwsh"),
    (Argv(argv=("bash", "${FILE}")), "it runs a file whose name is not known"),
    (Call(target="no module:f"), "which is not known"),
]


@pytest.mark.parametrize(("action", "why"), OPEN, ids=ids)
def test_what_cannot_be_listed_is_open(here: Place, action: Action | str, why: str) -> None:
    found = pinning(here.hook(action), here.path)
    assert found.open
    assert why in found.why


def test_files_that_shells_run_first_are_pinned(here: Place) -> None:
    assert "lib.sh" in pinning(here.hook("BASH_ENV=lib.sh bash -c true"), here.path).files
    assert "sub/rc" in pinning(here.hook("cd sub; ENV=rc sh -i"), here.path).files
    assert pinning(here.hook("bash -c true", env={"BASH_ENV": "lib.sh"}), here.path).files == ("lib.sh",)


def test_the_hooks_own_folder_and_variables_count(here: Place) -> None:
    assert pinning(here.hook("./run.sh", cwd="sub"), here.path) == Pinning(files=("sub/run.sh",))
    assert pinning(here.hook('sh "$S"', env={"S": "a.sh"}), here.path).files == ("a.sh",)
    assert pinning(here.hook("tool", env={"PATH": f"{here.path}/bin:/bin"}), here.path).open
    plugin = here.hook('"${CLAUDE_PLUGIN_ROOT}"/x.sh')
    plugin = replace(plugin, source=replace(plugin.source, root=f"{here.path}/plugins/p"))
    assert pinning(plugin, here.path).files == ("plugins/p/x.sh",)


def test_the_project_s_variable_is_known_only_in_hooks_of_the_dialect_that_sets_it(here: Place) -> None:
    claude, command = here.hook("true"), Command(command='"$OMNIHOOK_PROJECT_DIR"/a.sh')
    own = replace(claude, action=command, source=replace(claude.source, dialect="omnihook"))
    assert pinning(own, here.path) == Pinning(files=("a.sh",))
    assert pinning(replace(claude, action=command), here.path).open


def test_a_project_may_be_reached_by_a_link(tmp_path: Path, here: Place) -> None:
    way = tmp_path / "way"
    way.symlink_to(here.root)
    for root in (way, here.root):
        for project in (str(way), here.path):
            assert pinning(here.hook(f"sh {root}/a.sh"), project).files == ("a.sh",)


def test_a_program_that_path_finds_in_the_project_is_pinned(here: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    here.write(".venv/bin/python3")
    monkeypatch.setenv("PATH", f"{here.path}/.venv/bin:{os.environ['PATH']}")
    assert pinning(here.hook("python3 check"), here.path).files == ("check", ".venv/bin/python3")


def test_python_imports_what_lies_beside_a_hook_script(here: Place) -> None:
    here.write(".claude/hooks/check.py")
    here.write(".claude/hooks/json.py")
    assert pinning(here.hook("python3 .claude/hooks/check.py"), here.path).files == (
        ".claude/hooks/check.py",
        ".claude/hooks/json.py",
    )


def test_too_many_pins_are_open(here: Place) -> None:
    for number in range(MAX_FILES + 1):
        here.write(f"many/{number}")
    found = pinning(here.hook("true", pins=("many/*",)), here.path)
    assert (len(found.files), found.open, found.why) == (
        MAX_FILES,
        True,
        f"its globs match more than {MAX_FILES} files",
    )


def test_a_file_too_large_to_hash_is_open(here: Place) -> None:
    os.truncate(here.write("giant.bin"), 1 << 40)
    found = pinning(here.hook("./giant.bin"), here.path)
    assert (found.files, found.why) == (("giant.bin",), "giant.bin is too large to be hashed")


def test_names_survive_being_kept(here: Place) -> None:
    for action, _ in (*PINNED, *OPEN):
        names = read_names(here.hook(action, pins=("x/**",)), here.path)
        assert from_json(names.to_json()) == names
    assert from_json({"reader": 0}) is None
    assert from_json({"reader": READER, "files": [1]}) is None


GLOBS = ["**", "**/*.py", "*.py", "a/*", "a/**/b.py", "[ab]/?.py", "**/a/**", "x/y", "./a/b.py", "**/**/**/*.py"]
FILES = ["a.py", "b.py", "a/b.py", "a/a/b.py", "b/a/c.py", "b/x.txt", ".hid/a.py", "x/y", "a/deep/er/b.py"]


def test_globs_match_as_pathlib_does(here: Place) -> None:
    for name in FILES:
        here.write(f"globs/{name}")
    root = here.root / "globs"
    for glob in GLOBS:
        wanted = {path for path in root.glob(glob if glob != "**" else "**/*") if path.is_file()}
        if glob == "**/a/**":  # here `**` at the end means files, too
            wanted = {path for path in root.rglob("*") if path.is_file() and "a" in path.relative_to(root).parts[:-1]}
        found, many = matching(str(root), [glob], 100)
        assert (set(found), many) == ({str(path.relative_to(root)) for path in wanted}, False), glob


def test_globs_stay_in_the_project_and_out_of_git(tmp_path: Path, here: Place) -> None:
    (tmp_path / "secret").write_text("x")
    (here.root / "up").symlink_to("..")
    here.write(".git/config")
    for globs in (["../*"], ["up/*"], ["/etc/passwd"], [".git/*"], [""]):
        assert matching(here.path, globs, 100) == ((), False)
    assert not any(path.startswith((".git/", "up/")) for path in matching(here.path, ["**"], 100)[0])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text("ab $\"'`(){}[]<>|&;*?~!#=\\/.-\n\0x", max_size=40))
def test_no_text_makes_reading_fail(here: Place, text: str) -> None:
    found = pinning(here.hook(text), here.path)
    assert all(not name.startswith(("/", "../")) and name != ".." for name in found.files)
    assert found.open == bool(found.why)
