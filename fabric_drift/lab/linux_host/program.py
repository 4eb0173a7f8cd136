"""``roce-qos`` on an emulated host: the program that ships, in a process of its own, on the emulated machine.

The package is taken as its files are, not imported: the lab knows no platform. Nothing else is ever executed.
"""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.linux_host.machine import Died, Machine

PACKAGE = Path(__file__).parents[2] / "platforms" / "linux_host" / "files" / "tree"
LIBRARY = PACKAGE / "usr" / "lib" / "roce-qos"
BRIDGE = Path(__file__).with_name("bridge.py")
NAME = "roce-qos"
LOCKED_OUT = Answer(stderr="roce-qos: [Errno 13] Permission denied: '/run/roce-qos.lock'\n", exit_status=1)
KILLED = 137
Run = Callable[[Store, Sequence[str]], Answer]


def roce_qos(store: Store, args: Sequence[str], root: bool, run: Run) -> Answer:
    """One run of the program; ``run``: another command of this host, as root."""
    if not root and list(args) != ["--version"]:
        return LOCKED_OUT
    machine = Machine(store, run)
    command = [sys.executable, "-I", "-S", "-B", str(BRIDGE), str(LIBRARY), *args]
    with subprocess.Popen(  # noqa: S603 - our own interpreter and files
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        try:
            _serve(child, machine)
        except Died:
            child.kill()
            child.communicate()
            return Answer("".join(machine.said), "".join(machine.complained) + "Killed\n", KILLED)
        _, trouble = child.communicate()
    return Answer("".join(machine.said), "".join(machine.complained) + trouble, child.returncode)


def _serve(child: subprocess.Popen[str], machine: Machine) -> None:
    """Answers calls until the program ends. Raises Died."""
    assert child.stdin
    assert child.stdout
    for line in child.stdout:
        name, args, named = json.loads(line)
        reply: dict[str, Any]
        try:
            reply = {"result": getattr(machine, name)(*args, **named)}
        except OSError as error:
            reply = {"errno": error.errno or errno.EIO, "path": str(args[0]) if args else ""}
        child.stdin.write(json.dumps(reply) + "\n")
        child.stdin.flush()
