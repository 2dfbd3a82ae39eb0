"""Children of a host in trouble: no descriptors, no processes, no /proc, somebody else's signal handling."""

import json
import os

import pytest

from runners.process_kit import python

ROOT = os.geteuid() == 0
OWN_MOUNTS = ("unshare", "--mount") if ROOT else ("unshare", "--user", "--map-root-user", "--mount")


def test_with_sigchld_ignored_the_answer_stands_and_the_code_is_unknown():
    shown = python("""
        import signal
        from runners.process_kit import no_leaks, sh

        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        with no_leaks():
            result = sh("echo answer; exit 2")
        print(result.status.value, result.code, result.signal, result.stdout, result.error)
    """)
    assert shown == (
        "exited None None b'answer\\n' how it exited is unknown: other code in this process took its exit status"
    )


def test_with_sigchld_ignored_a_timeout_is_a_timeout():
    shown = python("""
        import signal
        from runners.process_kit import no_leaks, sh

        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        with no_leaks():
            print([sh("sleep 60", timeout=0.2).status.value for _ in range(2)])
    """)
    assert shown == "['timeout', 'timeout']"


def test_a_thread_that_waits_for_all_children_takes_codes_but_breaks_nothing():
    shown = python("""
        import asyncio, os, threading
        from runners.process_kit import no_leaks, run_sh

        def thief():
            while not done:
                try:
                    os.waitpid(-1, os.WNOHANG)
                except ChildProcessError:
                    pass

        async def many():
            return [await run_sh("echo answer; exit 2") for _ in range(100)]

        done = False
        thread = threading.Thread(target=thief)
        thread.start()
        with no_leaks():
            results = asyncio.run(many())
        done = True
        thread.join()
        print(
            {result.stdout for result in results},
            {result.code for result in results} <= {2, None},
            all((result.error is None) == (result.code == 2) for result in results),
            any(result.code is None for result in results),
        )
    """)
    assert shown == "{b'answer\\n'} True True True"


def test_out_of_descriptors_some_do_not_start_the_others_answer_and_it_passes():
    shown = python("""
        import asyncio, json, resource
        from runners.process_kit import no_leaks, run_sh

        async def many():
            return await asyncio.gather(*(run_sh("sleep 0.2; echo hi", timeout=10) for _ in range(40)))

        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        asyncio.run(run_sh("true"))
        with no_leaks():
            results = asyncio.run(many())
            again = asyncio.run(run_sh("echo again"))
        started = [result for result in results if result.status.value == "exited"]
        refused = [result for result in results if result.status.value == "not_started"]
        print(json.dumps([
            len(started) + len(refused), len(started) > 5, len(refused) > 5,
            all(result.stdout == b"hi\\n" for result in started),
            sorted({result.error for result in refused}), again.stdout.decode(),
        ]))
    """)
    text = "could not start '/bin/sh': this process has no file descriptors left (EMFILE)"
    assert json.loads(shown) == [40, True, True, True, [text], "again\n"]


def test_a_timeout_without_descriptors_to_look_with_still_ends_the_group():
    shown = python("""
        import asyncio, os, resource
        from runners.process_kit import alive, run_sh

        async def starved():
            task = asyncio.create_task(run_sh("sleep 61.5 & sleep 61.5", timeout=0.5, grace=0.2))
            await asyncio.sleep(0.2)
            assert len(alive("61.5")) >= 2
            held = []
            try:
                while True:
                    held.append(os.open("/dev/null", os.O_RDONLY))
            except OSError:
                result = await task
            for fd in held:
                os.close(fd)
            return result

        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        result = asyncio.run(starved())
        print(result.status.value, alive("61.5"))
    """)
    assert shown == "timeout []"


def test_out_of_processes_nothing_starts_and_it_says_so():
    shown = python("""
        import os, resource
        from runners.process_kit import no_leaks, sh

        if os.geteuid() == 0:
            os.setuid(54321)
        sh("true")
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        with no_leaks():
            result = sh("true")
        print(result.status.value, result.error)
    """)
    assert shown == "not_started could not start '/bin/sh': no more processes are allowed (EAGAIN)"


