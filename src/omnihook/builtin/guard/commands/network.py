"""Commands that send files away or open connections."""

import re
from collections.abc import Iterator
from itertools import pairwise

from omnihook.builtin.guard.arguments import arguments
from omnihook.builtin.guard.commands.reading import used
from omnihook.builtin.guard.commands.table import Handler, effects, inside
from omnihook.builtin.guard.effects import Act, Do, Effect, Note
from omnihook.builtin.guard.protected import may_be_protected
from omnihook.shell.tables import names
from omnihook.shell.values import Command, Text

_UPLOADS = names(
    "-F --form -d --data --data-binary --data-raw --data-urlencode --data-ascii -T --upload-file --json",
    "--form-string --post-file --body-file",
)
_CURL_LONG = _UPLOADS | names(
    "--output --header --user --request --key --cert --cacert --config --url --netrc-file --cookie --cookie-jar",
    "--max-time --retry --proxy --user-agent --write-out --connect-timeout --output-dir --resolve --referer",
    "--dump-header",
)
_SHELL_OPTION = re.compile(r"-[a-zA-Z]*[ec]|--(?:sh-)?exec|--lua-exec")


def curl(command: Command) -> Iterator[Act]:
    """curl: uploads are reads, `-o` writes, keys and certificates are used."""
    given = arguments(command, "oHuXFdTKbcmxAewDrECYyzQ", _CURL_LONG)
    for option, value in given.options:
        if value is None:
            continue
        if option in _UPLOADS:
            yield from _uploaded(option, value)
        elif option in ("-H", "--header", "--proxy-header") and value.text.startswith("@"):
            yield Effect(Do.READ, Text(value.text[1:], value.origins))
        elif option in ("-b", "--cookie") and "=" not in value.text:
            yield Effect(Do.READ, value)
        elif option in ("-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar"):
            yield Effect(Do.WRITE, value)
        elif option in ("--key", "--cert", "-E", "--cacert", "--netrc-file", "-K", "--config"):
            yield Effect(Do.USE, value)
    for operand in given.operands:
        if operand.text.startswith("file://"):
            yield Effect(Do.READ, Text(operand.text.removeprefix("file://"), operand.origins))


def _uploaded(option: str, value: Text) -> Iterator[Act]:
    if option in ("-T", "--upload-file", "--post-file", "--body-file"):
        yield Effect(Do.READ, value)
        return
    match = re.search(r"(?:^|=)[@<]([^;,]+)", value.text)
    if match or "@" in value.text:
        path = match[1] if match else value.text.partition("@")[2]
        yield Effect(Do.READ, Text(path, value.origins, None if value.pattern is None else path))


def wget(command: Command) -> Iterator[Act]:
    """wget: `-O file` writes, `--post-file` sends."""
    long_values = (
        "--output-document",
        "--post-file",
        "--body-file",
        "--header",
        "--user",
        "--directory-prefix",
        "--output-file",
        "--input-file",
    )
    given = arguments(command, "OoPUtTwQeBAi", long_values)
    yield from effects(Do.READ, given.values("--post-file", "--body-file", "-i", "--input-file"))
    yield from effects(
        Do.WRITE, [value for value in given.values("-O", "--output-document", "-o") if value.text != "-"]
    )
    yield from effects(Do.USE, given.values("--private-key", "--certificate", "--ca-certificate"))


def httpie(command: Command) -> Iterator[Act]:
    """httpie's `field@file` and `@file`."""
    for word in command.argv[1:]:
        if "@" in word.text:
            yield Effect(Do.READ, Text(word.text.rpartition("@")[2], word.origins))


def shell_fed(command: Command) -> Iterator[Act]:
    """A program that holds a connection and sends what a shell, whose orders nobody sees, prints."""
    if command.stdin is not None and "shell" in command.stdin.origins:
        yield Note("reverse-shell", "a shell's output goes to " + command.name)


def connected(command: Command) -> Iterator[Act]:
    """telnet and other plain clients."""
    yield from shell_fed(command)
    yield from used(command)


def netcat(command: Command) -> Iterator[Act]:
    """`nc -e /bin/sh`: a shell on the other end of a connection."""
    words = command.words[1:]
    yield from shell_fed(command)
    for place, word in enumerate(words):
        if _SHELL_OPTION.fullmatch(word) and any(
            name in " ".join(words[place + 1 :]) for name in ("sh", "bash", "cmd", "python")
        ):
            yield Note("reverse-shell", " ".join(command.words))
            return
    yield from (Effect(Do.READ, word) for word in command.argv[1:] if not word.text.startswith("-"))


def socat(command: Command) -> Iterator[Act]:
    """`socat TCP:host:port EXEC:sh`."""
    yield from shell_fed(command)
    text = " ".join(command.words)
    network = re.search(r"(?i)\b(tcp|udp|openssl|ssl|sctp|socks)[46]?(-connect|-listen)?:", text)
    if network and re.search(r"(?i)\b(exec|system):[^ ]*sh\b", text):
        yield Note("reverse-shell", text)
    for word in command.argv[1:]:
        kind, _, path = word.text.partition(":")
        if kind.upper() in ("OPEN", "CREATE", "CREAT", "FILE", "GOPEN"):
            last = word is command.argv[-1]
            yield Effect(Do.WRITE if last else Do.READ, Text(path.partition(",")[0], word.origins))
        else:
            yield from effects(Do.READ, inside(word))


