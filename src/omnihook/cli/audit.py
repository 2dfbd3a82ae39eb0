"""`omnihook audit`: every hook that could run, and those new since the last look."""

import os
import time

import click

from omnihook.auditing import Entry, audit
from omnihook.cli.common import invoke, note, print_json, say, working_directory
from omnihook.folders import find
from omnihook.hooks import summary
from omnihook.jsontypes import Json
from omnihook.showing import counted, one_line


@click.command("audit")
@click.option("--new", "only_new", is_flag=True, help="Only the hooks that were not there at the last look.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def audit_hooks(only_new: bool, as_json: bool) -> int:
    """List every hook that could run here, in any agent's files, and say which are new.

    Exit 1 when some are, or when a file cannot be read.
    """
    folders = find(os.environ, cwd=working_directory())
    found = audit(folders, os.environ, now=time.time())
    entries = found.entries
    for item in found.unread:
        note(f"omnihook: {item}")
    shown = [entry for entry in entries if entry.new or not only_new]
    if as_json:
        print_json([_as_json(entry) for entry in shown])
    else:
        for entry in shown:
            _show(entry)
        new = sum(entry.new for entry in entries)
        say(f"{counted(len(entries), 'hook')}, {new} new since the last look")
    return 1 if found.unread or any(entry.new for entry in entries) else 0


def _show(entry: Entry) -> None:
    hook = entry.hook
    seen = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.first_seen))
    mark = "NEW " if entry.new else "    "
    off = "" if hook.enabled else ", disabled"
    about = f"{hook.source.dialect}, {hook.source.layer.label}, trust: {entry.trust}{off}"
    say(f"{mark}{one_line(hook.name, 40)}  [{about}]")
    say(f"      {one_line(summary(hook), 200)}")
    about = f"first seen {seen}  {entry.digest[:12]}{'  open' if entry.open else ''}"
    say(f"      {one_line(str(hook.source.path))}  {about}")


def _as_json(entry: Entry) -> Json:
    hook = entry.hook
    return {
        "name": hook.name,
        "dialect": hook.source.dialect,
        "layer": hook.source.layer.label,
        "origin": hook.source.path,
        "events": [*(hook.native_events or hook.events)],
        "command": summary(hook),
        "first_seen": entry.first_seen,
        "digest": entry.digest,
        "trust": entry.trust,
        "open": entry.open,
        "enabled": hook.enabled,
        "new": entry.new,
    }


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(audit_hooks, args, "audit")
