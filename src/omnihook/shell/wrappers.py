"""Programs that run another program given in their arguments, as data: where the inner command starts."""

from collections.abc import Iterator, Sequence
from dataclasses import field

from omnihook.shell.options import Given, places, read
from omnihook.shell.tables import names
from omnihook.slotted import dataclass

SHELLS = names("sh bash dash zsh ksh mksh ash fish rbash csh tcsh")
ELEVATORS = names("sudo doas su pkexec run0 gosu su-exec runuser sudoedit")


@dataclass(frozen=True, slots=True)
class Wrapper:
    """How to find the command inside: options with values, operands before it, `NAME=value` operands.

    `verb` is a word that must come first (`poetry run`); `script` is an option whose value is shell text, to which the
    words behind it are added when it `splits`; `folder` is an option that names where the command runs. Options in
    `queries` only ask. With `anywhere`, options count behind the operands too, and there is no command beside scripts.
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
    anywhere: bool = False
    letters: str = field(init=False)
    longs: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Options that take a value are those said to, and those that hold a script."""
        short = "".join(name[1] for name in self.script if len(name) == 2)
        object.__setattr__(self, "letters", self.values + short)
        object.__setattr__(self, "longs", self.long_values.union(name for name in self.script if len(name) > 2))


def _long(names: str) -> frozenset[str]:
    return frozenset(f"--{name}" for name in names.split())


_SUDO = _long("user group host prompt chdir role type other-user close-from chroot command-timeout")
_SYSTEMD_RUN = _long(
    "property unit slice setenv description uid gid nice machine host working-directory on-active on-boot "
    "on-calendar on-startup service-type timer-property path-property socket-property capsule"
)
_SU = _long("group supp-group shell whitelist-environment")
_SU_SCRIPTS = ("-c", "--command", "--session-command")
SWITCH_USER = Wrapper("gGsTw", _SU, script=_SU_SCRIPTS, anywhere=True)
"""su: its options may stand behind the user's name, and even behind `--`, for the shell."""
_UNSHARE = _long("map-user map-group propagation setgroups root wd setuid setgid load-interp")
_SETPRIV = _long(
    "reuid regid ruid euid rgid egid groups securebits selinux-label apparmor-profile inh-caps ambient-caps "
    "bounding-set pdeathsig ptracer"
)
_LOADER = _long("library-path inhibit-rpath audit preload argv0 glibc-hwcaps-prepend glibc-hwcaps-mask")
LOADER = Wrapper("", _LOADER, queries="-list|-verify|-help|-version|-list-tunables|-list-diagnostics")
"""The dynamic loader, which starts the program it is given."""
WRAPPERS: dict[str, Wrapper] = {
    "sudo": Wrapper(
        "ugphCcrtTUDRa",
        _SUDO,
        assigns=True,
        queries="l|v|K|-list|-validate|-remove-timestamp",
        folder=("-D", "--chdir"),
    ),
    "doas": Wrapper("uCa", queries="L"),
    "run0": Wrapper(
        "ugD", _long("user group nice chdir setenv unit property slice background machine"), folder=("-D", "--chdir")
    ),
    "pkexec": Wrapper("u", _long("user")),
    "gosu": Wrapper(operands=1),
    "su-exec": Wrapper(operands=1),
    "runuser": Wrapper("ugGsw", _SU | {"--user"}, script=_SU_SCRIPTS),
    "env": Wrapper(
        "uCaP",
        _long("unset chdir argv0"),
        assigns=True,
        script=("-S", "--split-string"),
        splits=True,
        folder=("-C", "--chdir"),
    ),
    "command": Wrapper(queries="v|V"),
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
    "nsenter": Wrapper("tSGW", _long("target setuid setgid wdns")),
    "systemd-run": Wrapper("puEMHC", _SYSTEMD_RUN, folder=("--working-directory",)),
    "systemd-inhibit": Wrapper("", _long("what who why mode")),
    "prlimit": Wrapper("po"),
    "numactl": Wrapper("imNCp", _long("interleave membind cpunodebind physcpubind preferred")),
    "cpulimit": Wrapper("lpe"),
    "chpst": Wrapper("uUbeo/nlLmdfprctC"),
    "setpriv": Wrapper("", _SETPRIV),
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
    "multipass": Wrapper("d", _long("working-directory"), verb="exec", operands=1),
    "machinectl": Wrapper(verb="shell", operands=1),
    **{name: Wrapper(operands=1) for name in ("mosh", "autossh")},
    "catchsegv": Wrapper(),
    "valgrind": Wrapper(),
    "entr": Wrapper(script=("-s",)),
    "npx": Wrapper("p", _long("package"), script=("-c", "--call")),
    **{name: Wrapper("p", _long("package")) for name in ("bunx", "pnpx")},
    "poetry": Wrapper("C", _long("directory"), verb="run", folder=("-C", "--directory")),
    "pipenv": Wrapper(verb="run"),
    "pdm": Wrapper(verb="run"),
    "hatch": Wrapper(verb="run"),
    "rye": Wrapper(verb="run"),
    "uv": Wrapper("p", _long("with python project directory env-file extra group with-requirements"), verb="run"),
    "bundle": Wrapper(verb="exec"),
    "direnv": Wrapper(verb="exec", operands=1),
    "mise": Wrapper("C", _long("cd"), verb="exec|x", script=("-c", "--command"), folder=("-C", "--cd")),
    "asdf": Wrapper(verb="exec"),
    "doppler": Wrapper("pc", _long("project config"), verb="run", script=("--command",)),
    "op": Wrapper("", _long("env-file account"), verb="run"),
    **{name: Wrapper("np", _long("name prefix cwd"), verb="run") for name in ("mamba", "micromamba")},
    "pixi": Wrapper("e", _long("environment manifest-path"), verb="run"),
    "rtx": Wrapper(verb="exec|x"),
    "chronic": Wrapper(),
    "sg": Wrapper(operands=1, script=("-c",)),
    "newgrp": Wrapper(operands=1, script=("-c",)),
    **{name: Wrapper("fe", _long("file env env-file")) for name in ("dotenv", "dotenv-cli")},
    "dotenvx": Wrapper("fe", _long("env env-file env-vault-file convention fk env-keys-file"), verb="run"),
    "conda": Wrapper("np", _long("name prefix cwd"), verb="run"),
    "nix-shell": Wrapper("pAI", script=("--run", "--command"), anywhere=True),
    "vagrant": Wrapper(verb="ssh", operands=1, script=("-c", "--command")),
    "nodemon": Wrapper("wie", _long("watch ignore ext"), script=("-x", "--exec"), anywhere=True),
}


