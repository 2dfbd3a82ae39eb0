"""What functions do, under the names libraries give them: one table for all languages."""

from enum import Enum, auto

from omnihook.shell.tables import names


class Deed(Enum):
    """What a call does."""

    TREE = auto()
    DELETE = auto()
    MOVE = auto()
    COPY = auto()
    READ = auto()
    WRITE = auto()
    APPEND = auto()
    OPEN = auto()
    USE = auto()
    MODE = auto()
    OWNER = auto()
    SHELL = auto()
    """Its text goes to a shell, or its list is a command and arguments."""
    EXECUTE = auto()
    """A program's path, then its arguments with its name among them."""
    EVALUATE = auto()
    INCLUDE = auto()
    FOLDER = auto()
    APPLY = auto()
    """A function is called with other arguments."""


_TABLE: dict[Deed, frozenset[str]] = {
    Deed.TREE: names(
        "rmSync rm rm_rf rm_r rm_r! rmtree remove_tree remove_entry remove_entry_secure remove_dir remove_dir_all",
        "rimraf rimrafSync emptyDirSync emptyDir rm_rf! del_dir_r deleteDir deleteDirectory deleteRecursively",
        "removeItem removeDirectoryRecursive removePathForcibly delete-directory delete-directory/files removedirs",
        "unlink_recursive rm_tree rmdir_r delete-directory-tree delete-tree trashItem rmrf rf secure_erase",
        "removeSync RemoveAll deleteSync rmdirRecurse removeDir deleteTree deleteTreeAbsolute remove_all",
    ),
    Deed.DELETE: names(
        "unlinkSync unlink delete remove rmdir rmdirSync del_dir rm_f rm! removeFile removeDirectory delete-file",
        "deleteIfExists delete! Delete deleteOnExit safe_unlink rmdir! del trash deleteFile rm_f! Remove remove_file",
    ),
    Deed.MOVE: names(
        "move rename renameSync mv moveSync moveItem rename-file renameFile replace renames rename! renameTo",
        "rename-file-or-directory renameDirectory Move moveFile Rename",
    ),
    Deed.COPY: names(
        "copy copy2 copyfile copytree copyFileSync copyFile cpSync cp cp_r copy_file copy-file copyItem copy_entry",
        "link symlink linkSync symlinkSync ln ln_s ln_sf cp! cp_r! copySync install createSymbolicLink createLink",
        "copy-directory fcopy",
    ),
    Deed.READ: names(
        "readFileSync readFile createReadStream read_text read_bytes file_get_contents readfile slurp read_file file",
        "readTextFile readTextFileSync readLines parse_ini_file binread readAllLines readAllBytes readString read!",
        "stream! insert-file-contents find-file find-file-noselect file->string file->lines file->bytes",
        "contentsOfFile read open-input-file call-with-input-file with-input-from-file FileReader FileInputStream",
        "load_workbook FileInput input read_csv readRDS show_source highlight_file php_strip_whitespace load_file",
        "foreach lines readlines each_line read-file newBufferedReader upload_file upload_from_filename send_file",
        "sendFile readlines! readAllText file-string get-string-all readJsonSync readJson readJSON fromFile scan",
        "ReadAllText ReadAllLines ReadAllBytes getlines eachLine withReader readFile! GetContent ReadFile",
        "insert-file-contents-literally read_to_string addFile readAsStringSync readAsString readAsLinesSync readText",
    ),
    Deed.WRITE: names(
        "writeFileSync writeFile write file_put_contents createWriteStream truncateSync truncate write_text",
        "write_bytes writeTextFile writeTextFileSync binwrite outputFileSync outputFile writeLines FileWriter",
        "FileOutputStream touch PrintWriter write! writeString newBufferedWriter write-region open-output-file spit",
        "with-output-to-file sink call-with-output-file writeAllText WriteAllText WriteAllBytes WriteAllLines",
        "writeJsonSync save write_file writefile write-string-to-file copyfileobj RandomAccessFile WriteFile Truncate",
    ),
    Deed.APPEND: names("appendFileSync appendFile append-to-file AppendAllText"),
    Deed.OPEN: names(
        "open openSync fopen sysopen SplFileObject io.open open! File openFile for_fd fdopen Open OpenFile"
    ),
    Deed.USE: names("load_dotenv dotenv_values load_cert_chain dotenv"),
    Deed.MODE: names(
        "chmod chmodSync lchmod fchmod chmod_R chmod! set-file-modes setFileMode setPosixFilePermissions lchmodSync",
        "setAttributes fchmodSync Chmod",
    ),
    Deed.OWNER: names("Chown chown_R chown lchown chownSync chgrp"),
    Deed.SHELL: names(
        "system exec popen popen2 popen2e popen3 shell_exec passthru proc_open execSync spawn spawnSync execFile",
        "execFileSync capture2 capture3 capture2e execute sh run call check_call check_output Popen getoutput",
        "getstatusoutput create_subprocess_shell create_subprocess_exec shell system2 cmd Command ProcessBuilder",
        "Process execa execaSync execaCommand execaCommandSync pipeline shell-command shell-command-to-string",
        "call-process call-process-shell-command start-process start-process-shell-command process-lines",
        "async-shell-command system* run-program callCommand callProcess readProcess readCreateProcess spawnCommand",
        "rawSystem command systemlist do_shell_script doShellScript job_start jobstart termopen process-file",
        "shell_run spawn_async open_pipe open-input-pipe open-pipe open-pipe* pipe_open launch runCommand",
        "runInteractiveCommand command_output system! run! ! $ open_process_in open_process create_process",
        "shell-command! posix_openpt spawnl_shell exec! OpenProcess popen4 run-shell-command system-with-output",
        "pcntl_system process* process shell! unsafe_shell sys.command getCommandOutput execShellCmd execCmd execCmdEx",
        "executeShell spawnShell spawnProcess runSync",
    ),
    Deed.EXECUTE: names(
        "execl execle execlp execlpe execv execve execvp execvpe spawnl spawnlp spawnle spawnv spawnvp spawnve",
        "posix_spawn posix_spawnp pcntl_exec execlp! spawnvpe executeFile Exec ForkExec StartProcess",
    ),
    Deed.EVALUATE: names(
        "eval Function instance_eval class_eval module_eval runInThisContext runInNewContext runInContext load",
        "loadstring eval_string eval-string create_function assert compile eval_quoted evalq EvalString class_exec",
        "eval! evalCode Meta.parse read-from-string include_string evaluate str2func compileString",
    ),
    Deed.INCLUDE: names(
        "require include include_once require_once source import dofile load_script importScripts do require_relative",
        "loadfile run_path run_module import_module __import__ spec_from_file_location load_source SourceFileLoader",
        "execfile Worker fork source_url sys.source",
    ),
    Deed.FOLDER: names(
        "chdir cd setwd set_cwd chdir! cd! setCurrentDirectory changeCurrentDirectoryPath set-default-directory",
        "SetCurrentDirectory Chdir",
    ),
    Deed.APPLY: names(
        "map each forEach for-each foreach each_with_index array_map array_walk sapply lapply call_user_func apply",
        "mapc call_user_func_array mapcar Map iter map! for_each mapM_ forM_ send public_send __send__ tap then",
        "funcall filter each_entry collect register register_shutdown_function Thread submit call_soon",
        "run_in_executor setTimeout",
    ),
}  # fmt: skip
DEEDS: dict[str, Deed] = {name: deed for deed, group in reversed(_TABLE.items()) for name in group}

