"""What only a built-in itself knows of its options: words that it does not have, and rules that stay on."""

from collections.abc import Iterator, Mapping

from omnihook import builtin
from omnihook.builtin.guard.rules import RULES
from omnihook.checking.findings import finding
from omnihook.dialect import Diagnostic
from omnihook.errors import UsageError
from omnihook.hooks import Call, Hook
from omnihook.shipped import SHIPPED, problems


def options(hook: Hook) -> Iterator[Diagnostic]:
    """Findings about the options of a built-in, beyond those that reading the file has told already."""
    action = hook.action
    about = SHIPPED.get(action.builtin or "") if isinstance(action, Call) else None
    if about is None or not isinstance(action, Call) or any(problems(about, action.options)):
        return
    try:
        builtin.load(about.name, action.options)
    except UsageError as error:
        yield finding(hook, str(error), "correct the option", "option", "options")
        return
    rules = action.options.get("rules")
    for name, wanted in rules.items() if isinstance(rules, Mapping) else ():
        if RULES[name].catastrophic and wanted is False:
            told = f"rule {name!r} of the guard cannot be switched off"
            yield finding(hook, told, "leave it out", "option", "options", "rules", name, severity="warning")
