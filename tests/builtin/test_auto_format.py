"""Real formatters on real files: prettier, eslint and biome from npm, ruff from our own environment."""

import os
import shutil
from pathlib import Path

import pytest

from builtin.kit import Place
from omnihook.errors import UsageError
from omnihook.events import FileModified
from omnihook.verdicts import Verdict

pytestmark = pytest.mark.timeout(120)  # the first test waits for npm

UGLY = 'const a = {b:1,\n  c:"two"}\n\nexport   default a\n'
PRETTY = 'const a = { b: 1, c: "two" };\n\nexport default a;\n'
BIOME = 'const a = { b: 1, c: "two" };\n\nexport default a;\n'
ESLINT = "export default [{ rules: { semi: ['error', 'always'], quotes: ['error', 'single'] } }];\n"


def use(place: Place, node_modules: Path, *names: str) -> None:
    """Give the project some of the formatters."""
    bin_folder = place.project / "node_modules" / ".bin"
    bin_folder.mkdir(parents=True)
    for name in names:
        (bin_folder / name).symlink_to(node_modules / ".bin" / name)
    place.write("package.json", {"type": "module"})


def text(place: Place, path: str) -> str:
    return (place.project / path).read_text()


def test_prettier_formats_and_says_so(place: Place, node_modules: Path) -> None:
    use(place, node_modules, "prettier")
    place.write("src/a.js", UGLY)
    said = place.run("auto-format", place.changed("src/a.js"))
    assert text(place, "src/a.js") == PRETTY
    assert said == Verdict.context("prettier reformatted src/a.js; read it before editing it.")
    assert place.run("auto-format", place.changed("src/a.js")) is None  # nothing left to do, so nothing to say


def test_prettier_takes_every_listed_kind_of_file(place: Place, node_modules: Path) -> None:
    use(place, node_modules, "prettier")
    files = {
        "a.json": '{"a":1}',
        "a.css": "a{b:c}",
        "a.md": "*  x\n*  y\n",
        "a.tsx": "let a  = <b/>",
        "a.scss": "a{b:c}",
    }
    for name, ugly in files.items():
        place.write(name, ugly)
        assert place.run("auto-format", place.changed(name)) is not None, name
        assert text(place, name) != ugly


def test_eslint_comes_second_and_fixes_what_it_can(place: Place, node_modules: Path) -> None:
    use(place, node_modules, "eslint", "biome")
    place.write("eslint.config.js", ESLINT)
    place.write("a.js", 'let a = "x"\n')
    said = place.run("auto-format", place.changed("a.js"))
    assert (text(place, "a.js"), said) == ("let a = 'x';\n", Verdict.context(_said("eslint", "a.js")))


def test_biome_comes_last_and_takes_what_eslint_does_not(place: Place, node_modules: Path) -> None:
    use(place, node_modules, "eslint", "biome")
    place.write("eslint.config.js", ESLINT)
    place.write("a.css", "a{b:c}")
    assert place.run("auto-format", place.changed("a.css")) == Verdict.context(_said("biome", "a.css"))
    assert text(place, "a.css") == "a {\n\tb: c;\n}\n"


def test_prettier_goes_before_the_others(place: Place, node_modules: Path) -> None:
    use(place, node_modules, "prettier", "eslint", "biome")
    place.write("eslint.config.js", ESLINT)
    place.write("a.js", UGLY)
    assert place.run("auto-format", place.changed("a.js")) == Verdict.context(_said("prettier", "a.js"))
    assert text(place, "a.js") == PRETTY


def test_what_one_cannot_do_the_next_does(place: Place, node_modules: Path) -> None:
    use(place, node_modules, "prettier", "biome")
    place.write(".prettierrc", "{ this is no configuration")
    place.write("a.js", UGLY)
    assert place.run("auto-format", place.changed("a.js")) == Verdict.context(_said("biome", "a.js"))
    assert text(place, "a.js") == BIOME


def test_every_formatter_may_be_wanted_and_their_order_chosen(place: Place, node_modules: Path) -> None:
    use(place, node_modules, "prettier", "eslint")
    place.write("eslint.config.js", ESLINT)
    place.write("a.js", UGLY)
    said = place.run("auto-format", place.changed("a.js"), every=True, formatters=["prettier", "eslint"])
    assert said == Verdict.context(_said("prettier and eslint", "a.js"))
    assert text(place, "a.js") == PRETTY.replace('"', "'")
    with pytest.raises(UsageError, match="did you mean 'prettier'"):
        place.run("auto-format", place.changed("a.js"), formatters=["pretier"])


def test_a_workspace_member_uses_the_formatter_of_its_root(place: Place, node_modules: Path) -> None:
    use(place, node_modules, "prettier")
    (place.project / ".git").mkdir()
    place.write("packages/one/src/a.js", UGLY)
    event = place.changed(str(place.project / "packages/one/src/a.js"))
    assert place.run("auto-format", event) is not None


