"""One SM node: a sandbox with its own /etc/opensm, /var and systemctl, in the network of the simulator.

ibsim's sockets are abstract, so simulator and nodes share a network namespace; they share the pid namespace too,
because a detached process (a timer, the subnet manager) has to outlive the command that started it.
"""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from fabric_drift.lab.emulator import Answer
from fabric_drift.lab.infiniband.simulator import PRELOAD, InfinibandLabError, Simulator, is_program, stop_process

TOO_LATE = 124

SYSTEMCTL = """#!/bin/sh
# The unit opensm of this SM node, for lack of a systemd.
pid=$(cat /run/opensm.pid 2>/dev/null)
alive() { [ -n "$pid" ] && [ "$(cat /proc/$pid/comm 2>/dev/null)" = opensm ]; }
start() {
    cd /run
    LD_PRELOAD="$LAB_UMAD" setsid opensm -F /etc/opensm/opensm.conf >>/var/log/opensm.journal 2>&1 </dev/null &
    echo $! >/run/opensm.pid
}
stop() {
    alive || return 0
    kill -TERM "$pid"
    for tick in $(seq 100); do alive || return 0; sleep 0.03; done
    kill -KILL "$pid"
    for tick in $(seq 100); do alive || return 0; sleep 0.03; done
}
case "$2" in
    fabric-drift-*.timer)
        timer=/run/$2
        [ "$1" = stop ] && [ -f "$timer" ] || exit 5
        kill -TERM -- "-$(cat "$timer")" 2>/dev/null
        rm -f "$timer"
        exit 0 ;;
esac
[ "$2" = opensm ] || [ "$2" = opensm.service ] || { echo "Unit $2 could not be found." >&2; exit 5; }
case "$1" in
    start) alive || start ;;
    stop) stop ;;
    restart) stop; start ;;
    reload) alive || { echo "opensm.service is not active, cannot reload." >&2; exit 1; }; kill -HUP "$pid" ;;
    is-active) if alive; then echo active; else echo inactive; exit 3; fi ;;
    *) echo "Unknown command verb $1." >&2; exit 1 ;;
esac
"""

SYSTEMD_RUN = """#!/bin/sh
# A timer of this SM node, for lack of a systemd: outlives whoever started it.
for word in "$@"; do
    case "$word" in
        --quiet) shift ;;
        --unit=*) unit=${word#--unit=}; shift ;;
        --on-active=*) seconds=${word#--on-active=}; shift ;;
        *) break ;;
    esac
done
[ -e "/run/$unit.timer" ] && { echo "Unit $unit.timer was already loaded." >&2; exit 1; }
exec </dev/null >/dev/null 2>&1
setsid sh -c 'sleep "$1"; rm -f "$2"; shift 2; exec "$@"' timer "$seconds" "/run/$unit.timer" "$@" &
echo $! >"/run/$unit.timer"
"""

_MOUNTS = {
    "etc": "/etc/opensm",
    "log": "/var/log",
    "cache": "/var/cache/opensm",
    "lib": "/var/lib/fabric_drift",
    "run": "/run",
    "tmp": "/tmp",  # noqa: S108 - the sandbox's own
    "libexec": "/usr/local/libexec",
    "bin": "/usr/local/sbin",
}
"""Folder of the node -> where the node sees it."""


@dataclass(slots=True)
class SmNode:
    """A node of the lab that runs OpenSM. ``node_id``: the HCA in the net file (``H-...``)."""

    name: str
    node_id: str
    port_guid: int
    directory: Path
    simulator: Simulator

    def prepare(self) -> None:
        """Makes its folders; existing files stay."""
        for folder in _MOUNTS:
            (self.directory / folder).mkdir(parents=True, exist_ok=True)
        for name, text in (("systemctl", SYSTEMCTL), ("systemd-run", SYSTEMD_RUN)):
            shim = self.directory / "bin" / name
            shim.write_text(text)
            shim.chmod(0o755)

    def path(self, absolute: str) -> Path:
        """The file that the node sees as ``absolute``. Raises InfinibandLabError outside its own folders."""
        for folder, mount in _MOUNTS.items():
            if absolute.startswith(mount + "/") and ".." not in absolute:
                return self.directory / folder / absolute.removeprefix(mount + "/")
        raise InfinibandLabError(f"{absolute} is not a file of the SM node")

    def command(self, argv: tuple[str, ...]) -> list[str]:
        """``argv`` inside the sandbox."""
        binds = [part for folder, mount in _MOUNTS.items() for part in ("--bind", str(self.directory / folder), mount)]
        own = ("--unshare-uts", "--hostname", self.name, "--bind", "/", "/", "--dev-bind", "/dev", "/dev")
        return self.simulator.inside(["bwrap", *own, *binds, "--chdir", "/run", *argv])

    def environment(self) -> dict[str, str]:
        """What makes umad a simulated one, attached at this node's HCA."""
        return {
            "PATH": "/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root",
            "LANG": "C.UTF-8",
            "SIM_HOST": self.node_id,
            "IBSIM_SOCKNAME": self.simulator.socket,
            "OSM_TMP_DIR": "/var/log",
            "OSM_CACHE_DIR": "/var/cache/opensm",
            "LAB_UMAD": str(PRELOAD),
            "HOSTNAME": self.name,
        }

    def run(self, command: str, *, stdin: str = "", timeout_s: float = 120, preload: bool = True) -> Answer:
        """One shell command on the node. ``preload``: give it the simulated umad."""
        environment = self.environment()
        # Preloaded inside, not in bwrap itself: that would count as a client of the simulator.
        command = command.removeprefix("sudo -n ")  # everybody is root here
        inner = f"export LD_PRELOAD={PRELOAD}; {command}" if preload else command
        try:
            done = subprocess.run(  # noqa: S603 - that is what a lab is for
                self.command(("/bin/sh", "-c", inner)),
                input=stdin.encode(),
                capture_output=True,
                env=environment,
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Answer(stderr=f"no answer within {timeout_s:g} s\n", exit_status=TOO_LATE)
        return Answer(done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"), done.returncode)

    @property
    def pid_file(self) -> Path:
        """Where the pid of its OpenSM is."""
        return self.directory / "run" / "opensm.pid"

    @property
    def runs(self) -> bool:
        """Whether its OpenSM lives."""
        try:
            return is_program(int(self.pid_file.read_text()), "opensm")
        except (FileNotFoundError, ValueError):
            return False

    @property
    def log(self) -> str:
        """The log of its OpenSM."""
        try:
            return (self.directory / "log" / "opensm.log").read_text(errors="replace")
        except FileNotFoundError:
            return ""

    def systemctl(self, verb: str) -> None:
        """start, stop, restart or reload of its OpenSM. Raises InfinibandLabError."""
        answer = self.run(f"systemctl {verb} opensm", preload=False)
        if answer.exit_status:
            raise InfinibandLabError(f"{self.name}: systemctl {verb} opensm: {answer.stderr.strip()}")

    def wait_for(self, text: str, *, since: int = 0, timeout_s: float = 60) -> None:
        """Until the log has ``text`` after character ``since``. Raises InfinibandLabError."""
        deadline = time.monotonic() + timeout_s
        while text not in self.log[since:]:
            if time.monotonic() > deadline:
                raise InfinibandLabError(f"{self.name}: no {text!r} in the log within {timeout_s:g} s")
            time.sleep(0.03)

    def kill(self, number: int) -> None:
        """A signal to its OpenSM."""
        os.kill(int(self.pid_file.read_text()), number)

    def stop(self) -> None:
        """Ends its OpenSM and waits."""
        stop_process(self.pid_file, "opensm")
