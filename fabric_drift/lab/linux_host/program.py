"""``roce-qos`` on an emulated host: the program that is installed there, on the emulated machine.

It runs in a process of its own. A host that nobody installed it on has it from its image, unless it was taken away;
that is the package that ships, taken as its files are, not imported: the lab knows no platform.
"""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.linux_host.machine import Died, Machine

PACKAGE = Path(__file__).parents[2] / "platforms" / "linux_host" / "files" / "tree"
LIBRARY = PACKAGE / "usr" / "lib" / "roce-qos"
BRIDGE = Path(__file__).with_name("bridge.py")
NAME = "roce-qos"
INSTALLED = "/usr/sbin/roce-qos"
INSTALLED_LIBRARY = "/usr/lib/roce-qos/"
NOT_FOUND = Answer(stderr=f"bash: line 1: {NAME}: command not found\n", exit_status=127)
LOCKED_OUT = Answer(stderr="roce-qos: [Errno 13] Permission denied: '/run/roce-qos.lock'\n", exit_status=1)
KILLED = 137
Run = Callable[[Store, Sequence[str]], Answer]


def roce_qos(store: Store, args: Sequence[str], root: bool, run: Run) -> Answer:
    """One run of the program; ``run``: another command of this host, as root."""
    there = INSTALLED in store["files"] or NAME not in store["missing_commands"]
    if not root and list(args) != ["--version"] and there:
        return LOCKED_OUT
    if INSTALLED in store["files"]:
        with TemporaryDirectory() as folder:
            for path, text in store["files"].items():
                if path.startswith(INSTALLED_LIBRARY):
                    file = Path(folder, path.removeprefix(INSTALLED_LIBRARY))
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(text, encoding="utf-8")
            return _run(Machine(store, run), Path(folder), args)
    return NOT_FOUND if not there else _run(Machine(store, run), LIBRARY, args)


def _run(machine: Machine, library: Path, args: Sequence[str]) -> Answer:
    command = [sys.executable, "-I", "-S", "-B", str(BRIDGE), str(library), *args]
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
