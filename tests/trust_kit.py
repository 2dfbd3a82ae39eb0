"""A project with hooks in it, and a store of approvals beside it."""

from dataclasses import dataclass
from pathlib import Path

from omnihook.hooks import Action, Command, Hook, Layer, Source
from omnihook.trust import TrustStore


@dataclass(frozen=True, slots=True)
class Place:
    """A project folder, with short ways to fill it."""

    root: Path

    @property
    def path(self) -> str:
        return str(self.root)

    def write(self, name: str, text: str = "exit 0\n") -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def hook(self, action: Action | str, *, name: str = "Stop:1", **fields: object) -> Hook:
        made = Command(command=action) if isinstance(action, str) else action
        source = Source(
            dialect="claude-code", layer=Layer.PROJECT, path=f"{self.path}/.claude/settings.json", pointer=("Stop", 0)
        )
        given = {"events": ("Stop",), "native_events": ("Stop",), "source": source, **fields}
        return Hook(name=name, action=made, **given)  # type: ignore[arg-type]


def place(folder: Path) -> Place:
    """A project in a folder, made when missing."""
    folder.mkdir(parents=True, exist_ok=True)
    return Place(folder.resolve())


def store(folder: Path) -> TrustStore:
    """A store of its own, as another process would open it."""
    return TrustStore(str(folder / "state"))
