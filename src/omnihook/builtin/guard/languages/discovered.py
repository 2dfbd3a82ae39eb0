"""Tools that find code by its file's name and run it: test runners, installers, task runners."""

import fnmatch
from collections.abc import Iterator

from omnihook.builtin.guard.effects import Act, Effect, Note, Shell
from omnihook.shell.saving import contents
from omnihook.shell.values import Command
from omnihook.shell.watching import Written

_JS_TESTS = ("*.test.[jt]s*", "*.spec.[jt]s*", "*.test.[cm]js", "*.config.[jt]s", "*.config.[cm]js", "*.setup.[jt]s")
_TOOLS: dict[str, tuple[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        ("pytest", "py.test", "unittest", "nose2", "tox", "nox", "coverage"),
        ("python", ("test_*.py", "*_test.py", "tests.py", "conftest.py", "noxfile.py", "sitecustomize.py")),
    ),
    **dict.fromkeys(("pip", "pip3", "pipx", "build", "easy_install"), ("python", ("setup.py",))),
    **dict.fromkeys(("invoke", "inv", "fab"), ("python", ("tasks.py", "fabfile.py"))),
    "scons": ("python", ("SConstruct", "SConscript")),
    **dict.fromkeys(("jest", "vitest", "mocha", "ava", "playwright", "cypress", "tap"), ("node", _JS_TESTS)),
    **dict.fromkeys(("vite", "webpack", "rollup", "eslint", "next", "esbuild", "tailwindcss"), ("node", _JS_TESTS)),
    **dict.fromkeys(("gulp", "grunt"), ("node", ("gulpfile.*js", "Gruntfile.js"))),
    **dict.fromkeys(("rake", "rails"), ("ruby", ("Rakefile", "rakefile", "*.rake"))),
    **dict.fromkeys(("rspec", "minitest"), ("ruby", ("*_spec.rb", "spec_helper.rb"))),
    **dict.fromkeys(("bundle", "bundler"), ("ruby", ("Gemfile",))),
    "vagrant": ("ruby", ("Vagrantfile",)),
    "fastlane": ("ruby", ("Fastfile",)),
    **dict.fromkeys(("phpunit", "pest"), ("php", ("*Test.php", "bootstrap.php"))),
    "prove": ("perl", ("*.t",)),
    "busted": ("lua", ("*_spec.lua",)),
}


def discovers(command: Command) -> bool:
    """Whether the command may run code that it finds among files this script wrote."""
    return bool(command.files) and _tool(command) in _TOOLS


def discovered(command: Command) -> Iterator[Act]:
    """What the code does that such a tool finds. What it does to paths nobody can know is the tool's business."""
    from omnihook.builtin.guard.languages.interpreting import code_acts
    from omnihook.builtin.guard.languages.surroundings import Around

    spoken, patterns = _TOOLS[_tool(command)]
    below = command.cwd.text.rstrip("/") + "/"
    named = {path for path, _ in contents(command)}
    for path, text in command.files.items():
        name = path.rsplit("/", 1)[-1]
        found = any(fnmatch.fnmatchcase(name, one) for one in patterns) or path.removeprefix(below) in named
        if not found or not path.startswith(below) or not text.known:
            continue
        for act in code_acts(text, Around(language=spoken, home=command.home)):
            if _is_plain(act):
                yield act


def _is_plain(act: Act) -> bool:
    match act:
        case Effect():
            return act.target.known
        case Shell():
            return act.text.known
        case Note() | Written():
            return True


def _tool(command: Command) -> str:
    """The tool's name; `python -m tool` is the tool."""
    words = command.words
    if command.name.startswith("python") and words[1:2] == ("-m",) and len(words) > 2:
        return words[2]
    return command.name
