"""What commands print that comes from another machine."""

import re

from omnihook.shell.fetching import url_origin
from omnihook.shell.filters import Maker
from omnihook.shell.state import State
from omnihook.shell.tables import names
from omnihook.shell.values import SILENT, Command, Stream, unknown

NETWORK = names(
    "curl wget wget2 curlie ssh fetch http https aria2c lynx w3m links elinks nc ncat netcat socat telnet ftp tftp",
    "rsync scp sftp iwr irm Invoke-WebRequest Invoke-RestMethod invoke-webrequest invoke-restmethod",
    "lwp-request GET dig nslookup host drill gh glab hub rclone gsutil xh axel s3cmd",
)
"""Programs whose output comes from another machine."""
_STANDARD_OUTPUT = frozenset({"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})
DOWNLOADED = Stream(unknown("network"))


def _wget(command: Command, state: State) -> Stream:
    """wget prints only when told to write to standard output."""
    for index, word in enumerate(command.words):
        match = re.fullmatch(r"-[a-zA-Z]*O(.*)|--output-document(?:=(.*))?", word)
        if match is not None:
            target = match[1] or match[2] or "".join(command.words[index + 1 : index + 2])
            return _downloaded(command) if target in _STANDARD_OUTPUT else SILENT
    return SILENT


def _curl(command: Command, state: State) -> Stream:
    """curl prints unless `-o` or `-O` names a file."""
    for index, word in enumerate(command.words):
        match = re.fullmatch(r"-[a-zA-Z]*o(.*)|--output(?:=(.*))?", word)
        if match is not None:
            target = match[1] or match[2] or "".join(command.words[index + 1 : index + 2])
            return SILENT if target not in _STANDARD_OUTPUT else _downloaded(command)
        if re.fullmatch(r"-[a-zA-Z]*O|--remote-name|--remote-name-all", word):
            return SILENT
    return _downloaded(command)


def _aws(command: Command, state: State) -> Stream:
    words = command.words
    return (
        Stream(unknown("network")) if words[1:3] == ("s3", "cp") and words[-1] == "-" else Stream(unknown("generator"))
    )


def _downloaded(command: Command) -> Stream:
    """What comes from the addresses among the words."""
    return Stream(unknown("network", *[url_origin(word) for word in command.words[1:] if "://" in word]))


def _svn(command: Command, state: State) -> Stream:
    return _downloaded(command) if "://" in " ".join(command.words) else Stream(unknown("command"))


DOWNLOADING: dict[str, Maker] = {"wget": _wget, "curl": _curl, "aws": _aws, "svn": _svn}
