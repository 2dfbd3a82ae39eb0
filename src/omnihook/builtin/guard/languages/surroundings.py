"""Where paths come from, under the names languages give it: home, the current folder, the environment, listings."""

from collections.abc import Mapping
from dataclasses import field

from omnihook.shell.tables import names
from omnihook.shell.values import Text
from omnihook.slotted import dataclass

HOME = names(
    "pw_dir find-system-path homedir home user_home user_home! NSHomeDirectory getHomeDirectory userHome homeDirectory",
    "homeDirectoryForCurrentUser user-homedir-pathname home_dir userInfo HOMEDIR homeDir GetFolderPath UserHomeDir",
)
CURRENT = names(
    "cwd getcwd getcwdb pwd getwd currentDirectoryPath getCurrentDirectory get_cwd cwd! default-directory __dirname",
    "current-directory $PWD PWD __DIR__ CurrentDirectory Getwd",
)
ENVIRONMENT = names("environ env ENV $ENV %ENV $_SERVER $_ENV ENVIRON environment $env environb")
TEMPORARY = names(
    "tmpdir gettempdir tempdir sys_get_temp_dir tmp_dir tmp_dir! NSTemporaryDirectory temporaryDirectory GetTempPath",
    "TempDir temporary-file-directory tmpdir! getTemporaryDirectory",
)
FRESH = names(
    "mkdtemp mkdtempSync mktmpdir mktempdir createTempDirectory tempfile tmpnam make-temp-file TemporaryDirectory"
)
STRIPPED = names("strip trim chomp rstrip lstrip chop trimEnd trimStart string-trim")
GETTERS = names(
    "Getenv LookupEnv getenv get_env getEnv fetch_env! get_env! lookupEnv fetch get getenvb env getProperty user-env"
)
ARGUMENTS = names("argv ARGV $ARGV @ARGV $argv args arg orig_argv commandArgs @_ CommandLine")
EXPAND = names(
    "expanduser expandvars expand_path expand expand-file-name normalizePath abspath realpath resolve absolute",
    "normpath normalize realpathSync canonicalize expandingTildeInPath expanduser! toRealPath toAbsolutePath",
    "abspath! absname getCanonicalPath getAbsolutePath rel2abs fixnames file-truename",
)
PATH_JOIN = names("catfile catdir build-path appendingPathComponent Combine joinpath Join file_path resolve_sibling")
PATH_OWNERS = names("path File Path posixpath Paths posix filepath Filename Spec file filename win32 ospath")
WRAPPERS = names(
    "Path PurePath PosixPath Pathname File str String Text URL URI Uri url decode encode strip trim chomp rstrip",
    "lstrip as_posix toString to_s to_str toPath toFile asString List of asList c list tuple vec array vector Array",
    "from to_a open freeze dup unwrap toUri fileURLWithPath resolvingSymlinksInPath chop utf8 TextDecoder",
    "get_contents sort uniq sorted set toList iter collect flatten compact getBytes ascii text io shellescape quote",
    "force_encoding new file RecursiveIteratorIterator IteratorIterator Cmd b byte as_raw raw string? identity Buffer",
    "trimEnd trimStart to_path fspath fsencode fsdecode fileURLToPath parse Directory",
)
GLOBS = names("glob iglob globSync rglob wildcard glob! Glob bsd_glob file-expand-wildcards globpath")
NAMES_IN = names(
    "listdir readdirSync readdir children each_child entries readDirSync readDir ls! ls listDirectory scandir"
)
PATHS_IN = names(
    "iterdir files listFiles list walk walkSync find finddepth RecursiveDirectoryIterator DirectoryIterator fwalk",
    "FilesystemIterator contentsOfDirectory enumerator walkdir directory-files directory-files-recursively file-seq",
    "directory-list in-directory list_files eachFileRecurse eachFile getFiles EnumerateFiles dir list_dir_all",
)
TREES = names(
    "walk walkSync find finddepth RecursiveDirectoryIterator enumerator walkdir directory-files-recursively file-seq",
    "in-directory eachFileRecurse fwalk rglob",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What is known about the process the code runs in."""

    language: str
    home: str
    arguments: tuple[Text, ...] = ()
    environment: tuple[tuple[str, Text], ...] = ()
    stdin: Text | None = None
    listed: tuple[Text, ...] = ()
    """The paths that come from standard input, when it is a list of paths."""
    given: tuple[tuple[str, Text], ...] = ()
    """Names the command line gives a value."""
    loads: str = ""
    """The file whose variables the command line has loaded."""
    prints: bool = False
    """Whether what the code is worth is printed."""
    files: Mapping[str, Text] = field(default_factory=dict, hash=False)
    """What this script has written so far, by path."""
    folder: str = ""
    """The folder that relative paths start from."""
    search: tuple[str, ...] = ()
    """Other folders in which modules are looked for."""

    def input(self) -> list[Text]:
        """What is read from standard input: paths, or text without the end of its last line."""
        if self.listed or self.stdin is None:
            return list(self.listed)
        return [Text(self.stdin.text.removesuffix("\n"), self.stdin.origins)]

    def variable(self, name: str) -> list[Text]:
        """An environment variable's value, as far as it is known."""
        for known, value in self.environment:
            if known == name:
                return [value]
        if name in ("HOME", "USERPROFILE", "user.home"):
            return [Text(self.home)]
        if name in ("TMPDIR", "java.io.tmpdir"):
            return [Text("/tmp")]
        return [Text(".")] if name in ("PWD", "user.dir") else []

    def argument(self, index: int | None) -> list[Text]:
        """One of the words after the code; all of them when the index is not known."""
        if index is None:
            return list(self.arguments)
        shift = 0 if self.language in ("perl", "ruby", "raku", "groovy", "java") else 1
        place = index - shift
        return [self.arguments[place]] if 0 <= place < len(self.arguments) else []

    def at_home(self, text: Text) -> Text:
        """`~` and `$HOME` at the start expanded."""
        for mark in ("~", "$HOME", "${HOME}"):
            if text.text == mark or text.text.startswith(mark + "/"):
                return Text(self.home + text.text[len(mark) :], text.origins, text.pattern)
        return text