def test_what_must_be_left_alone(place: Place, node_modules: Path) -> None:
    use(place, node_modules, "prettier")
    (place.project / ".git").mkdir()
    outside = place.root / "outside.js"
    outside.write_text(UGLY)
    place.write("a.js", UGLY)
    place.write("a.txt", UGLY)
    (place.project / "link.js").symlink_to(outside)
    events = [place.changed("a.js", "delete"), place.changed("gone.js"), place.changed("a.txt")]
    events += [place.changed(str(outside)), place.changed("link.js"), place.changed("../outside.js")]
    assert [place.run("auto-format", event) for event in events] == [None] * len(events)
    assert (text(place, "a.js"), text(place, "a.txt"), outside.read_text()) == (UGLY, UGLY, UGLY)


def test_a_file_that_cannot_be_parsed_stays_and_fails_nobody(place: Place, node_modules: Path) -> None:
    use(place, node_modules, "prettier", "biome")
    place.write("a.js", "const = {{{")
    assert place.run("auto-format", place.changed("a.js")) is None
    assert text(place, "a.js") == "const = {{{"


def test_a_formatter_that_hangs_is_ended(place: Place) -> None:
    slow = place.write("node_modules/.bin/prettier", "#!/bin/sh\nsleep 60\n", mode=0o755)
    place.write("a.js", UGLY)
    assert slow.exists()
    assert place.run("auto-format", place.changed("a.js"), timeout=1) is None


@pytest.mark.parametrize(
    ("name", "marks", "ugly", "neat"),
    [
        ("a.py", {"pyproject.toml": "[tool.ruff]\n"}, "x = {  'a':1 }\n", 'x = {"a": 1}\n'),
        ("a.py", {"ruff.toml": ""}, "x = {  'a':1 }\n", 'x = {"a": 1}\n'),
        ("a.py", {"pyproject.toml": "[tool.other]\n"}, "x = {  'a':1 }\n", "x = {  'a':1 }\n"),
        ("a.py", {"pyproject.toml": "not = [toml"}, "x = {  'a':1 }\n", "x = {  'a':1 }\n"),
    ],
    ids=["pyproject", "ruff.toml", "not configured", "broken pyproject"],
)
def test_ruff_where_the_project_has_it_configured(
    place: Place, name: str, marks: dict[str, str], ugly: str, neat: str
) -> None:
    for file, content in marks.items():
        place.write(file, content)
    place.write(name, ugly)
    place.run("auto-format", place.changed(name))
    assert text(place, name) == neat


@pytest.mark.parametrize(("format_table", "used"), [("", "black"), ("[tool.ruff.format]\n", "ruff")])
def test_black_formats_where_ruff_only_lints(place: Place, format_table: str, used: str) -> None:
    for program in ("black", "ruff"):
        place.stand_in(program)
    place.write("pyproject.toml", f"[tool.black]\n[tool.ruff]\nline-length = 100\n{format_table}")
    place.write("a.py", "x  =  1\n")
    place.run("auto-format", place.changed("a.py"))
    assert [program for program in ("black", "ruff") if place.calls(program)] == [used]


def test_what_ruff_is_told_to_leave_out_stays(place: Place) -> None:
    place.write("pyproject.toml", '[tool.ruff]\nextend-exclude = ["gen"]\n')
    place.write("gen/a.py", "x  =  1\n")
    assert place.run("auto-format", place.changed("gen/a.py")) is None
    assert text(place, "gen/a.py") == "x  =  1\n"


@pytest.mark.parametrize(("cwd", "path"), [("link", "project"), ("project", "link"), ("link/src", "project")])
def test_a_project_and_a_file_may_be_named_by_way_of_a_link(place: Place, cwd: str, path: str) -> None:
    place.git("init", "-q")
    place.write("ruff.toml")
    place.write("src/deep/a.py", "x  =  1\n")
    (place.root / "link").symlink_to(place.project)
    event = FileModified(
        cwd=str(place.root / cwd), file_path=str(place.root / path / "src/deep/a.py"), change_type="modify"
    )
    assert place.run("auto-format", event) == Verdict.context(
        "ruff reformatted src/deep/a.py; read it before editing it."
    )


@pytest.mark.parametrize(
    ("program", "file", "mark", "called"),
    [
        ("prettier", "a.md", (".prettierrc", "{}"), ["--write", "--log-level", "warn", "--"]),
        ("eslint", "a.ts", ("package.json", '{"devDependencies": {"eslint": "9"}}'), ["--fix", "--"]),
        ("biome", "a.js", ("package.json", '{"devDependencies": {"@biomejs/biome": "2"}}'), ["format", "--write"]),
        ("black", "a.py", ("pyproject.toml", "[tool.black]\n"), ["-q", "--"]),
        ("gofmt", "a.go", ("go.mod", "module x\n"), ["-w"]),
        ("clang-format", "a.cpp", (".clang-format", "BasedOnStyle: LLVM\n"), ["-i"]),
    ],
)
def test_the_users_own_copy_is_used_where_the_project_has_it_configured(
    place: Place, program: str, file: str, mark: tuple[str, str], called: list[str]
) -> None:
    place.stand_in(program)  # these are not on every machine that tests run on
    path = place.write(file, "x\n")
    place.run("auto-format", place.changed(file))
    assert place.calls(program) == []
    place.write(*mark)
    place.run("auto-format", place.changed(file))
    assert place.calls(program) == [[*called, str(path)]]


