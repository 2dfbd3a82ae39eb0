"""Programs that run another program given in their arguments, as data: where the inner command starts."""

from collections.abc import Iterator, Sequence

from omnihook.shell.tables import names
from omnihook.slotted import dataclass

SHELLS = names("sh bash dash zsh ksh mksh ash fish rbash csh tcsh")
ELEVATORS = names("sudo doas su pkexec run0 gosu su-exec runuser sudoedit")


@dataclass(frozen=True, slots=True)
class Wrapper:
    """How to find the command inside: options with values, operands before it, `NAME=value` operands.

    `verb` is a word that must come first (`poetry run`); `script` is an option whose value is shell text, to which the
    words behind it are added when it `splits`; `folder` is an option that names where the command runs.
    """

    values: str = ""
    long_values: frozenset[str] = frozenset()
    operands: int = 0
    assigns: bool = False
    verb: str = ""
    script: tuple[str, ...] = ()
    joined: bool = False
    queries: str = ""
    splits: bool = False
    folder: tuple[str, ...] = ()


def _long(names: str) -> frozenset[str]:
    return frozenset(f"--{name}" for name in names.split())


_SUDO = _long("user group host prompt chdir role type other-user close-from chroot command-timeout")
_SYSTEMD_RUN = _long(
    "property unit slice setenv description uid gid nice machine host working-directory on-active on-boot "
    "on-calendar on-startup service-type timer-property path-property socket-property shell"
)
_UNSHARE = _long("map-user map-group propagation setgroups root wd setuid setgid load-interp")
WRAPPERS: dict[str, Wrapper] = {
    "sudo": Wrapper("ugphCcrtTUDR", _SUDO, assigns=True, queries="lvkK", folder=("-D", "--chdir")),
    "doas": Wrapper("uC"),
    "run0": Wrapper(
        "ugD", _long("user group nice chdir setenv unit property slice background machine"), folder=("-D", "--chdir")
    ),
    "pkexec": Wrapper("u", _long("user")),
    "gosu": Wrapper(operands=1),
    "su-exec": Wrapper(operands=1),
    "runuser": Wrapper("uggGs", _long("user group supp-group shell"), script=("-c", "--command")),
    "env": Wrapper(
        "uCa",
        _long("unset chdir argv0"),
        assigns=True,
        script=("-S", "--split-string"),
        splits=True,
        folder=("-C", "--chdir"),
    ),
    "command": Wrapper(queries="vV"),
    "builtin": Wrapper(),
    "exec": Wrapper("a"),
    "nohup": Wrapper(),
    "setsid": Wrapper(),
    "time": Wrapper("fo", _long("format output")),
    "nice": Wrapper("n", _long("adjustment")),
    "ionice": Wrapper("cnpPu", _long("class classdata pid")),
    "chrt": Wrapper("TPD", operands=1),
    "taskset": Wrapper(operands=1),
    "timeout": Wrapper("ks", _long("kill-after signal"), operands=1),
    "stdbuf": Wrapper("ioe", _long("input output error")),
    "strace": Wrapper("eopsaEIOPSuUXb", _long("trace output string-limit columns env user attach")),
    "ltrace": Wrapper("eopsaulnAFwx", _long("output user library")),
    "flock": Wrapper("wE", _long("timeout wait conflict-exit-code"), operands=1, script=("-c", "--command")),
    "watch": Wrapper("nqs", _long("interval equexit"), joined=True),
    "script": Wrapper("EIOBTmo", _long("log-in log-out log-io log-timing"), operands=1, script=("-c", "--command")),
    "chroot": Wrapper("", _long("groups userspec"), operands=1),
    "unshare": Wrapper("RwSGl", _UNSHARE),
    "nsenter": Wrapper("tSGWr", _long("target setuid setgid")),
    "systemd-run": Wrapper("puEMHt", _SYSTEMD_RUN, folder=("--working-directory",)),
    "systemd-inhibit": Wrapper("", _long("what who why mode")),
    "prlimit": Wrapper("po"),
    "numactl": Wrapper("imlNCp"),
    "cpulimit": Wrapper("lpe"),
    "chpst": Wrapper("uUbeo/nmdfprcC"),
    "setpriv": Wrapper("", _long("reuid regid groups securebits selinux-label apparmor-profile")),
    "busybox": Wrapper(),
    "toybox": Wrapper(),
    "coproc": Wrapper(),
    "fakeroot": Wrapper("lsib"),
    "eatmydata": Wrapper(),
    "caffeinate": Wrapper("tw"),
    "proxychains": Wrapper("f"),
    "proxychains4": Wrapper("f"),
    "torsocks": Wrapper("uapP"),
    "rlwrap": Wrapper("abcCDfHgiopPqsSt"),
    "unbuffer": Wrapper(),
    "firejail": Wrapper(),
    "dbus-run-session": Wrapper("", _long("config-file dbus-daemon")),
    "xvfb-run": Wrapper("efnpsw", _long("error-file auth-file server-num server-args")),
    "machinectl": Wrapper(verb="shell", operands=1),
    **{name: Wrapper(operands=1) for name in ("mosh", "autossh")},
    "catchsegv": Wrapper(),
    "valgrind": Wrapper(),
    "entr": Wrapper(),
    "npx": Wrapper("pc", _long("package"), script=("-c", "--call")),
    "bunx": Wrapper("p", _long("package")),
    "poetry": Wrapper("C", _long("directory"), verb="run", folder=("-C", "--directory")),
    "pipenv": Wrapper(verb="run"),
    "pdm": Wrapper(verb="run"),
    "hatch": Wrapper(verb="run"),
    "rye": Wrapper(verb="run"),
    "uv": Wrapper("p", _long("with python project directory env-file extra group with-requirements"), verb="run"),
    "bundle": Wrapper(verb="exec"),
    "direnv": Wrapper(verb="exec", operands=1),
    "mise": Wrapper(verb="exec"),
    "asdf": Wrapper(verb="exec"),
    "doppler": Wrapper("pc", _long("project config"), verb="run"),
    "op": Wrapper("", _long("env-file account"), verb="run"),
    "chronic": Wrapper(),
    "sg": Wrapper(operands=1, script=("-c",)),
    "newgrp": Wrapper(operands=1, script=("-c",)),
    "dotenv": Wrapper("fe"),
    "conda": Wrapper("np", _long("name prefix cwd"), verb="run"),
    "nix-shell": Wrapper("pAI", script=("--run", "--command")),
    "vagrant": Wrapper(verb="ssh", script=("-c", "--command")),
    "nodemon": Wrapper("wie", _long("watch ignore ext"), script=("-x", "--exec")),
}


