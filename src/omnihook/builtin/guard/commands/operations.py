"""Commands that change machines, services, data stores and releases: the guard cannot know, so it asks."""

import re
from collections.abc import Iterator
from dataclasses import replace

from omnihook.builtin.guard.arguments import arguments
from omnihook.builtin.guard.commands.reading import shown, used
from omnihook.builtin.guard.commands.table import Handler, asks_for_help, effects, inside
from omnihook.builtin.guard.effects import Act, Do, Note
from omnihook.builtin.guard.protected import may_be_protected
from omnihook.shell.calculating import STAND_IN
from omnihook.shell.hosts import Host
from omnihook.shell.hosts_pods import pod
from omnihook.shell.hosts_remote import container as contained
from omnihook.shell.tables import names
from omnihook.shell.values import Command, Text

_PODS = names("kubectl oc k")
_BACKUPS = {"restic": frozenset({"backup"}), "borg": frozenset({"create"})}
_FROM_FILES = ("--from-file", "--from-env-file")
_PRINTS = re.compile(r"(?:^| )(?:-o|--output)[ =]?(?:yaml|json)")
"""What is made is shown, and a secret with it."""
_DRY = re.compile(r"--dry-?run(=.*)?|--noop|--check|-dry-run|--preview|--simulate|--what-?if")
_WORDS: dict[str, tuple[str, str]] = {
    "terraform": (r"destroy|-destroy|taint|force-unlock|rm|delete", "infrastructure"),
    "tofu": (r"destroy|-destroy|force-unlock", "infrastructure"),
    "terragrunt": (r"destroy|-destroy|destroy-all", "infrastructure"),
    "pulumi": (r"destroy|rm", "infrastructure"),
    "cdk": (r"destroy", "infrastructure"),
    "cdktf": (r"destroy", "infrastructure"),
    "sam": (r"delete", "infrastructure"),
    "sls": (r"remove", "infrastructure"),
    "serverless": (r"remove", "infrastructure"),
    "sst": (r"remove", "infrastructure"),
    "kubectl": (r"delete|drain|cordon", "infrastructure"),
    "oc": (r"delete", "infrastructure"),
    "k": (r"delete", "infrastructure"),
    "helm": (r"uninstall|delete|rollback", "infrastructure"),
    "helmfile": (r"destroy|delete", "infrastructure"),
    "kind": (r"delete", "infrastructure"),
    "minikube": (r"delete", "infrastructure"),
    "k3d": (r"delete", "infrastructure"),
    "vagrant": (r"destroy", "infrastructure"),
    "argocd": (r"delete", "infrastructure"),
    "flux": (r"delete|uninstall", "infrastructure"),
    "virsh": (r"destroy|undefine|vol-delete", "infrastructure"),
    "multipass": (r"delete|purge", "infrastructure"),
    "lxc": (r"delete", "infrastructure"),
    "incus": (r"delete", "infrastructure"),
    "dropdb": (r".*", "infrastructure"),
    "consul": (r"delete", "infrastructure"),
    **dict.fromkeys(("hdfs", "hadoop"), (r"-rmr?|-expunge", "infrastructure")),
    "dropuser": (r".*", "infrastructure"),
    "mysqladmin": (r"drop|shutdown", "infrastructure"),
    "npm": (r"unpublish|deprecate", "infrastructure"),
    "yarn": (r"unpublish", "infrastructure"),
    "pnpm": (r"unpublish", "infrastructure"),
    "gem": (r"yank", "infrastructure"),
    "cargo": (r"yank", "infrastructure"),
    "twine": (r"delete", "infrastructure"),
    "rails": (r"db:(drop|reset|purge|truncate_all).*", "infrastructure"),
    "rake": (r"db:(drop|reset|purge).*", "infrastructure"),
    "artisan": (r"migrate:(fresh|reset)|db:wipe", "infrastructure"),
    "prisma": (r"reset|--force-reset|--accept-data-loss", "infrastructure"),
    "sequelize": (r"db:drop|db:migrate:undo:all", "infrastructure"),
    "knex": (r"migrate:rollback", "infrastructure"),
    "typeorm": (r"schema:drop", "infrastructure"),
    "mix": (r"ecto\.(drop|reset)", "infrastructure"),
    "manage.py": (r"flush|reset_db|sqlflush", "infrastructure"),
    "django-admin": (r"flush|reset_db", "infrastructure"),
    "restic": (r"forget|prune", "infrastructure"),
    "borg": (r"delete|prune", "infrastructure"),
    "systemctl": (
        r"stop|start|restart|reload|disable|enable|mask|unmask|kill|isolate|poweroff|reboot|halt|suspend|hibernate|"
        r"set-default|emergency|rescue|daemon-reexec|edit|revert|set-property|try-restart|kexec",
        "system-state",
    ),
    "service": (r"stop|start|restart|reload", "system-state"),
    "launchctl": (r"unload|load|bootout|bootstrap|remove|disable|enable|kickstart|stop|start|submit", "system-state"),
    "rc-service": (r"stop|start|restart", "system-state"),
    "initctl": (r"stop|start|restart", "system-state"),
    "ufw": (r"enable|disable|reset|allow|deny|delete|reject|limit|insert|default|route", "system-state"),
    "firewall-cmd": (r"--(add|remove|set|panic|reload|permanent|direct|zone).*", "system-state"),
    "nft": (r"flush|delete|add|insert|destroy|-f", "system-state"),
    "netsh": (r".*firewall.*|delete|reset", "system-state"),
    "init": (r"[0-6sS]", "system-state"),
    "telinit": (r"[0-6sS]", "system-state"),
    "modprobe": (r"-r|--remove", "system-state"),
    "sysctl": (r"-w|--write|-p.*|--load.*|--system|\S+=\S*", "system-state"),
    "swapoff": (r"-a|--all", "system-state"),
    "umount": (r"-a|--all", "system-state"),
    "loginctl": (r"terminate-.*|kill-.*|poweroff|reboot|enable-linger", "system-state"),
    "pm2": (r"kill|delete|startup|unstartup", "system-state"),
    "update-rc.d": (r".*", "system-state"),
    "chkconfig": (r".*", "system-state"),
    "update-alternatives": (r"--(set|install|remove).*", "system-state"),
    "timedatectl": (r"set-.*", "system-state"),
    "hostnamectl": (r"set-hostname|hostname", "system-state"),
    "csrutil": (r"disable|clear", "system-state"),
    "spctl": (r"--master-disable|--global-disable", "system-state"),
    "setenforce": (r"0|permissive", "system-state"),
    "flashrom": (r"-w|-E|--write|--erase", "system-state"),
    "nvram": (r"-c|-d", "system-state"),
    "tmutil": (r"delete|disable|deletelocalsnapshots", "system-state"),
    "history": (r"-c|-w", "none"),
}
_COMPILED = {name: (re.compile(pattern).fullmatch, rule) for name, (pattern, rule) in _WORDS.items()}
_SYSTEM = names(
    "shutdown reboot halt poweroff killall useradd userdel usermod groupadd groupdel groupmod adduser deluser",
    "addgroup delgroup passwd chpasswd chsh chfn vipw vigr visudo rmmod insmod gpasswd newusers pkill-all",
    "dscl kexec skill",
)


