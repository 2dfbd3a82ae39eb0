"""Programs that run a command in a pod: one that is running, or a new one as its description says."""

import json
from collections.abc import Iterator, Mapping, Sequence

from omnihook.shell.hosts import Host, Inner
from omnihook.shell.hosts_remote import verb_place
from omnihook.shell.values import Command, Text


def pod(command: Command) -> list[Inner]:
    """`kubectl exec POD -- cmd`, and the containers that `kubectl run --overrides` describes."""
    words = command.argv
    index = verb_place(words, 1)
    if index >= len(words) or words[index].text not in ("exec", "run", "debug", "rsh"):
        return []
    if words[index].text == "run" and (described := _described(command)):
        return described
    dashes = next((place for place, word in enumerate(words) if word.text == "--"), None)
    if dashes is not None:
        inner = words[dashes + 1 :]
    else:
        operands = [place for place in range(index + 1, len(words)) if not words[place].text.startswith("-")]
        inner = words[operands[1] :] if len(operands) > 1 else ()
    return [Inner(argv=inner, context=frozenset({"container"}), cwd=Text("/"))] if inner else []


def _described(command: Command) -> list[Inner]:
    """The commands of the containers in `--overrides`, with the host's folders that they mount."""
    texts = [word.text.partition("=")[2] for word in command.argv if word.text.startswith("--overrides=")]
    texts += [after for word, after in zip(command.words, command.words[1:], strict=False) if word == "--overrides"]
    found: list[Inner] = []
    for text in texts:
        try:
            spec = _table(_table(json.loads(text)).get("spec"))
        except (ValueError, RecursionError):
            continue
        found.extend(_container(item, spec) for item in _tables(spec.get("containers")) if "command" in item)
    return found


def _container(item: Mapping[str, object], spec: Mapping[str, object]) -> Inner:
    folders = {
        str(volume.get("name")): str(_table(volume["hostPath"]).get("path"))
        for volume in _tables(spec.get("volumes"))
        if "hostPath" in volume
    }
    mounts = [
        (str(mount.get("mountPath")), Text(folders[str(mount.get("name"))]))
        for mount in _tables(item.get("volumeMounts"))
        if str(mount.get("name")) in folders
    ]
    argv = tuple([Text(word) for key in ("command", "args") for word in _words(item.get(key))])
    own = not spec.get("hostPID") and not _table(item.get("securityContext")).get("privileged")
    context = frozenset({"container", "fresh"} if own else {"container"})
    return Inner(argv=argv, context=context, cwd=Text("/"), mounts=tuple(mounts))


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _tables(value: object) -> Iterator[Mapping[str, object]]:
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())


def _words(value: object) -> Sequence[str]:
    return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []


PODS: dict[str, Host] = dict.fromkeys(("kubectl", "oc", "k3s", "lxc", "incus", "k"), pod)
