"""Where an event happens: its folder, its project, and the file it is about as a path on this machine."""

import os
import posixpath

from omnihook.events import Event, FileModified
from omnihook.folders import find_project, here
from omnihook.hooks import Context


def folder(event: Event, context: Context) -> str:
    """The folder the session is in; the one of this process when the event does not say."""
    return os.path.abspath(event.cwd or context.cwd or here(context.env))


def home(context: Context) -> str:
    """The user's home folder."""
    return context.env.get("HOME") or os.path.expanduser("~")


def project(event: Event, context: Context) -> str:
    """The top folder of the project the session is in."""
    return find_project(folder(event, context), home(context))


def project_name(event: Event, context: Context) -> str:
    """The base name of the folder the session is in."""
    return posixpath.basename(folder(event, context)) or "/"


def file(event: FileModified, context: Context) -> str | None:
    """The changed file as an absolute path without `..`; None when the event names none that can exist."""
    path = event.file_path
    if not path or "\0" in path:
        return None
    if path.startswith("~/"):
        path = home(context) + path[1:]
    return os.path.normpath(os.path.join(folder(event, context), path))
