"""Programs that run a command elsewhere: over ssh, in a container, in a pod."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from omnihook.shell.hosts import Host, Inner, known_words, option_scripts
from omnihook.shell.options import FLAG, NEXT, Given, given, places, read, spelled
from omnihook.shell.state import absolute
from omnihook.shell.tables import names
from omnihook.shell.values import Command, Text, joined

_SSH_VALUES = "bcDEeFIiJLlmOopQRSWwB"
_SSH_COMMAND = re.compile(r"(?i)\s*(proxy|local|remote|knownhosts)command(?:\s*+=\s*+|\s++)(?!none$)\"?(.++)\s*+")
_REMOTE = frozenset({"remote"})
_CLOUD_SCRIPTS = names("--command --ssh-command --scripts --script")
_SHELL_VERBS = names("ssh rsh shell exec")
_FLAGS = names(
    "--rm --detach --interactive --tty --privileged --init --read-only --no-healthcheck --oom-kill-disable",
    "--stdin --quiet --publish-all --sig-proxy --disable-content-trust --service-ports --no-deps",
    "--use-aliases --build --no-TTY --no-tty",
)  # fmt: skip
_GLOBAL_VALUES = names(
    "-H --host -c --context --config -l --log-level -f --file -p --project-name --profile --env-file",
    "--project-directory -n --namespace --kubeconfig --cluster --user",
)
_SHORT_VALUES = "acehlmpuvwnf"
_FRESH = frozenset({"run", "create"})
_MOUNT_OPTIONS = frozenset({"-v", "--volume", "--mount"})


def ssh(command: Command) -> list[Inner]:
    """The remote command; without one, the remote shell reads standard input. Settings may hold commands as well."""
    words = command.argv
    options: list[Given] = []
    argv = known_words(command)
    index, host = 1, 0
    while index < len(argv):
        word = argv[index]
        if word == "--":
            index += 1
        elif word is not None and word[:1] == "-":
            index = read(argv, index, _SSH_VALUES + ("M" if command.name == "autossh" else ""), (), options)
        elif host:
            break
        else:
            host, index = index, index + 1
    found = _settings(command, options)
    if index < len(words):
        found.append(Inner(script=joined(words[index:], " "), context=_REMOTE, cwd=Text("~")))
    elif command.stdin is not None and host:
        found.append(Inner(script=command.stdin.text, via="pipe", context=_REMOTE, cwd=Text("~")))
    return found


def _settings(command: Command, options: list[Given]) -> list[Inner]:
    """Commands in the settings of ssh, given with `-o` or in a file that this script wrote."""
    given = [
        Text(command.argv[option.place].text[option.start :], command.argv[option.place].origins)
        for option in places(options, ("-o",))
    ]
    files = [command.argv[option.place].text[option.start :] for option in places(options, ("-F",))]
    for file in files if command.files else ():
        text = command.files.get(absolute(file, command.cwd.text))
        given.extend(Text(line, text.origins) for line in text.text.split("\n")) if text is not None else None
    matches = [(match, text) for text in given if (match := _SSH_COMMAND.fullmatch(text.text))]
    return [
        Inner(script=_unquoted(match[2], text), context=_REMOTE, cwd=Text("~"))
        if match[1].lower() == "remote"
        else Inner(script=_unquoted(match[2], text))
        for match, text in matches
    ]


def _unquoted(setting: str, text: Text) -> Text:
    return Text(setting.rstrip().removesuffix('"'), text.origins)


def copied(command: Command) -> list[Inner]:
    """scp and sftp pass settings on to ssh, and may be told to run another program in its place."""
    options, _ = given(known_words(command), "iFPcloSJXDsBR")
    programs = [Inner(script=command.argv[option.place]) for option in places(options, ("-S",)) if option.start == 0]
    return [*programs, *_settings(command, options), *_escapes(command)]


def _escapes(command: Command) -> list[Inner]:
    """Lines of sftp's input that begin with an exclamation mark are run here."""
    text = command.stdin.text if command.stdin is not None and command.name == "sftp" else Text("")
    lines = [line.strip() for line in text.text.split("\n")] if "!" in text.text else []
    return [Inner(script=Text(line[1:], text.origins)) for line in lines if line.startswith("!")]


def container(command: Command) -> list[Inner]:
    """`docker exec C cmd` runs in a running container, `docker run I cmd` in a fresh one with mounts."""
    words = command.argv
    index = verb_place(words, 1)
    if index < len(words) and words[index].text in ("compose", "container"):
        index = verb_place(words, index + 1)
    verb = words[index].text if index < len(words) else ""
    if verb == "unshare":
        return [Inner(argv=words[index + 1 :])]
    if verb in ("up", "create", "start") and command.files:
        return _composed(command)
    if verb not in ("exec", "run"):
        return []
    mounts: list[tuple[str, Text]] = []
    privileged = False
    cwd, entry, index = Text("/"), None, index + 1
    while index < len(words) and words[index].text.startswith("-"):
        option, start = _option(words[index].text)
        takes = start == NEXT
        value = words[index + 1] if takes and index + 1 < len(words) else words[index]
        value = Text(value.text[start:], value.origins) if start > NEXT else value
        if option in _MOUNT_OPTIONS:
            mounts.append(_mount(value))
        elif option in ("-w", "--workdir"):
            cwd = value
        elif option == "--entrypoint":
            entry = value
        privileged = privileged or option == "--privileged"
        index += 2 if takes else 1
    inner = words[index + 1 :]
    if entry is not None:
        inner = (entry, *inner)
    if not inner:
        return []
    fresh = verb in _FRESH and not privileged
    context = frozenset({"container", "fresh"} if fresh else {"container"})
    return [Inner(argv=inner, context=context, cwd=cwd, mounts=tuple(mounts))]


