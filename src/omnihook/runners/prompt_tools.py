"""What an agent hook may look at: files below one folder, read-only, bounded, and never a secret's file."""

import fnmatch
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from omnihook.slotted import dataclass

READ_CAP = 64 << 10
FILE_CAP = 1 << 20  # larger files are not searched, and read only so far
SEARCH_CAP = 32 << 20
MAX_LINES = 200
MAX_FILES = 500
MAX_ENTRIES = 20_000

SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".mypy_cache", ".tox"})
PROTECTED = (
    *(".env", ".env.*", "*.env", ".envrc", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd"),
    *("*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.tfstate", "*.tfstate.*", "*.tfvars"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".git-credentials", "credentials", "credentials.json"),
    *("secrets.json", "secrets.toml", "secrets.yaml", "secrets.yml", "service-account*.json"),
    *(".ssh", ".aws", ".gnupg", ".azure", ".kube", ".docker", ".password-store"),
)
HARMLESS = frozenset({".env.example", ".env.sample", ".env.template", ".env.dist"})
_SYSTEM = (Path("/proc"), Path("/sys"), Path("/dev"))


class _RefusedError(Exception):
    """A look that is not allowed; the text is for the model."""


@dataclass(frozen=True, slots=True)
class Project:
    """A folder as a model may see it; every answer is text, also the refusals."""

    root: Path  # resolved
    deadline: float  # time.monotonic()

    @classmethod
    def at(cls, cwd: str, deadline: float) -> "Project":
        """The project in a folder, which need not exist."""
        return cls(Path(cwd).resolve(), deadline)

    def tools(self) -> tuple[Callable[..., str], ...]:
        """The functions a model may call."""
        return (self.read_file, self.list_files, self.search_text)

    def read_file(self, path: str, start_line: int = 1) -> str:
        """Read a text file of the project, from a line on; long files are cut and say so."""
        try:
            data = _read(self._inside(path))
        except (_RefusedError, OSError, ValueError) as trouble:
            return _sorry(path, trouble)
        if b"\0" in data[:8192]:
            return f"{path} is not a text file"
        lines = data.decode("utf-8", "replace").splitlines(keepends=True)[max(start_line, 1) - 1 :]
        text = "".join(lines)
        if len(text) <= READ_CAP:
            return text
        kept = text[:READ_CAP]
        return f"{kept}\n[cut here; go on with start_line={max(start_line, 1) + kept.count(chr(10))}]"

    def list_files(self, folder: str = ".", pattern: str = "*") -> str:
        """List the files below a folder of the project whose path or name fits a pattern such as *.py."""
        try:
            top = self._inside(folder)
            found = []
            for path in self._files(top):
                name = path.relative_to(self.root).as_posix()
                if fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(path.name, pattern):
                    found.append(name)
                if len(found) == MAX_FILES:
                    found.append(f"[cut here after {MAX_FILES} files]")
                    break
        except (_RefusedError, OSError, ValueError) as trouble:
            return _sorry(folder, trouble)
        return "\n".join(found) or "no files"

    def search_text(self, text: str, folder: str = ".") -> str:
        """Find lines that contain a text, as it stands and in any case, in the files below a folder."""
        try:
            found = list(self._hits(text.lower(), self._inside(folder)))
        except (_RefusedError, OSError, ValueError) as trouble:
            return _sorry(folder, trouble)
        return "\n".join(found) or "no matches"

    def _hits(self, text: str, top: Path) -> Iterator[str]:
        count, read = 0, 0
        for path in self._files(top):
            try:
                data = _read(path)
            except (OSError, _RefusedError):
                continue
            read += len(data)
            if read > SEARCH_CAP or time.monotonic() > self.deadline:
                yield "[stopped here: too much to search; name a folder]"
                return
            for number, line in _matching(data, text):
                yield f"{path.relative_to(self.root).as_posix()}:{number}: {line[:200]}"
                count += 1
                if count == MAX_LINES:
                    yield f"[cut here after {MAX_LINES} lines]"
                    return

    def _inside(self, path: str) -> Path:
        """The real path behind a name; what leaves the project or is protected is refused."""
        full = (self.root / path).resolve()
        if not full.is_relative_to(self.root):
            raise _RefusedError("it is outside the project")
        if any(full.is_relative_to(folder) for folder in _SYSTEM):
            raise _RefusedError("it belongs to the system")
        named = Path(os.path.normpath(path)).parts
        if any(protected(part) for part in (*full.relative_to(self.root).parts, *named)):
            raise _RefusedError("it may hold secrets")
        return full

    def _files(self, top: Path) -> Iterator[Path]:
        """Plain files in order, without secrets, links and what tools generate."""
        if top.is_file():
            yield top
            return
        seen = 0
        for folder, folders, files in os.walk(top):
            folders[:] = sorted(name for name in folders if name not in SKIPPED and not protected(name))
            for name in sorted(files):
                seen += 1
                if seen > MAX_ENTRIES or time.monotonic() > self.deadline:
                    return
                path = Path(folder, name)
                if not protected(name) and not path.is_symlink():
                    yield path


def protected(name: str) -> bool:
    """Whether a file or folder of this name may hold secrets."""
    lowered = name.lower()
    return lowered not in HARMLESS and any(fnmatch.fnmatchcase(lowered, pattern) for pattern in PROTECTED)


def _read(path: Path) -> bytes:
    # Not blocking, because a named pipe would wait for a writer; not following, because the path is resolved.
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise _RefusedError("it is not a plain file")
        return file.read(FILE_CAP)


def _matching(data: bytes, text: str) -> Iterator[tuple[int, str]]:
    if b"\0" in data[:8192]:
        return
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
        if text in line.lower():
            yield number, line


def _sorry(path: str, trouble: Exception) -> str:
    why = trouble.strerror if isinstance(trouble, OSError) else str(trouble)
    return f"{path} cannot be read: {why}"
