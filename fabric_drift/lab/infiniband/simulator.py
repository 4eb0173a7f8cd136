"""One ibsim: started on a socket name of its own, fed through its console, stopped by its pid."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

PACKAGES = "opensm ibsim-utils infiniband-diags libibmad5 libibumad3"
PRELOAD = Path("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so")
PRIVATE_NETWORK = ("unshare", "-n", "sh", "-c")
READY = "simulator ready"


class InfinibandLabError(Exception):
    """The lab can't do what was asked; the text says why and what to do."""


def require_packages() -> None:
    """Raises InfinibandLabError with the apt line where a program of the lab is missing."""
    missing = [
        name
        for name in ("opensm", "ibsim", "sminfo", "bwrap", "unshare", "nsenter", "ip")
        if shutil.which(name) is None
    ]
    if not PRELOAD.exists():
        missing.append(PRELOAD.name)
    if missing:
        raise InfinibandLabError(
            f"the InfiniBand lab needs {', '.join(missing)}: apt-get install {PACKAGES} bubblewrap iproute2 util-linux"
        )


def port_limits(node_count: int, port_count: int) -> tuple[str, ...]:
    """Table sizes of ibsim for a fabric, with room for what is added by hand."""
    return ("-N", str(node_count + 64), "-S", str(node_count + 64), "-P", str(port_count + 2048))


@dataclass(slots=True)
class Simulator:
    """A running ibsim. ``directory`` holds net file, console FIFO, log and pid."""

    directory: Path
    socket: str

    @property
    def pid_file(self) -> Path:
        """Where its pid is."""
        return self.directory / "ibsim.pid"

    def start(self, limits: tuple[str, ...], timeout_s: float = 120) -> None:
        """Returns when it answers. Raises InfinibandLabError with its own words when it doesn't."""
        fifo = self.directory / "console"
        fifo.unlink(missing_ok=True)
        os.mkfifo(fifo)
        log = self.directory / "ibsim.log"
        # Opened for both directions, so that the console never sees an end of file.
        console = os.open(fifo, os.O_RDWR)
        try:
            with log.open("w") as out:
                # A network of its own: abstract sockets and consoles on loopback meet those of no other lab.
                process = subprocess.Popen(  # noqa: S603 - the Debian packages' programs
                    [*PRIVATE_NETWORK, f"ip link set lo up; exec ibsim -s {' '.join(limits)} net.txt"],
                    cwd=self.directory,
                    stdin=console,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, "IBSIM_SOCKNAME": self.socket},
                    start_new_session=True,
                )
        finally:
            os.close(console)
        self.pid_file.write_text(str(process.pid))
        deadline = time.monotonic() + timeout_s
        while READY not in log.read_text(errors="replace"):
            if process.poll() is not None or time.monotonic() > deadline:
                tail = " / ".join(log.read_text(errors="replace").splitlines()[-3:])
                self.stop()
                raise InfinibandLabError(f"ibsim did not start: {tail}")
            time.sleep(0.02)

    def inside(self, argv: list[str]) -> list[str]:
        """``argv`` in the network of the simulator. Raises InfinibandLabError when it isn't there."""
        try:
            pid = int(self.pid_file.read_text())
        except (FileNotFoundError, ValueError):
            raise InfinibandLabError("the simulator doesn't run") from None
        return ["nsenter", f"--net=/proc/{pid}/ns/net", *argv]

    def tell(self, line: str) -> str:
        """One line for its console (``Unlink "S-..."[3]``); what it said about it, as far as it says anything."""
        if "\n" in line or "\r" in line:
            raise InfinibandLabError("one console command per line")
        log = self.directory / "ibsim.log"
        before = log.stat().st_size
        console = os.open(self.directory / "console", os.O_WRONLY | os.O_NONBLOCK)
        try:
            os.write(console, f"{line}\n".encode())
        finally:
            os.close(console)
        deadline = time.monotonic() + 2
        while log.stat().st_size == before and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.05)
        with log.open("rb") as text:
            text.seek(before)
            return text.read().decode(errors="replace")

    def stop(self) -> None:
        """Ends it, by its pid. Subnet managers must be gone before: one whose simulator went ignores SIGTERM."""
        stop_process(self.pid_file, "ibsim")


def stop_process(pid_file: Path, program: str, signals: tuple[int, ...] = (signal.SIGTERM, signal.SIGKILL)) -> None:
    """Ends the process that ``pid_file`` names, if it still is ``program``; waits until it is gone."""
    try:
        pid = int(pid_file.read_text())
    except (FileNotFoundError, ValueError):
        return
    for number in signals:
        if not is_program(pid, program):
            break
        os.kill(pid, number)
        deadline = time.monotonic() + 3
        while is_program(pid, program) and time.monotonic() < deadline:
            _reap(pid)
            time.sleep(0.02)
    pid_file.unlink(missing_ok=True)


def is_program(pid: int, program: str) -> bool:
    """Whether ``pid`` lives and is ``program``: pids are used again."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    name, _, rest = stat.partition("(")[2].rpartition(")")
    return name == program[:15] and rest.split()[0] != "Z"


def _reap(pid: int) -> None:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return  # another process' child: init reaps it