@pytest.mark.parametrize(
    ("program", "mark", "content"),
    [
        *(("prettier", f".prettierrc.{ending}", "") for ending in ("yml", "toml", "json5", "cjs", "mjs", "ts")),
        *(("prettier", f"prettier.config.{ending}", "") for ending in ("cjs", "mjs", "ts")),
        ("prettier", "package.json", '{"prettier": {}}'),
        *(("eslint", f".eslintrc{ending}", "") for ending in ("", ".yml", ".yaml", ".cjs")),
        *(("eslint", f"eslint.config.{ending}", "") for ending in ("cjs", "ts", "mts")),
        ("eslint", "package.json", '{"eslintConfig": {}}'),
        ("biome", ".biome.jsonc", ""),
    ],
)
def test_every_name_of_a_configuration_counts(place: Place, program: str, mark: str, content: str) -> None:
    place.stand_in(program)
    place.write(mark, content)
    place.write("a.ts", "x\n")
    place.run("auto-format", place.changed("a.ts"))
    assert len(place.calls(program)) == 1


RUSTFMT = """#!/bin/sh
echo "$@" > "$0.words"
sed 's/  */ /g'
"""


@pytest.mark.parametrize(
    ("marks", "edition"),
    [
        ({"Cargo.toml": '[package]\nname = "x"\nedition = "2024"\n'}, "2024"),
        ({"Cargo.toml": '[package]\nname = "x"\n'}, "2015"),
        ({"rustfmt.toml": ""}, "2021"),
        (
            {
                "Cargo.toml": '[workspace.package]\nedition = "2018"\n',
                "src/Cargo.toml": "[package]\nedition.workspace = true\n",
            },
            "2018",
        ),
    ],
    ids=["own", "none", "no crate", "workspace"],
)
def test_rustfmt_is_told_the_edition_and_changes_this_file_alone(
    place: Place, marks: dict[str, str], edition: str
) -> None:
    program = place.stand_ins / "rustfmt"
    program.write_text(RUSTFMT)
    program.chmod(0o755)
    for name, content in marks.items():
        place.write(name, content)
    file = place.write("src/lib.rs", "mod   other;\n", mode=0o755)
    said = place.run("auto-format", place.changed("src/lib.rs"))
    assert said is not None
    assert said.additional_context == _said("rustfmt", "src/lib.rs")
    assert (place.stand_ins / "rustfmt.words").read_text() == f"--edition {edition}\n"
    assert text(place, "src/lib.rs") == "mod other;\n"
    assert file.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("script", ["exit 0", "echo half; exit 1"])
def test_what_a_piped_formatter_did_not_finish_is_not_written(place: Place, script: str) -> None:
    program = place.stand_ins / "rustfmt"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    place.write("Cargo.toml", "")
    place.write("a.rs", "fn  a() {}\n")
    assert place.run("auto-format", place.changed("a.rs")) is None
    assert text(place, "a.rs") == "fn  a() {}\n"


def test_a_formatter_that_fails_half_way_is_told_of(place: Place) -> None:
    place.write("node_modules/.bin/prettier", '#!/bin/sh\nfor last; do :; done\n: > "$last"\nexit 2\n', mode=0o755)
    place.write("a\nb.js", UGLY)
    said = place.run("auto-format", place.changed("a\nb.js"))
    assert said is not None
    assert said.additional_context == "a formatter failed after it had changed a\\nb.js; read it before editing it."


def test_the_native_hook_tells_the_agent(place: Place) -> None:
    assert shutil.which("ruff", path=place.env["PATH"])
    place.write("ruff.toml", "")
    place.write("src/a.py", "x = {  'a':1 }\n")
    place.write("~/.config/omnihook/hooks.toml", '[[hook]]\nbuiltin = "auto-format"\n')
    report = place.fire("PostToolUse", {"tool_name": "Edit", "tool_input": {"file_path": "src/a.py"}})
    assert report.verdict.additional_context == _said("ruff", "src/a.py")
    assert text(place, "src/a.py") == 'x = {"a": 1}\n'


def _said(who: str, path: str) -> str:
    return f"{who} reformatted {path}; read it before editing it."


def test_the_formatters_are_the_real_ones(node_modules: Path) -> None:
    assert all(os.access(node_modules / ".bin" / name, os.X_OK) for name in ("prettier", "eslint", "biome"))
