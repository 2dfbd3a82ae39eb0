"""Makes the environment of the measurements and runs them in it: `python -m bench.prepare [CASE]...`.

The peer needs a newer Python than we do, so the newest that can be found is taken, for ourselves and for the peer.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
VENV = ROOT / ".venv-bench"
NEWEST_FIRST = ("python3.14", "python3.13", "python3.12")
PEER_NEEDS = (3, 12)
# What the cases import. Some others of our requirements and the peer's cannot be installed together.
USED = frozenset({"bracex", "click", "google-re2", "regex", "tree-sitter", "tree-sitter-bash"})


def main(cases: list[str]) -> int:
    """Install what is not installed yet, and become the measurements."""
    stamp = VENV / ".installed"
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text() != wanted:
        _install(_newest())
        stamp.write_text(wanted)
    os.chdir(ROOT)
    python = str(VENV / "bin/python")
    subprocess.run((python, "-m", "compileall", "-q", "src"), check=True)  # who starts us must not also compile us
    os.execv(python, (python, "-m", "bench", *cases))


def _newest() -> str:
    """The newest Python that the peer can use, else the one that runs this."""
    named = [found for name in NEWEST_FIRST if (found := shutil.which(name)) and _version(found) >= PEER_NEEDS]
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    kept = [str(path) for path in versions.glob("3.*/bin/python") if _version(str(path)) >= PEER_NEEDS]
    return max([*kept, *named], key=_version, default=sys.executable)


def _version(python: str) -> tuple[int, ...]:
    """What an interpreter says of itself; nothing when it does not run."""
    code = "import sys; print(*sys.version_info[:3])"
    ran = subprocess.run((python, "-c", code), capture_output=True, text=True, check=False)
    return tuple(int(part) for part in ran.stdout.split())


def _install(python: str) -> None:
    print(f"making {VENV.name} with {python}", file=sys.stderr)
    subprocess.run((python, "-m", "venv", "--clear", VENV), check=True)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    needed = [text for text in project["project"]["dependencies"] if _name(text) in USED]
    for arguments in (
        ("--upgrade", "pip"),
        ("--group", "bench", *needed),
        ("--no-deps", "--editable", "."),
    ):
        subprocess.run((VENV / "bin/python", "-m", "pip", "install", "--quiet", *arguments), check=True, cwd=ROOT)


def _name(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9_.-]", requirement, maxsplit=1)[0].lower()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
