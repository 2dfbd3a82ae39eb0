"""What programs do with the files a command names, as data: which run them, write them, only look at them."""

import re

from omnihook.shell.tables import names
from omnihook.slotted import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """A program that runs the file given as its first operand.

    `inline` options hold code, `values` take a value that is no file, `loads` a file to run first, and
    `module` names a module. A group of letters may end in one of `joined` (`-lne`, `-Im`). With one of the letters
    `isolated`, inline code loads nothing from the current folder.
    """

    inline: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    loads: tuple[str, ...] = ()
    module: str | None = None
    joined: str = ""
    isolated: str = ""
    careless: bool = False  # inline code looks for what it imports in the current folder first


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """A program whose tasks stand in a file of the project: its names, and how another one is chosen.

    `upward` ones look in the folders above too; `open_verbs` run more than the file says.
    """

    files: tuple[str, ...]
    file_options: tuple[str, ...] = ()
    folder_options: tuple[str, ...] = ()
    open_verbs: frozenset[str] = frozenset()
    upward: bool = True


_PYTHON = Interpreter(
    inline=("-c",),
    values=("-W", "-X", "--check-hash-based-pycs"),
    module="-m",
    isolated="IP",
    joined="cm",
    careless=True,
)
_NODE = Interpreter(
    inline=("-e", "--eval", "-p", "--print", "-pe"),
    values=("-C", "--conditions", "--title", "--input-type", "--stack-trace-limit"),
    loads=("-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file"),
)
INTERPRETERS: dict[str, Interpreter] = {
    "python": _PYTHON,
    "pypy": _PYTHON,
    "node": _NODE,
    "nodejs": _NODE,
    "tsx": _NODE,
    "ts-node": _NODE,
    "ruby": Interpreter(inline=("-e",), values=("-I", "-E"), loads=("-r",), joined="e"),
    "perl": Interpreter(inline=("-e", "-E"), values=("-I",), joined="eE"),
    "php": Interpreter(inline=("-r", "-R", "-B", "-E"), values=("-d", "-c", "-S"), loads=("-f", "-F")),
    "lua": Interpreter(inline=("-e",), loads=("-l",)),
    "Rscript": Interpreter(inline=("-e",)),
    "osascript": Interpreter(inline=("-e",), values=("-l",)),
    "tclsh": Interpreter(),
    "expect": Interpreter(inline=("-c",), loads=("-f",)),
    "guile": Interpreter(inline=("-c",), loads=("-l", "-s")),
    "emacs": Interpreter(loads=("-l", "--load", "--script")),
    "java": Interpreter(values=("-cp", "-classpath", "--class-path"), loads=("-jar",)),
}
LOADING = re.compile(
    r"\b(require|import|load|include|open|exec|system|popen|spawn|eval|do|readFile\w*|subprocess|runpy|importlib|path)\b|`"
)
ISOLATED_LOADING = re.compile(
    r"\b(open|exec\w*|eval|system|popen|spawn\w*|subprocess|runpy|importlib|__import__|path\w*|glob|ctypes)\b"
)

_NPM = Runner(
    files=("package.json",),
    folder_options=("--prefix", "-C", "--dir", "--cwd"),
    open_verbs=names("exec x dlx create init install i ci add update up rebuild publish pack link"),
)
RUNNERS: dict[str, Runner] = {
    **dict.fromkeys(
        ("make", "gmake", "bmake"),
        Runner(
            files=("GNUmakefile", "makefile", "Makefile"),
            file_options=("-f", "--file", "--makefile"),
            folder_options=("-C", "--directory"),
            upward=False,
        ),
    ),
    **dict.fromkeys(("npm", "pnpm", "yarn"), _NPM),
    "just": Runner(
        files=("justfile", "Justfile", ".justfile"),
        file_options=("-f", "--justfile"),
        folder_options=("-d", "--working-directory"),
    ),
    "task": Runner(
        files=("Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml"),
        file_options=("-t", "--taskfile"),
        folder_options=("-d", "--dir"),
    ),
    "rake": Runner(
        files=("rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"),
        file_options=("-f", "--rakefile"),
    ),
    "composer": Runner(
        files=("composer.json",),
        folder_options=("-d", "--working-dir"),
        open_verbs=names("install update require exec create-project"),
    ),
    "invoke": Runner(files=("tasks.py", "tasks/__init__.py"), folder_options=("-r", "--search-root")),
    "inv": Runner(files=("tasks.py", "tasks/__init__.py"), folder_options=("-r", "--search-root")),
}