def base_name(word: str) -> str:
    """A command's name without its folder: `/bin/rm` is rm, and so is `\\rm`."""
    return word.rsplit("/", 1)[-1] if "/" in word else word


@dataclass(frozen=True, slots=True)
class Reading:
    """A wrapper's words, read: its options, and where the command inside begins; None when it runs none."""

    options: tuple[Given, ...]
    start: int | None


def reading(argv: Sequence[str | None], wrapper: Wrapper) -> Reading:
    """Read a wrapper's words as it would itself; None in `argv` is unknown text."""
    options: list[Given] = []
    index, operands, verb = 1, wrapper.operands, wrapper.verb
    while index < len(argv):
        word = argv[index]
        if word == "--" and not verb and not wrapper.anywhere:
            index += 1
            break
        if word is not None and word[:1] == "-" and word != "-":
            index = read(argv, index, wrapper.letters, wrapper.longs, options)
        elif wrapper.anywhere or (word is not None and wrapper.assigns and ("=" in word or word == "-")):
            index += 1
        elif verb:
            if word not in verb.split("|"):
                return Reading(tuple(options), None)
            verb, index = "", index + 1
        elif operands:
            operands, index = operands - 1, index + 1
        else:
            break
    index += operands if operands and index < len(argv) else 0
    asks = any(option.name[1:] in wrapper.queries.split("|") for option in options) if wrapper.queries else False
    return Reading(tuple(options), None if asks or verb or index >= len(argv) else index)


def inner_start(argv: Sequence[str | None], wrapper: Wrapper) -> int | None:
    """Where the inner command begins, or None when the wrapper runs none; None in `argv` is unknown text."""
    return reading(argv, wrapper).start


def script_options(argv: Sequence[str | None], wrapper: Wrapper) -> Iterator[tuple[int, str]]:
    """The positions of words that hold shell text, each with the prefix to cut off (`--run=`)."""
    if wrapper.script:
        for option in places(reading(argv, wrapper).options, wrapper.script):
            yield option.place, (argv[option.place] or "")[: option.start]


def folder_option(argv: Sequence[str | None], wrapper: Wrapper) -> str | None:
    """The folder that one of the wrapper's options names."""
    if not wrapper.folder:
        return None
    found = [(argv[option.place], option.start) for option in places(reading(argv, wrapper).options, wrapper.folder)]
    word, start = found[-1] if found else (None, 0)
    return None if word is None else word[start:]


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