def test_a_directory_without_permission_is_replaced_and_reported(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    if not ROOT:
        closed.chmod(0)
    shown = python(
        """
        import os, sys
        from runners.process_kit import sh

        if os.geteuid() == 0:
            os.setuid(54321)
        result = sh("pwd", cwd=sys.argv[1], fallbacks=("/",))
        print(result.stdout, result.notice)
        """,
        str(closed),
    )
    assert shown == f"b'/\\n' could not enter '{closed}' (EACCES), ran in '/' instead"


def test_without_proc_the_process_group_is_ended_and_large_payloads_arrive(tmp_path):
    shown = python(
        """
        import os, subprocess, sys
        from runners.process_kit import sh

        subprocess.run(["mount", "-t", "tmpfs", "none", "/proc"], check=True)
        large = sh("wc -c", b"x" * 200_000)
        beat = f"trap '' TERM; while :; do echo >> {sys.argv[1]}; sleep 0.02; done"
        begun = sh(f"({beat}) & sleep 60", timeout=0.2, grace=0.2)
        size = os.path.getsize(sys.argv[1])
        sh("sleep 0.2")
        helper = sh("sleep 1 & echo hi")
        print(large.stdout.strip(), begun.status.value, size == os.path.getsize(sys.argv[1]))
        print(helper.stdout.strip(), helper.leftovers)
        """,
        str(tmp_path / "beats"),
        wrapper=OWN_MOUNTS,
    )
    assert shown == "b'200000' timeout True\nb'hi' 1"


DEAD = """
    import asyncio, ctypes, os, sys, time
    from runners.process_kit import no_leaks, run_argv

    def mount_dead(folder):
        '''A file system whose server never answers anything.'''
        server = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={server},rootmode=40000,user_id=0,group_id=0".encode()
        assert ctypes.CDLL(None).mount(b"dead", folder.encode(), b"fuse", 0, options) == 0

    async def beat(gaps):
        while True:
            begun = time.monotonic()
            await asyncio.sleep(0.01)
            gaps.append(time.monotonic() - begun)

    async def tried(words, limits):
        gaps = []
        heart = asyncio.create_task(beat(gaps))
        result = await run_argv(*words, timeout=0.3, **limits)
        heart.cancel()
        return result.status.value, result.leftovers, result.duration < 1, max(gaps, default=0) < 0.25

    folder = sys.argv[1]
    os.mkdir(folder + "/dead")
    os.symlink("dead/deeper", folder + "/link")
    mount_dead(folder + "/dead")
"""


@pytest.mark.parametrize(
    "child",
    [
        '(folder + "/dead/hook",), {}',
        '("/bin/true",), {"cwd": folder + "/dead"}',
        '("./dead/hook",), {"cwd": folder}',
        '("hook",), {"env": {"PATH": folder + "/dead:/bin"}}',
        '(folder + "/link/hook",), {}',
    ],
    ids=["program", "directory", "relative program", "path", "behind a link"],
)
def test_a_start_on_a_dead_file_system_freezes_nothing_but_the_child(child, tmp_path):
    call = f"    with no_leaks():\n        print(asyncio.run(tried({child})))\n"
    assert python(DEAD + call, str(tmp_path), wrapper=OWN_MOUNTS) == "('timeout', 0, True, True)"


def test_beside_a_dead_file_system_children_start_as_always(tmp_path):
    call = '    print(asyncio.run(tried(("/bin/true",), {"cwd": folder, "env": {"PATH": "/bin"}})))\n'
    assert python(DEAD + call, str(tmp_path), wrapper=OWN_MOUNTS) == "('exited', 0, True, True)"


def test_a_child_whose_path_names_a_dead_file_system_last_is_told_everything(tmp_path):
    call = """
    words = ("sh", "-c", 'pwd; printf "<%s>" "$@"; cat; exit 5', "name", "a b", "", "$(x)")
    limits = {"cwd": folder, "env": {"PATH": "/bin:/usr/bin:" + folder + "/dead"}}
    result = asyncio.run(run_argv(*words, stdin=b"in", **limits))
    print(result.code, result.stdout.decode().replace(folder, "FOLDER").split(), result.stderr)
    """
    shown = python(DEAD + call, str(tmp_path), wrapper=OWN_MOUNTS)
    assert shown == "5 ['FOLDER', '<a', 'b><><$(x)>in'] b''"


def test_a_circle_of_links_beside_a_dead_file_system_is_refused(tmp_path):
    os.symlink("circle", tmp_path / "circle")
    call = '    print(asyncio.run(tried((folder + "/circle/hook",), {})))\n'
    assert python(DEAD + call, str(tmp_path), wrapper=OWN_MOUNTS) == "('not_started', 0, True, True)"


def test_what_not_even_kill_can_end_is_given_up_reported_and_reaped_later(tmp_path):
    shown = python(
        """
        import asyncio, ctypes, os, struct, sys
        from runners.process_kit import run_argv, zombies

        def mount_stuck(folder):
            '''A file system that takes requests and never answers: whoever asks cannot be killed.'''
            server = os.open("/dev/fuse", os.O_RDWR | os.O_NONBLOCK)
            options = f"fd={server},rootmode=40000,user_id=0,group_id=0".encode()
            assert ctypes.CDLL(None).mount(b"stuck", folder.encode(), b"fuse", 0, options) == 0
            unique = struct.unpack_from("<IIQ", os.read(server, 1 << 17))[2]
            welcome = struct.pack("<IIIIHHIII28x", 7, 26, 0, 0, 12, 9, 1 << 16, 1, 0)
            os.write(server, struct.pack("<IiQ", 16 + len(welcome), 0, unique) + welcome)
            return server

        async def stuck(server):
            loop = asyncio.get_running_loop()
            loop.add_reader(server, os.read, server, 1 << 17)
            result = await run_argv(sys.argv[1] + "/hook", timeout=0.2, grace=0.2)
            loop.remove_reader(server)
            os.close(server)
            await asyncio.sleep(1.3)
            return result

        result = asyncio.run(stuck(mount_stuck(sys.argv[1])))
        print(result.status.value, result.leftovers, result.error, result.duration < 2, zombies())
        """,
        str(tmp_path),
        wrapper=OWN_MOUNTS,
    )
    assert shown == "timeout 1 it could not be ended True []"


def test_with_the_proc_of_another_pid_namespace_only_the_group_is_trusted(tmp_path):
    shown = python(
        """
        import os, sys
        from runners.process_kit import sh

        beat = f"trap '' TERM; while :; do echo >> {sys.argv[1]}; sleep 0.02; done"
        result = sh(f"({beat}) & sleep 60", timeout=0.2, grace=0.2)
        size = os.path.getsize(sys.argv[1])
        sh("sleep 0.2")
        print(os.getpid(), result.status.value, size == os.path.getsize(sys.argv[1]))
        """,
        str(tmp_path / "beats"),
        wrapper=(*OWN_MOUNTS, "--pid", "--fork"),
    )
    assert shown == "1 timeout True"