_OPEN = {
    "runs the project's tests": (
        "pytest py.test tox nox nose2 unittest trial jest vitest mocha ava karma cypress playwright rspec "
        "minitest phpunit pest ctest bats behave cucumber robot stestr green ward"
    ),
    "runs the project's build": (
        "cargo go mvn mvnw gradle gradlew ant sbt bazel bazelisk buck2 cmake ninja meson scons dotnet msbuild "
        "swift xcodebuild stack cabal mix rebar3 lein zig dune nx turbo lerna rush webpack vite rollup parcel "
        "gulp grunt doit fab pants mage flutter dart earthly dagger"
    ),
    "runs what the project installs": (
        "npx bunx pnpx bun deno uv uvx poetry pipenv pdm hatch rye pip pip3 pipx bundle gem conda mamba direnv "
        "mise asdf nix nix-shell nix-build devbox docker docker-compose podman vagrant corepack"
    ),
    "loads the project's configuration as code": (
        "eslint prettier stylelint babel husky lint-staged commitlint pre-commit prek lefthook overcommit "
        "semantic-release rubocop mypy dmypy pylint flake8 tslint next ng nuxt astro rails sphinx-build mkdocs "
        "ansible ansible-playbook terraform tofu pulumi vue-tsc svelte-check coverage django-admin"
    ),
    "runs every file of a folder": ("run-parts"),
    "runs text it is given": ("eval"),
}
OPEN: dict[str, str] = {name: why for why, names in _OPEN.items() for name in names.split()}

# Git runs the repository's own hooks, filters and aliases on these.
GIT_OPEN = names("commit push pull merge rebase checkout switch am cherry-pick revert worktree clone gc")

WRITERS = names(
    "tee touch rm rmdir mkdir mktemp truncate chmod chown chgrp cp mv ln install rsync shred unlink mkfifo split"
)
# Names, not contents, are what these are about; or the file is what they work on, not what they do.
LOOKERS = names(
    "echo printf test [ [[ true false : exit return break continue cd pushd popd pwd export unset set shift read "
    "local declare typeset readonly date sleep wait kill ls stat find fd basename dirname realpath readlink file "
    "du df wc sha256sum sha1sum md5sum cksum git gh glab hub svn hg jj id whoami hostname uname seq expr tput "
    "clear type which hash command pgrep ps lsof notify-send terminal-notifier say afplay aplay paplay logger "
    "open xdg-open black ruff isort autopep8 yapf gofmt goimports rustfmt shfmt shellcheck clang-format yamllint "
    "jsonlint taplo biome dprint pyright tsc hadolint actionlint markdownlint swiftformat swiftlint ktlint "
    "scalafmt nixfmt stylua trap ulimit umask alias unalias getopts let mapfile readarray jobs bg fg disown times "
    "builtin"
)
# These read what they are given and run none of it, so an operand nobody can know opens nothing.
READERS = names(
    "cat head tail tac nl less more sort uniq cut tr paste join comm diff cmp jq yq tomlq xmllint grep egrep "
    "fgrep rg ag ack sed gsed awk gawk mawk nawk column fold fmt rev strings od xxd hexdump base64 curl wget http "
    "xh nc bc zcat gzip gunzip tar unzip zip iconv envsubst numfmt shuf xclip xsel wl-copy pbcopy"
)
PROGRAM_FIRST = names("jq yq grep egrep fgrep rg ag ack sed gsed awk gawk mawk nawk")
PROGRAM_RUNS = names("sed gsed awk gawk mawk nawk")  # their programs can start others
PROGRAM_OPTIONS = ("-e", "--expression", "--regexp")
PROGRAM_FILES = ("-f", "--file", "--from-file")

# Variables that put folders on a search path for code.
SEARCH_PATHS = names(
    "PATH PYTHONPATH PYTHONHOME NODE_PATH PERL5LIB PERLLIB RUBYLIB GEM_PATH LUA_PATH CLASSPATH LD_LIBRARY_PATH "
    "LD_PRELOAD DYLD_LIBRARY_PATH DYLD_INSERT_LIBRARIES GIT_EXEC_PATH GOPATH R_LIBS"
)
SOURCED = names("BASH_ENV ENV")  # variables that name a file which shells run first
SHARED_FOLDERS = ("/tmp/", "/var/tmp/", "/dev/shm/", "/proc/", "/dev/fd/")