AMBIGUOUS = names(
    "remove delete replace copy run call input move link open spawn get read write rename exec execute file lines",
    "load process file? do touch install foreach scan save command cmd Command source cd truncate File compile",
    "evaluate apply filter collect Map iter import readlines each_line sh shell launch Process stream! send tap then",
    "$ ! assert del trash cp rm mv ln Move Delete chmod write! read! rm! shell! process* read-file",
    "Remove Rename Open OpenFile Truncate Exec Chmod Chown StartProcess",
)
"""Names that mean something else on most objects: they count bare, or on the owners below."""
OWNERS = names(
    "configparser ConfigParser do os shutil subprocess pty commands Path pathlib PurePath PosixPath asyncio io",
    "codecs fileinput posix platform pexpect sh fs fsp fsPromises promises fs-extra fse File FileUtils Dir IO Files",
    "Deno Bun FileManager default Kernel Process child_process cp childProcess Runtime getRuntime Pathname FileTest",
    "Open3 PTY System os_mod Sys Unix Filename child shell shelljs zx open fopen Directory sys unix lfs plx Base",
    "Filesystem $fs $filesystem Storage pathname ENV Path() execa clojure java uiop sb-ext ext file Shell proc",
    "process Cmd jetpack process.binding Posix POSIX Process.spawn cwd DirectoryIterator builtins __builtins__",
    "globalThis window global self Code Native Object tarfile TarFile ZipFile zipfile exec ioutil syscall bun dax fn",
)
NULLS = names("nil t null None true false undefined NULL TRUE FALSE True False #t #f")
"""Names that stand for no text."""
IMPLICIT = names("unlink rmdir system eval exec chmod rmtree remove_tree")
"""Functions that take `$_` when given nothing."""
