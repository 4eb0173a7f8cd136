"""First process of a sandbox: mounts what bubblewrap can't, gives up the right to, and becomes the command.

``python3 -I -S enter.py UID COMMAND...``. Stands alone: nothing of the project is there to import.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys

SOCKET = "/run/lab.sock"
LAB = "/lab"
MS_RDONLY = 1
MNT_DETACH = 2
PR_CAPBSET_DROP = 24
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
CAPABILITY_VERSION = 0x20080522
KEPT = range(5)
"""Capabilities of root in a sandbox: CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER, FSETID."""
CLONE_NEWUSER = 0x10000000

libc = ctypes.CDLL(None, use_errno=True)


def check(result: int, what: str) -> None:
    """Raises OSError where a call of the C library failed."""
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def read(path: str) -> str:
    """Text of a file. Raises OSError."""
    with open(path, encoding="ascii") as file:  # noqa: PTH123 - as little as possible here
        return file.read()


def mount(source: str, target: str, kind: str, options: str) -> None:
    """What the system call of that name does. Raises OSError."""
    check(libc.mount(source.encode(), target.encode(), kind.encode(), 0, options.encode()), f"mount {target}")


def overlay(folder: str, *, writable: bool) -> None:
    """The machine's own folder, under what the lab adds to it and what this host has written."""
    lower = f"{LAB}/image/{folder}" + (f":/{folder}" if folder == "usr" else "")
    own, scratch = f"{LAB}/own/root/{folder}", f"{LAB}/own/scratch/{folder}"
    layers = f"lowerdir={lower},upperdir={own},workdir={scratch}" if writable else f"lowerdir={own}:{lower}"
    mount("overlay", f"/{folder}", "overlay", f"{layers},userxattr")


def sysfs() -> None:
    """/sys as the emulator has it: the daemon serves it, over a descriptor that is handed to it."""
    fuse = os.open("/dev/fuse", os.O_RDWR)
    mount("sysfs", "/sys", "fuse", f"fd={fuse},rootmode=40755,user_id={os.getuid()},group_id={os.getgid()},allow_other")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as daemon:
        daemon.connect(SOCKET)
        socket.send_fds(daemon, [json.dumps({"serve": "sysfs"}).encode()], [fuse])
        daemon.recv(1)
    os.close(fuse)


def become(uid: int) -> None:
    """Another user, of a user namespace of its own, which has no say over the mounts. Raises OSError."""
    check(libc.unshare(CLONE_NEWUSER), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} 0 1"), ("gid_map", f"{uid} 0 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:  # noqa: PTH123 - as little as possible here
            file.write(text)


def main() -> int:
    """Never returns where all is well."""
    uid, command = int(sys.argv[1]), sys.argv[2:]
    for folder in ("usr", "etc"):
        overlay(folder, writable=uid == 0)
    sysfs()
    check(libc.umount2(LAB.encode(), MNT_DETACH), f"umount {LAB}")
    for capability in range(int(read("/proc/sys/kernel/cap_last_cap")) + 1):
        if capability not in KEPT:
            check(libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0), "prctl")
    if uid:
        become(uid)
    check(libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), "prctl")
    kept = 0 if uid else sum(1 << capability for capability in KEPT)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    check(libc.capset(header, (ctypes.c_uint32 * 6)(kept, kept)), "capset")
    os.umask(0o022)
    os.chdir(os.environ["HOME"])
    os.execvp(command[0], command)  # noqa: S606 - that is what a sandbox is for


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OSError as error:
        sys.stderr.write(f"lab: the sandbox can't be entered: {error}\n")
        sys.exit(70)