def base_name(word: str) -> str:
    """A command's name without its folder: `/bin/rm` is rm, and so is `\\rm`."""
    return word.rsplit("/", 1)[-1] if "/" in word else word


def inner_start(argv: Sequence[str | None], wrapper: Wrapper) -> int | None:
    """Where the inner command begins, or None when the wrapper runs none; None in `argv` is unknown text."""
    index, operands, verb = 1, wrapper.operands, wrapper.verb
    while index < len(argv):
        word = argv[index]
        if word == "--" and not verb:
            index += 1
            break
        if word is None or not word.startswith("-") or word == "-":
            if word is not None and wrapper.assigns and "=" in word:
                index += 1
            elif verb:
                if word != verb:
                    return None
                verb, index = "", index + 1
            elif operands:
                operands, index = operands - 1, index + 1
            else:
                break
            continue
        if any(letter in wrapper.queries for letter in word[1:] if not word.startswith("--")):
            return None
        index += 2 if _takes_next(word, wrapper) else 1
    index += operands if operands and index < len(argv) else 0
    return index if index < len(argv) and not verb else None


def _takes_next(word: str, wrapper: Wrapper) -> bool:
    """Whether the option's value is the next word: `-n 5`, `--signal KILL`, but not `-n5` or `--signal=KILL`."""
    if word in wrapper.script:
        return True
    if word.startswith("--"):
        return word in wrapper.long_values
    first = next((place for place, letter in enumerate(word[1:], 1) if letter in wrapper.values), None)
    return first is not None and first == len(word) - 1


def script_options(argv: Sequence[str | None], wrapper: Wrapper) -> Iterator[tuple[int, str]]:
    """The positions of words that hold shell text, each with the prefix to cut off (`--run=`)."""
    for index, word in enumerate(argv[1:], 1):
        if word is None or not wrapper.script:
            continue
        if word == "--":
            return
        if (word in wrapper.script or _clustered(word, wrapper)) and index + 1 < len(argv):
            yield index + 1, ""
        for option in wrapper.script:
            prefix = option + "=" if option.startswith("--") else option
            if word != option and word.startswith(prefix):
                yield index, prefix


def _clustered(word: str, wrapper: Wrapper) -> bool:
    """`-qc`: the last of several letters is the option that takes shell text."""
    short = len(word) > 2 and word[0] == "-" and word[1:].isalpha()
    return short and "-" + word[-1] in wrapper.script and "-" + word[1] not in wrapper.script


def folder_option(argv: Sequence[str | None], wrapper: Wrapper) -> str | None:
    """The folder that one of the wrapper's options names."""
    for index, word in enumerate(argv):
        for option in wrapper.folder if word is not None else ():
            prefix = option + "=" if option.startswith("--") else option
            if word == option:
                return argv[index + 1] if index + 1 < len(argv) else None
            if word is not None and word.startswith(prefix):
                return word[len(prefix) :]
    return None


def shell_script(argv: Sequence[str | None]) -> int | None:
    """Where `sh -c` has its script, or None. Letters may be joined (`-lc`), and `-o name` takes a value."""
    wants, index = False, 1
    while index < len(argv):
        word = argv[index]
        if word is None or not word.startswith(("-", "+")) or word in ("-", "--"):
            return index if wants and word not in ("-", "--") else (index + 1 if wants else None)
        if not word.startswith("--"):
            wants = wants or (word[0] == "-" and "c" in word[1:])
            index += word[-1:] in "oO"
        elif word in ("--rcfile", "--init-file"):
            index += 1
        elif word == "--command":
            wants = True
        index += 1
    return None