def by_word(command: Command) -> Iterator[Act]:
    """Ask when one of the words in the table is given and it is no dry run."""
    wanted, rule = _COMPILED[command.name]
    words = command.words[1:]
    if any(map(wanted, words)) and rule != "none" and not asks_for_help(command):
        dry = any(map(_DRY.fullmatch, words)) and command.name not in ("service", "sysctl", "modprobe")
        dry = dry or ("-n" in words and command.name in ("restic", "borg")) or words[:1] == ("plan",)
        if not dry:
            yield Note(rule, " ".join(command.words))
    if command.name in _BACKUPS and not _BACKUPS[command.name].isdisjoint(words):
        yield from shown(command)
    elif "cp" in words and command.name in _PODS:
        for word in command.argv[1:]:
            yield from effects(Do.READ, inside(word))
    elif command.name in _PODS and "create" in words and _PRINTS.search(" ".join(words)):
        for value in arguments(command, "onf", _FROM_FILES).values(*_FROM_FILES):
            yield from effects(Do.READ, inside(value))
    yield from used(_outer(command, pod) if command.name in _PODS else command)


def _outer(command: Command, host: Host) -> Command:
    """A command without the one that it runs inside something that is running already, which is judged by itself."""
    if "exec" not in command.words[1:4]:
        return command
    inner = host(command)
    return replace(command, argv=command.argv[: len(command.argv) - len(inner[0].argv)]) if inner else command


