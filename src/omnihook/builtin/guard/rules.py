"""The guard's rules as data: what each is called, how severe it is, what it says, and what to do instead."""

from enum import IntEnum

from omnihook.slotted import dataclass


class Severity(IntEnum):
    """How strongly a rule answers, weakest first."""

    ALLOW = 0
    ASK = 1
    BLOCK = 2

    @property
    def verdict(self) -> str:
        """The word used in answers."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. A `catastrophic` one cannot be switched off or lowered."""

    id: str
    severity: Severity
    reason: str
    fix: str
    catastrophic: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that applies, and to what."""

    rule: str
    detail: str = ""


def _block(name: str, reason: str, fix: str, *, catastrophic: bool = False) -> Rule:
    return Rule(name, Severity.BLOCK, reason, fix, catastrophic)


def _ask(name: str, reason: str, fix: str) -> Rule:
    return Rule(name, Severity.ASK, reason, fix)


_ALL = (
    _block(
        "delete-critical",
        "deletes or moves away the root, a home, the project or a system folder",
        "name the one folder below the project that should go",
        catastrophic=True,
    ),
    _block(
        "write-device",
        "writes raw data to a disk device",
        "write to a file instead",
        catastrophic=True,
    ),
    _block(
        "format-device",
        "makes, wipes or re-partitions a file system on a device",
        "use an image file inside the project",
        catastrophic=True,
    ),
    _block("fork-bomb", "starts processes without end", "bound the loop and wait for its children", catastrophic=True),
    _block(
        "overwrite-critical",
        "empties or replaces a file the system needs to start or log in",
        "change a copy in the project and let the user install it",
        catastrophic=True,
    ),
    _block(
        "computed-destructive",
        "runs a computed command name with destructive arguments",
        "write the command's name",
        catastrophic=True,
    ),
    _block("delete-elevated", "runs rm with raised privileges", "delete without sudo, or ask the user to"),
    _block("mode-777", "makes a file writable and executable by everyone", "use 755, 644 or u+rwX"),
    _block("mode-system", "changes modes or owners of a whole system tree", "name the files that need it"),
    _block("run-remote", "runs text from the network that nobody has reviewed", "save it to a file and read it first"),
    _block("reverse-shell", "connects a shell to the network", "use ssh"),
    _block("protected-file", "reads, changes, copies or deletes a protected file", "ask the user for the value needed"),
    _ask("git-history", "drops uncommitted work or rewrites history", "commit or stash first; use --force-with-lease"),
    _ask("git-hooks", "skips or replaces git hooks", "fix what the hook reports"),
    _ask("delete-outside", "deletes outside the project and the temp folders", "name a path inside the project"),
    _ask("delete-unknown", "deletes a path that is not known from the text", "write the path, or check it first"),
    _ask("delete-git", "deletes repository data", "use git's own commands"),
    _ask("run-download", "downloads a script and runs it", "let the user read it first"),
    _ask("run-unseen", "runs script text that cannot be seen here", "write the commands themselves"),
    _ask("run-hidden", "decodes text and runs it", "write the command plainly"),
    _ask("dynamic-command", "runs a command whose name is not known from the text", "write the command's name"),
    _ask("infrastructure", "deletes infrastructure, data or releases", "preview with a dry run"),
    _ask("system-state", "changes power, services, firewall, accounts or other people's processes", "ask the user"),
    _ask("persistence", "changes something that runs later by itself", "ask the user to make this change"),
    _ask("system-config", "changes system configuration", "ask the user to make this change"),
    _ask("unpack-over", "unpacks an archive over the root or a home", "unpack into a new folder"),
    _ask("mode-writable", "makes files writable by everyone", "grant only what is needed"),
    _ask("use-protected", "lets a tool use a protected file", "ask the user"),
    _ask("disk-image", "reads a raw disk or formats an image file", "check the paths"),
    _ask("unparsed", "cannot be parsed, so cannot be judged", "write it more simply"),
    _ask("too-complex", "is too long or too deeply nested to judge", "split it into smaller commands"),
    _block("too-deep", "is wrapped too deeply to judge", "run the inner command itself"),
    _block("unparsed-destructive", "cannot be parsed and names destructive commands", "write it more simply"),
    _ask("agent-config", "changes an agent's own hooks or settings", "ask the user to make this change"),
    _block("literal-list", "is on the literal list of strict mode", "use standard mode to judge by effect"),
    _ask("paranoid-network", "reaches the network", "allow it in this project, or leave paranoid mode"),
    _ask("paranoid-outside", "writes outside the project", "write inside the project"),
)
RULES: dict[str, Rule] = {rule.id: rule for rule in _ALL}