def cloud_copy(command: Command) -> Iterator[Act]:
    """`aws s3 cp .env s3://...`, `gh gist create .env`, `gcloud storage cp`: files leave the machine."""
    words = command.words
    deletes = any(map(_DELETES.fullmatch, words[1:]))
    bucket = words[1:3] in (("s3", "rb"), ("s3", "rm")) and not any("dryrun" in word for word in words)
    preview = any(map(_PREVIEW.fullmatch, words))
    method = any(option in ("-X", "--method") and value == "DELETE" for option, value in pairwise(words)) or words[
        1:3
    ] == ("repo", "archive")
    if (deletes or bucket or method) and not preview:
        yield Note("infrastructure", " ".join(words))
    if words[1:3] == ("s3", "sync") and "--delete" in words and not preview:
        yield Note("infrastructure", " ".join(words))
    for option, value in pairwise(command.argv):
        if option.text in _SENT_FILES:
            yield from effects(Do.READ, inside(value))
    yield from effects(
        Do.READ, [Text(word.text[word.text.index("://") + 3 :], word.origins) for word in _files(command)]
    )
    sends = re.search(r"\b(cp|mv|sync|gist|snippet|upload|put|put-object|scp|secret set)\b", " ".join(words[:4]))
    if sends or may_be_protected(command):
        for word in command.argv[1:]:
            yield from effects(Do.READ if sends else Do.USE, inside(word))


def rclone(command: Command) -> Iterator[Act]:
    """rclone works on this machine's files as well: a path without a remote's name is local."""
    given = arguments(command, "", ("--config", "--exclude", "--include", "--filter", "--backup-dir", "--log-file"))
    verb = given.operands[0].text if given.operands else ""
    if given.has("-n", "--dry-run") or not verb:
        return
    local = [word for word in given.operands[1:] if re.match(r"[^/.~]+:", word.text) is None]
    remote_target = len(given.operands) > 2 and given.operands[-1] not in local
    if verb in ("purge", "delete", "rmdirs", "deletefile", "cleanup"):
        yield from effects(Do.DELETE, local, recursive=verb != "deletefile")
        if len(local) < len(given.operands) - 1:
            yield Note("infrastructure", " ".join(command.words))
    elif verb in ("copy", "copyto", "sync", "move", "moveto", "cat", "bisync", "rcat"):
        sources = local if remote_target or verb == "cat" else local[:-1]
        yield from effects(Do.READ, sources)
        if verb.startswith("move"):
            yield from effects(Do.MOVE, sources)
        if verb == "sync" and not remote_target:
            yield from effects(Do.MIRROR, local[-1:])


def _files(command: Command) -> list[Text]:
    """Values that are taken from files: `file://path`, `fileb://path`."""
    return [word for word in command.argv[1:] if word.text.startswith(("file://", "fileb://"))]


_SENT_FILES = names("-F --body-file --notes-file --input --field")
"""Options of gh and its like whose value is a file that is sent, or may name one behind `@`."""
_PREVIEW = re.compile(r"--dry-?run(=.*)?|--no-?op|--help|help")
_DELETES = re.compile(
    r"delete(-.*)?|terminate(-.*)?|destroy(-.*)?|deregister(-.*)?|purge(-.*)?|remove|rm|.*:(destroy|delete|reset|remove)|"
    r"force-delete|unpublish|rb|schedule-key-deletion|reset-db|nuke"
)


def remote_script(command: Command) -> Iterator[Act]:
    """`deno run https://...`, `uv run https://...`: a script is fetched and run in one step."""
    operands = [word for word in command.argv[1:] if not word.text.startswith("-")]
    if operands and operands[0].text in ("run", "serve", "install", "x"):
        if command.name == "pipx" and operands[0].text == "install":
            operands = []  # as with pip, a package is installed and not run
        operands = operands[1:]
    if operands and re.match(r"https?://", operands[0].text):
        yield Note("run-remote", operands[0].text)
    yield from used(command)


NETWORK: dict[str, Handler] = {
    **dict.fromkeys(("deno", "uv", "bun", "pipx"), remote_script),
    "curl": curl,
    "wget": wget,
    "http": httpie,
    "https": httpie,
    "xh": httpie,
    **dict.fromkeys(("nc", "ncat", "netcat"), netcat),
    "socat": socat,
    **dict.fromkeys(("telnet", "gnutls-cli", "websocat", "rlogin", "ssl_client"), connected),
    "rclone": rclone,
    **dict.fromkeys(
        names(
            "aws gcloud az gsutil gh glab heroku flyctl fly doctl vercel netlify wrangler firebase linode-cli",
            "ibmcloud oci scw hcloud supabase railway render s3cmd mc ossutil eksctl awslocal cf",
        ),
        cloud_copy,
    ),
}
