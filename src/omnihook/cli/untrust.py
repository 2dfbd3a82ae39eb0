"""`omnihook untrust`: withdraw the approval of this project's hooks."""

import click

from omnihook.cli.common import invoke, present_directory, print_json, say
from omnihook.cli.engines import engine_for
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
    missing = sorted(set(hooks) - {hook.name for hook in chosen})
    if missing:
        say(f"There is no hook named {', '.join(missing)}; see 'omnihook list'.")
        return 1
    TrustStore(engine.folders.state).withdraw(engine.folders.project, chosen if hooks else None)
    if as_json:
        print_json({"withdrawn": [*hooks] if hooks else "all", "project": engine.folders.project})
    else:
        say(f"Withdrew the approval of {', '.join(hooks) if hooks else 'all hooks'} of {engine.folders.project}.")
    return 0


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(untrust, args, "untrust")
