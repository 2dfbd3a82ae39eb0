"""`omnihook untrust`: withdraw the approval of this project's hooks."""

import click

from omnihook.cli.common import invoke, present_directory, print_json, say
from omnihook.cli.engines import engine_for
from omnihook.errors import ConfigError, suggestion
from omnihook.trust import TrustStore


@click.command()
@click.argument("hooks", nargs=-1)
@click.option("--as", "dialect", default=None, metavar="DIALECT", help="Whose files: a dialect.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def untrust(hooks: tuple[str, ...], dialect: str | None, as_json: bool) -> int:
    """Withdraw the approval of HOOKS, or of all hooks of this project."""
    present_directory()
    engine = engine_for(dialect, (), (), trust_project=False)
    chosen = [hook for hook in engine.hooks if hook.name in hooks]
    missing = next((name for name in hooks if all(hook.name != name for hook in chosen)), None)
    if missing is not None:
        near = suggestion(missing, (hook.name for hook in engine.hooks))
        raise ConfigError(f"there is no hook named {missing!r}{near}; see 'omnihook list'")
    TrustStore(engine.folders.state).withdraw(engine.folders.project, chosen if hooks else None)
    if as_json:
        print_json({"withdrawn": [*hooks] if hooks else "all", "project": engine.folders.project})
    else:
        say(f"Withdrew the approval of {', '.join(hooks) if hooks else 'all hooks'} of {engine.folders.project}.")
    return 0


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(untrust, args, "untrust")
