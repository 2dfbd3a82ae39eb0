"""One finding about one hook: its words, its place in the file and its fix."""

from omnihook.dialect import Diagnostic, Dialect
from omnihook.hooks import Hook, Layer

# Findings about what may still be done after a hook was added: their codes.
LATER = frozenset({"missing", "not-executable", "relative", "program", "model"})


def finding(hook: Hook, message: str, fix: str, code: str, *key: str | int, severity: str = "error") -> Diagnostic:
    """A finding at a key of the hook's entry, or at the entry itself."""
    return placed(hook, message, fix, code, (*hook.source.pointer, *key), severity=severity)


def at_matcher(
    hook: Hook, dialect: Dialect, message: str, fix: str, *, code: str = "matcher", severity: str = "error"
) -> Diagnostic:
    """A finding at the hook's matcher, which in the nested shape stands beside the list the hook is in."""
    pointer = hook.source.pointer
    around = pointer[:-2] if len(pointer) > 3 and pointer[-2] == "hooks" else pointer
    return placed(hook, message, fix, code, (*around, dialect.editing.matcher), severity=severity)


def placed(
    hook: Hook, message: str, fix: str, code: str, pointer: tuple[str | int, ...], *, severity: str = "error"
) -> Diagnostic:
    """A finding anywhere in the hook's file; what the program itself registered is only warned about."""
    return Diagnostic(
        message=f"hook {hook.name}: {message}",
        path=hook.source.path,
        fix=fix,
        code=code,
        severity=severity if hook.source.layer is not Layer.PROGRAM else "warning",
        pointer=pointer,
    )