def script_verb(command: Command) -> Iterator[Act]:
    """`python manage.py flush`, `php artisan migrate:fresh`: the script's own verbs."""
    for place, word in enumerate(command.argv[1:], 1):
        if not word.text.startswith("-"):
            name = word.text.rsplit("/", 1)[-1]
            if name in ("manage.py", "artisan", "rails"):
                yield from by_word(replace(command, argv=(Text(name), *command.argv[place + 1 :])))
            return


def always(command: Command) -> Iterator[Act]:
    """Power, accounts, processes by name."""
    if not asks_for_help(command) and not (command.name == "passwd" and "-S" in command.words):
        yield Note("system-state", " ".join(command.words))


def kill(command: Command) -> Iterator[Act]:
    """`kill -9 -1` ends every process of the user."""
    words = command.words[1:]
    targets = [word for place, word in enumerate(words) if word == "-1" and (place > 0 or "--" in words)]
    first = any(word.text == "1" and STAND_IN not in word.origins for word in command.argv[2:])
    if targets or first:
        yield Note("system-state", " ".join(command.words))


def pkill(command: Command) -> Iterator[Act]:
    """pkill with KILL, for a user, or for every name."""
    words = command.words[1:]
    broad = {"-9", "-KILL", "-SIGKILL", "-u", "-U", ".", ".*"}
    if any(word in broad or word.startswith("--signal=KILL") for word in words):
        yield Note("system-state", " ".join(command.words))


def crontab(command: Command) -> Iterator[Act]:
    """Listing is harmless; everything else changes what runs later."""
    given = arguments(command, "u")
    if not given.has("-l"):
        yield Note("persistence", " ".join(command.words))


def scheduled(command: Command) -> Iterator[Act]:
    """at and batch: showing the queue or a job changes nothing."""
    given = arguments(command, "qft")
    if not given.has("-l", "-c", "-V") and not asks_for_help(command):
        yield Note("persistence", " ".join(command.words))
    yield from used(command)


def iptables(command: Command) -> Iterator[Act]:
    """Listing is harmless."""
    if not any(re.fullmatch(r"-[nvx]*[LS][nvx]*|--list.*|-h|--help|-V|--version", word) for word in command.words[1:]):
        yield Note("system-state", " ".join(command.words))


def container(command: Command) -> Iterator[Act]:
    """docker: volumes and wholesale pruning are data; `cp` copies files; mounts and env files are uses."""
    words = command.words
    text = " ".join(words[1:5])
    dry = any("dry-run" in word for word in words)
    if re.search(
        r"\b(system|volume|builder|buildx|network)\s+prune\b|\bvolume\s+(rm|remove)\b|\bswarm\s+leave\b", text
    ) or (re.search(r"\b(stack|service|secret|config|node|context)\s+(rm|remove)\b", text)):
        if not re.search(r"\b(builder|buildx|network)\s+prune", text) and not dry:
            yield Note("infrastructure", " ".join(words))
    elif (
        "down" in words
        and any(word in ("-v", "--volumes", "--rmi") or re.fullmatch(r"-[a-uw-z]*+v[a-z]*+", word) for word in words)
    ) or ("rm" in words[1:3] and any(re.fullmatch(r"-[a-uw-z]*+v[a-z]*+|--volumes", word) for word in words)):
        yield Note("infrastructure", " ".join(words))
    if not may_be_protected(command):
        return
    if words[1:3] in (("secret", "create"), ("config", "create")):
        yield from effects(Do.USE, command.argv[3:])
    do = Do.READ if "cp" in words[1:4] else Do.USE
    for word in _own_words(_outer(command, contained)):
        yield from effects(do, inside(word))


def _own_words(command: Command) -> Iterator[Text]:
    """The words up to the inner command, whose own are judged where it is."""
    for place, word in enumerate(command.argv[1:], 1):
        previous = command.argv[place - 1].text
        if previous in ("--build-arg", "-e", "--env", "--label", "-l", "-t", "--tag", "--name"):
            continue
        if place > 3 and not word.text.startswith("-") and not previous.startswith("-") and ":" not in word.text:
            return
        yield word


OPERATIONS: dict[str, Handler] = {
    **dict.fromkeys(_WORDS, by_word),
    **dict.fromkeys(_SYSTEM, always),
    **dict.fromkeys(("docker", "podman", "nerdctl", "docker-compose", "podman-compose"), container),
    **dict.fromkeys(("iptables", "ip6tables", "pfctl", "ebtables", "arptables", "iptables-restore"), iptables),
    "kill": kill,
    "pkill": pkill,
    "crontab": crontab,
    **dict.fromkeys(("at", "batch"), scheduled),
}