def _composed(command: Command) -> list[Inner]:
    """The commands of services in a file that this script wrote, with the host's folders that it mounts."""
    named = [file for option, file in pairwise(command.words) if option in ("-f", "--file")]
    texts = [command.files.get(absolute(file, command.cwd.text)) for file in (*named, *_COMPOSE_FILES)]
    found: list[Inner] = []
    for text in [text for text in texts if text is not None]:
        mounts = tuple([(inside, Text(outside)) for outside, inside in _VOLUME.findall(text.text)])
        lines = [_COMPOSE_MARKS.sub(" ", line) for line in _COMPOSE_COMMAND.findall(text.text)]
        found += [
            Inner(script=Text(line, text.origins), context=_FRESH_CONTEXT, cwd=Text("/"), mounts=mounts)
            for line in lines
        ]
    return found


_COMPOSE_FILES = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")
_COMPOSE_COMMAND = re.compile(r"^[ \t]+(?:command|entrypoint):[ \t]*(\S.*)$", re.M)
_COMPOSE_MARKS = re.compile(r"^\[|\]$|\",[ \t]*\"|(?<=\[)\"|\"(?=\])|^\"|\"$")
_VOLUME = re.compile(r"[-\[,][ \t]*[\"']?([~./][^:\s\"']*):(/[^:\s\"',\]]*)")
_FRESH_CONTEXT = frozenset({"container", "fresh"})


def verb_place(words: Sequence[Text], index: int) -> int:
    """Past the options that come before the verb."""
    while index < len(words) and words[index].text.startswith("-"):
        index += 2 if words[index].text in _GLOBAL_VALUES else 1
    return index


def _option(word: str) -> tuple[str, int]:
    """The option that matters in a word, with where its value begins: in the word, in the next one, or nowhere."""
    if word.startswith("--"):
        name, equals, _ = word.partition("=")
        return name, len(name) + 1 if equals else FLAG if name in _FLAGS else NEXT
    return spelled(word, _SHORT_VALUES, ())[-1] if len(word) > 1 else (word, FLAG)


def _mount(value: Text) -> tuple[str, Text]:
    """(path inside, path outside) of `-v out:in` or `--mount type=bind,source=out,target=in`."""
    if "," in value.text or value.text.startswith("type="):
        fields = dict(part.partition("=")[::2] for part in value.text.split(","))
        outside = fields.get("source") or fields.get("src") or ""
        inside = fields.get("target") or fields.get("destination") or fields.get("dst") or ""
        return inside, Text(outside, value.origins)
    outside, _, inside = value.text.partition(":")
    return inside.partition(":")[0], Text(outside, value.origins)


def cloud_shell(command: Command) -> list[Inner]:
    """`gcloud compute ssh vm --command=...`, `az vm run-command --scripts ...`, `oc rsh pod cmd`."""
    words = command.argv
    found = option_scripts(words[1:], _CLOUD_SCRIPTS)
    dashes = next((place for place, word in enumerate(words) if word.text == "--"), None)
    if dashes is not None and not _SHELL_VERBS.isdisjoint(command.words[:dashes]):
        found.append(Inner(argv=words[dashes + 1 :], context=_REMOTE, cwd=Text("~")))
    for name, value in pairwise(words):
        if name.text == "--parameters":
            found.extend(Inner(script=Text(line, value.origins)) for line in _parameters(value.text))
    return [replace(inner, context=_REMOTE, cwd=Text("~")) for inner in found]


def _parameters(text: str) -> list[str]:
    """The commands of `aws ssm send-command --parameters`, written short or as JSON."""
    found = re.search(r"[\"']?commands[\"']?\s*[=:]\s*(.+)", text, re.S)
    if found is None:
        return []
    listed = re.findall(r"\"((?:[^\"\\]|\\.)*)\"", found[1])
    return listed or [found[1].strip("[]'{}")]


def joined_rest(command: Command) -> list[Inner]:
    """`adb shell cmd`, `wsl cmd`: the words after the verb are one remote command line."""
    rest = command.argv[2 if command.name == "adb" else 1 :]
    verb = command.argv[1].text if len(command.argv) > 1 else ""
    if command.name == "adb" and verb != "shell":
        return []
    words = tuple(word for word in rest if word.text not in ("-e", "--", "--exec"))
    return [Inner(script=joined(words, " "), context=frozenset({"remote"}))] if words else []


REMOTE: dict[str, Host] = {
    **dict.fromkeys(("ssh", "autossh"), ssh),
    **dict.fromkeys(("scp", "sftp"), copied),
    **dict.fromkeys(("docker", "podman", "nerdctl", "buildah", "docker-compose", "podman-compose"), container),
    **dict.fromkeys(("adb", "wsl", "wsl.exe"), joined_rest),
    **dict.fromkeys(names("aws gcloud az doctl eb linode-cli ibmcloud oci"), cloud_shell),
}
