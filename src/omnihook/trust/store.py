"""The store of approvals: what a hook's standing is, giving and taking trust, and the last look before a start."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cache

from omnihook.errors import TrustError
from omnihook.hooks import Hook
from omnihook.slotted import dataclass
from omnihook.trust import differences
from omnihook.trust.approvals import Approval, Entry, Projects, entry_of
from omnihook.trust.definitions import definition, digest
from omnihook.trust.keeping import Keeper
from omnihook.trust.named import Named
from omnihook.trust.pinning import Pinning, examine, listed, read_names
from omnihook.trust.prints import KEPT, Print, take_print
from omnihook.trust.projects import project_key

TRUSTED, UNTRUSTED, MODIFIED = "trusted", "untrusted", "modified"
Verify = Callable[[Hook, str | None], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Whether a hook may run: trusted, untrusted (never approved) or modified since, and what changed."""

    state: str
    detail: str
    look: Callable[[], tuple[Pinning, str]] = field(repr=False, compare=False)

    @property
    def trusted(self) -> bool:
        """Whether it may run."""
        return self.state == TRUSTED

    @property
    def pinning(self) -> Pinning:
        """What is pinned with it. A hook that does not run is only read when somebody asks."""
        return self.look()[0]

    @property
    def seal(self) -> str:
        """Stands for exactly what was looked at; `approve` takes it, so that nothing else gets approved."""
        return self.look()[1]


@dataclass(frozen=True, slots=True)
class _Known:
    """What need not be found out twice about one hook in one project."""

    hook: Hook  # kept, so that its id stays its own
    identity: str
    real: str


class TrustStore:
    """Approvals in a state folder. Nothing in it is believed that others could have written."""

    def __init__(self, folder: str) -> None:
        self._keeper = Keeper(folder)
        self._known: dict[tuple[int, str], _Known] = {}

    @property
    def path(self) -> str:
        """The file approvals are kept in."""
        return self._keeper.path

    @property
    def notice(self) -> str | None:
        """Why the store counts as empty, when it does."""
        self._keeper.projects()
        return self._keeper.notice

    def standing(self, hook: Hook, project: str) -> Standing:
        """Whether a hook is approved as it is now."""
        known = self._know(hook, project)
        approvals = self._approvals(project)
        same = [approval for approval in approvals if approval.identity == known.identity]
        if not same:
            return self._unapproved(hook, project, known, approvals)
        names = next((approval.names for approval in same if approval.names is not None), None)
        pins, found = examine(names or read_names(hook, project), known.real)
        marks = {path: seen.mark for path, seen in found.items()}
        looked = (pins, _seal(known.identity, marks))
        if any(dict(approval.marks) == marks for approval in same):
            return Standing(state=TRUSTED, detail=pins.why, look=lambda: looked)
        before = _nearest(same, entry_of(hook, project), sure=True)
        detail = differences.changed_files(before.marks if before is not None else {}, marks)
        return Standing(state=MODIFIED, detail=detail, look=lambda: looked)

    def verify(self, hook: Hook, project: str, *, cwd: str | None = None) -> str | None:
        """Asked right before a start: why the hook must not run, or None. Every pinned file is looked at again.

        `cwd` is where it will run; names that depend on the current folder hold only in the one approved.
        """
        return self.verifier(project)(hook, cwd)

    def verifier(self, project: str) -> Verify:
        """`verify` for several hooks started together: the approvals are looked up once, the files each time."""
        approvals: dict[str, list[Approval]] = {}
        for approval in self._approvals(project):
            approvals.setdefault(approval.identity, []).append(approval)

        def verify(hook: Hook, cwd: str | None) -> str | None:
            known = self._know(hook, project)
            same = approvals.get(known.identity)
            return "it is not approved" if same is None else _changed(hook, project, known.real, same, cwd)

        return verify

    def approve(self, hooks: Sequence[Hook], project: str, *, when: float, seals: Sequence[str] | None = None) -> None:
        """Approve hooks as they are now; with the `seals` of standings that were shown, only if nothing changed since.

        Raises `TrustError`.
        """
        self._keeper.prepare()
        made: list[Approval] = []
        for index, hook in enumerate(hooks):
            approval, found = self._approval(hook, project, when)
            if seals is not None and seals[index] != _seal(approval.identity, approval.marks):
                raise TrustError(f"hook {hook.name!r} changed while it was shown; look at it again")
            made.append(approval)
            for path, content in approval.texts.items():
                self._keeper.keep_text(content, found[path].data or b"")
        key = project_key(project)
        self._keeper.change(lambda projects: {**projects, key: _with(projects.get(key, []), made)})
        self._forget()

    def withdraw(self, project: str, hooks: Sequence[Hook] | None = None) -> None:
        """Take back the approval of hooks, or of everything in a project, in all its work trees."""
        key = project_key(project)
        if hooks is None:
            self._keeper.change(lambda projects: {name: held for name, held in projects.items() if name != key})
        else:
            identities = {self._know(hook, project).identity for hook in hooks}
            entries = {entry_of(hook, project) for hook in hooks}

            def left(projects: Projects) -> Projects:
                kept = [
                    approval
                    for approval in projects.get(key, [])
                    if approval.identity not in identities and approval.entry not in entries
                ]
                return {**projects, key: kept}

            self._keeper.change(left)
        self._forget()

    def approved(self, project: str) -> tuple[Approval, ...]:
        """What is approved in a project, for display."""
        return tuple(self._approvals(project))

    def difference(self, hook: Hook, project: str) -> str:
        """What changed since the approval: definition and pinned texts, as unified differences; all of it when new."""
        known = self._know(hook, project)
        approvals = self._approvals(project)
        same = [approval for approval in approvals if approval.identity == known.identity]
        before = _nearest(same or approvals, entry_of(hook, project), sure=bool(same))
        _, now = examine(read_names(hook, project), known.real, fresh=True)
        changed = differences.definitions(
            None if before is None else before.definition, definition(hook, project), hook.name
        )
        marks = {} if before is None else before.marks
        texts = {} if before is None else before.texts
        return changed + differences.files(marks, texts, now, self._keeper.text)

    def _unapproved(self, hook: Hook, project: str, known: _Known, approvals: Sequence[Approval]) -> Standing:
        @cache
        def look() -> tuple[Pinning, str]:
            pins, found = examine(read_names(hook, project), known.real)
            return pins, _seal(known.identity, {path: seen.mark for path, seen in found.items()})

        before = _nearest(approvals, entry_of(hook, project), sure=False)
        if before is None:
            return Standing(state=UNTRUSTED, detail="it was never approved", look=look)
        detail = differences.changed_fields(before.definition, definition(hook, project))
        return Standing(state=MODIFIED, detail=detail, look=look)

    def _know(self, hook: Hook, project: str) -> _Known:
        key = (id(hook), project)
        known = self._known.get(key)
        if known is None:
            if len(self._known) > 4096:
                self._known.clear()
            identity = digest(definition(hook, project))
            known = self._known[key] = _Known(hook, identity, os.path.realpath(project))
        return known

    def _approvals(self, project: str) -> list[Approval]:
        projects = self._keeper.projects()
        return projects.get(project_key(project), []) if projects else []

    def _approval(self, hook: Hook, project: str, when: float) -> tuple[Approval, dict[str, Print]]:
        made = definition(hook, project)
        real = os.path.realpath(project)
        names = read_names(hook, project)
        _, found = examine(names, real, fresh=True)
        texts = {path: seen.content for path, seen in found.items() if seen.content is not None and _is_text(seen)}
        approval = Approval(
            entry=entry_of(hook, project),
            identity=digest(made),
            definition=made,
            names=names,
            marks={path: seen.mark for path, seen in found.items()},
            texts=texts,
            where=real,
            when=when,
        )
        return approval, found

    def _forget(self) -> None:
        held = self._keeper.projects().values()
        self._keeper.forget_texts(text for approvals in held for item in approvals for text in item.texts.values())


