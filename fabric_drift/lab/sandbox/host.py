"""Commands of one lab host that need more than the emulator: each runs in a sandbox of its own.

The sandbox has the machine's /usr below what the host has installed, the host's own /etc, /var, /root and so on, a
/sys that the emulator serves, and stand-ins for the programs that are the emulator's. It has no network and sees no
process of the machine; nothing that it starts outlives the command. Commands of one host run one after another.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path
from typing import Protocol

from fabric_drift.lab.emulator import Answer, KernelFiles, Store
from fabric_drift.lab.sandbox.image import make_image
from fabric_drift.lab.sandbox.rootfs import TREE, RootFs
from fabric_drift.lab.sandbox.switchboard import Switchboard

ENTER = Path(__file__).with_name("enter.py")
PYTHON = "/usr/bin/python3"
UIDS = {"root": 0, "admin": 1000}
HOMES = {"root": "/root", "admin": "/home/admin"}
CAPABILITIES = ("SYS_ADMIN", "SETPCAP", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID")
TOO_LATE = 124
INSTALL = "apt-get install bubblewrap"


class Device(Protocol):
    """The emulated host behind the sandbox."""

    @property
    def store(self) -> Store:
        """What it remembers."""
        ...

    def call(self, user: str, argv: list[str]) -> Answer:
        """A program of the emulator's."""
        ...

    def kernel_files(self, user: str) -> KernelFiles:
        """Its /sys."""
        ...

    def settle(self) -> None:
        """Writes down what changed, and tells who has to know."""
        ...


def unavailable() -> str:
    """Why no sandbox can be made on this machine, or nothing."""
    if shutil.which("bwrap") is None:
        return f"needs bubblewrap: {INSTALL}"
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "needs /dev/fuse, to be read and written by you: modprobe fuse"
    if "\toverlay\n" not in Path("/proc/filesystems").read_text(encoding="utf-8"):
        return "needs the file system overlay: modprobe overlay"
    return "" if Path(PYTHON).exists() else f"needs {PYTHON}: apt-get install python3"


