from omnihook.runners.mounts import may_hang, remote_mounts

TABLE = r"""
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw
23 22 0:21 / /proc rw,nosuid shared:2 - proc proc rw
31 22 0:40 / /home/me/net rw shared:9 master:3 - nfs4 server:/export rw,vers=4.2
32 22 0:41 / /mnt/with\040space\134 rw - cifs //server/share rw
33 22 0:42 / /mnt/ssh rw - fuse.sshfs me@there:/ rw
34 22 0:43 / /sys/fs/fuse/connections rw - fusectl fusectl rw
35 22 0:44 / /auto rw - autofs systemd-1 rw
""".strip().splitlines()


def test_file_systems_that_depend_on_somebody_else_are_told_from_the_others():
    assert remote_mounts(TABLE) == {"/home/me/net", "/mnt/with space\\", "/mnt/ssh", "/auto"}


def test_a_machine_without_such_file_systems_never_waits(tmp_path):
    assert not may_hang([str(tmp_path), "/bin/sh", "/no/such/path"])