def _changed(hook: Hook, project: str, real: str, same: Sequence[Approval], cwd: str | None) -> str | None:
    """Why none of some approvals of a hook holds any more, or None."""
    why = "a pinned file changed"
    for approval in same:
        names = approval.names if approval.names is not None else read_names(hook, project)
        files, _ = listed(names, real)
        marks = {path: take_print(real, path).mark for path in files}
        why = "" if marks == approval.marks else differences.changed_files(approval.marks, marks)
        if not why:
            return _misplaced(names, hook, real, cwd)
    return f"{why} since it was approved"


def _seal(identity: str, marks: Mapping[str, str]) -> str:
    return digest([identity, dict(marks)])


def _is_text(found: Print) -> bool:
    return found.data is not None and len(found.data) <= KEPT and b"\0" not in found.data


def _nearest(approvals: Sequence[Approval], entry: Entry, *, sure: bool) -> Approval | None:
    """The approval that was most likely about the same entry; the newest of equals."""
    ranked = [approval for approval in approvals if sure or approval.entry.near(entry) > 1]
    return max(ranked, key=lambda approval: (approval.entry.near(entry), approval.when), default=None)


def _with(held: Sequence[Approval], made: Sequence[Approval]) -> list[Approval]:
    """Approvals of one entry in one work tree replace each other; other work trees keep theirs."""
    replaced = {(approval.entry, approval.where) for approval in made}
    kept = [approval for approval in held if (approval.entry, approval.where) not in replaced]
    return [*kept, *made]


def _misplaced(names: Named, hook: Hook, real: str, cwd: str | None) -> str | None:
    if cwd is None or not names.relative or hook.cwd is not None or os.path.realpath(cwd) == real:
        return None
    return f"it names files relative to {real} and would run in {cwd}"
