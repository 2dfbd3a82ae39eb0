"""The command line: finds the verb, imports only its module, and turns errors into sentences and exit codes."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import cast

from omnihook.cli import streams
from omnihook.errors import OmnihookError, suggestion
from omnihook.showing import one_line, shown

# verb -> (module, one plain sentence)
VERBS: Mapping[str, tuple[str, str]] = {
    "demo": ("demo", "Play a scripted agent session in a scratch project, with hooks firing."),
    "init": ("init", "Write a first hooks file, or an agent's default hooks."),
    "list": ("listing", "List the hooks that are configured, grouped by event."),
    "hooks": ("hooks", "Manage hooks on a full screen."),
    "add": ("add", "Add a hook to a hooks file."),
    "remove": ("remove", "Remove a hook from its file."),
    "enable": ("enable", "Enable a hook, or a built-in one."),
    "disable": ("disable", "Disable a hook."),
    "on": ("on", "Switch the hooks of a file on."),
    "off": ("off", "Switch the hooks of a file off."),
    "test": ("testing", "Run one hook on a sample event, or the cases kept beside hooks."),
    "fire": ("fire", "Fire an event and print the merged verdict."),
    "explain": ("explain", "Show what would run for an event, and why other hooks would not."),
    "check": ("check", "Validate every hooks file found."),
    "trust": ("trust", "Approve the hooks of this project."),
    "untrust": ("untrust", "Withdraw the approval of this project's hooks."),
    "audit": ("audit", "List every hook that could run, and those new since the last look."),
    "convert": ("convert", "Write a configuration of one dialect in another."),
    "builtin": ("builtin", "Run a built-in hook as a command, for any agent's configuration."),
    "log": ("log", "List what was fired and decided, or figures per hook."),
    "tail": ("tail", "Follow what is fired and decided, live."),
    "show": ("show", "Tell the whole story of one recorded event."),
    "replay": ("replay", "Decide recorded events again under today's configuration."),
    "guard": ("guard", "Judge shell commands."),
}
BUG_REPORT = "omnihook: this is a bug in omnihook; please report it with the file {path}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; gives the exit code: 0 fine, 1 trouble, 2 usage, 3 our bug, 130 interrupted."""
    args = list(sys.argv[1:] if argv is None else argv)
    streams.open_missing()
    try:
        code = _dispatch(args)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        streams.give_up()
        return 1
    except OmnihookError as error:
        _complain(str(error))
        return 1
    except OSError as error:
        return 1 if streams.lost(error) else _our_bug(error)
    except Exception as error:  # noqa: BLE001 - the one place where our own bugs end up
        return _our_bug(error)


def _dispatch(args: list[str]) -> int:
    if not args or args[0] in ("-h", "--help", "help"):
        _write(usage())
        return 0
    if args[0] in ("-V", "--version"):
        from omnihook import __version__

        _write(f"omnihook {__version__}\n")
        return 0
    verb, rest = args[0], args[1:]
    if verb not in VERBS:
        _complain(f"unknown command {verb!r}{suggestion(verb, VERBS)}; see 'omnihook --help'")
        return 2
    module = import_module(f"omnihook.cli.{VERBS[verb][0]}")
    run = cast("Callable[[list[str]], int]", module.run)
    return run(rest)


def usage() -> str:
    """The list of verbs."""
    width = max(len(verb) for verb in VERBS)
    rows = "\n".join(f"  {verb:<{width}}  {text}" for verb, (_, text) in VERBS.items())
    return f"Usage: omnihook COMMAND [ARGS]\n\nOne hooks system for every coding agent.\n\nCommands:\n{rows}\n"


def _write(text: str) -> None:
    sys.stdout.write(text)


def _complain(text: str) -> None:
    sys.stderr.write(f"omnihook: {shown(text)}\n")


def _our_bug(error: Exception) -> int:
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile("w", prefix="omnihook-bug-", suffix=".log", delete=False) as file:
        file.write("".join(traceback.format_exception(error)))
    sys.stderr.write(BUG_REPORT.format(path=file.name) + f"\n  {type(error).__name__}: {one_line(str(error))}\n")
    return 3