class SandboxHost:
    """Sandboxes of one device. ``folder``: the device's own in the lab; ``image``: shared by all."""

    def __init__(self, name: str, folder: Path, image: Path, device: Device, programs: frozenset[str]) -> None:
        self._name, self._folder, self._image, self._device = name, folder, image, device
        self._programs = programs
        self._rootfs = RootFs(folder)
        self._one_at_a_time = asyncio.Lock()
        self._running = self._count = 0
        self._boards: dict[asyncio.subprocess.Process, tuple[Switchboard, asyncio.Task[None]]] = {}

    async def start(self, user: str, command: str) -> asyncio.subprocess.Process:
        """A command as a login shell takes it, with pipes; ``end`` has to follow. Raises OSError."""
        await self._one_at_a_time.acquire()
        try:
            self._prepare()
            pipe = asyncio.subprocess.PIPE
            return await self._spawn(user, ["/bin/bash", "-c", command], (pipe, pipe, pipe))
        except BaseException:
            self._one_at_a_time.release()
            raise

    async def end(self, process: asyncio.subprocess.Process, *, abandoned: bool = False) -> int:
        """Waits for a command; its exit status. ``abandoned``: nobody waits for its answer, so it is killed."""
        board, closing = self._boards.pop(process)
        try:
            if abandoned and process.returncode is None:
                process.kill()
                await board.refuse()  # they may hold its output open, for which wait() waits
            await closing
            return await process.wait()
        finally:
            self._take()
            self._one_at_a_time.release()

    async def run(self, user: str, command: str, seconds: float) -> Answer:
        """A whole command, without input, ended after ``seconds``."""
        process = await self.start(user, command)
        out, err, in_time = b"", b"", False
        try:
            out, err = await asyncio.wait_for(process.communicate(b""), seconds)
            in_time = True
        except TimeoutError:
            err = f"no answer within {seconds:.0f} s".encode()
        finally:
            status = await self.end(process, abandoned=not in_time)
        return Answer(out.decode("utf-8", "replace"), err.decode("utf-8", "replace"), status if in_time else TOO_LATE)

    def refresh(self) -> None:
        """After the emulator changed its files."""
        if self._rootfs.exists and not self._running:
            self._rootfs.give(self._device.store)

    def _prepare(self) -> None:
        if not (self._image / "usr").exists():
            new = self._image.with_name(f"image-{os.getpid()}")  # as a whole or not at all
            make_image(new, {*self._programs, "sudo"})
            new.rename(self._image)
        self._rootfs.prepare(self._name)
        self._rootfs.give(self._device.store)

    def _take(self) -> None:
        self._rootfs.take(self._device.store)
        self._device.settle()

    async def _spawn(self, user: str, argv: list[str], streams: tuple[int, int, int]) -> asyncio.subprocess.Process:
        """A sandbox, and who answers it as long as it lives."""
        self._running += 1
        self._count += 1
        board = Switchboard(self._folder / f"{self._count}.sock", user, self)
        try:
            process = await asyncio.create_subprocess_exec(
                *self._bwrap(user, board.path), *argv, stdin=streams[0], stdout=streams[1], stderr=streams[2], env={}
            )
        except BaseException:
            await board.close()
            self._running -= 1
            raise
        self._boards[process] = (board, asyncio.create_task(self._close_after(process, board)))
        return process

    async def _close_after(self, process: asyncio.subprocess.Process, board: Switchboard) -> None:
        await process.wait()
        self._running -= 1
        await board.close()

    def call(self, user: str, argv: list[str]) -> Answer:
        """A program of the emulator's, called inside."""
        self._rootfs.take(self._device.store)
        answer = self._device.call(user, argv)
        self._rootfs.give(self._device.store)
        return answer

    def kernel_files(self, user: str) -> KernelFiles:
        """/sys, as that user sees it."""
        return self._device.kernel_files(user)

    def wrote(self) -> None:
        """Something below /sys was written to."""
        self._device.settle()

    async def sudo(self, argv: list[str], streams: tuple[int, int, int]) -> int:
        """A command as root, in a sandbox beside the one that asks."""
        try:
            process = await self._spawn("root", argv, streams)
        finally:
            for stream in streams:
                os.close(stream)
        _, closing = self._boards.pop(process)
        try:
            return await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
            await closing

    def _bwrap(self, user: str, socket: Path) -> list[str]:
        uid, home, own = str(UIDS[user]), HOMES[user], self._folder
        bind = "--bind" if user == "root" else "--ro-bind"
        words = [
            shutil.which("bwrap") or "bwrap",
            "--die-with-parent",
            "--new-session",
            "--unshare-user",
            "--unshare-pid",
            "--unshare-net",
        ]
        words += ["--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname", self._name]
        words += ["--uid", "0", "--gid", "0", *(word for name in CAPABILITIES for word in ("--cap-add", f"CAP_{name}"))]
        environment = {"HOME": home, "USER": user, "LOGNAME": user, "LANG": "C.UTF-8", "SHELL": "/bin/bash"}
        environment["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        for name, value in environment.items():
            words += ["--setenv", name, value]
        words += ["--ro-bind", "/usr", "/usr", "--ro-bind", str(self._image / "etc"), "/etc", "--dir", "/sys"]
        for name in ("bin", "sbin", "lib", "lib64", "lib32"):
            if Path("/", name).is_symlink():
                words += ["--symlink", f"usr/{name}", f"/{name}"]
        words += ["--proc", "/proc", "--dev", "/dev", "--dev-bind", "/dev/fuse", "/dev/fuse"]
        for name in (name for name in TREE if name not in {"usr", "etc"}):
            words += [bind, str(own / "root" / name), f"/{name}"]
        if user != "root":
            words += ["--bind", str(own / "root" / home[1:]), home]
        for other, folder in HOMES.items():
            words += ["--bind", str(own / "volatile" / "ansible" / other), f"{folder}/.ansible"]
        for name in ("tmp", "run"):
            words += ["--bind", str(own / "volatile" / name), f"/{name}"]
        words += [
            "--bind",
            str(socket),
            "/run/lab.sock",
            "--tmpfs",
            "/lab",
            "--ro-bind",
            str(self._image),
            "/lab/image",
        ]
        words += ["--bind", str(own), "/lab/own"]  # one mount: what an overlay writes to has to be
        words += ["--ro-bind", str(ENTER), "/lab/enter.py", "--chdir", "/"]
        return [*words, PYTHON, "-ISB", "/lab/enter.py", uid]
