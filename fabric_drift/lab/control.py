"""The owner's side: starting the daemon of a lab, giving it orders, stopping it."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import fabric_drift
from fabric_drift.lab.directory import PRIVATE_DIRECTORY, PRIVATE_FILE, LabDirectory

START_SECONDS = 60.0
STOP_SECONDS = 15.0
ORDER_SECONDS = 60.0
_PAUSE_SECONDS = 0.02


class LabError(Exception):
    """The lab can't do what was asked; the text says why and what helps."""


def daemon_pid(directory: LabDirectory) -> int | None:
    """The process that serves the lab, None when it is down. A stale pid file doesn't count: nobody locks it."""
    try:
        with directory.pid_file.open(encoding="utf-8") as pid_file:
            try:
                fcntl.flock(pid_file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return int(pid_file.read().strip() or 0) or None
    except FileNotFoundError:
        return None
    return None


def start(directory: LabDirectory) -> None:
    """Starts the daemon in a session of its own and returns when every device listens. Raises LabError."""
    directory.root.mkdir(mode=PRIVATE_DIRECTORY, parents=True, exist_ok=True)
    if daemon_pid(directory) is not None:
        raise LabError(f"process {daemon_pid(directory)} already serves {directory.root}")
    directory.socket_file.unlink(missing_ok=True)
    environment = {**os.environ, "PYTHONPATH": _python_path()}
    log = os.open(directory.log_file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE_FILE)
    try:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-m", "fabric_drift.lab.daemon", str(directory.root)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            env=environment,
        )
    finally:
        os.close(log)
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if directory.socket_file.exists():
            order(directory, {"do": "status"})
            return
        if process.poll() is not None:
            raise LabError(f"the lab did not start: {_last_line(directory.log_file)} (see {directory.log_file})")
        time.sleep(_PAUSE_SECONDS)
    process.terminate()
    raise LabError(f"the lab did not start within {START_SECONDS:.0f} s (see {directory.log_file})")


def stop(directory: LabDirectory) -> bool:
    """Stops the daemon of this lab, and no other process; False when none runs. Raises LabError."""
    if daemon_pid(directory) is None:
        return False
    order(directory, {"do": "stop"})
    deadline = time.monotonic() + STOP_SECONDS
    while daemon_pid(directory) is not None:
        if time.monotonic() > deadline:
            raise LabError(f"process {daemon_pid(directory)} does not stop (see {directory.log_file})")
        time.sleep(_PAUSE_SECONDS)
    return True


def order(directory: LabDirectory, request: Mapping[str, Any]) -> Any:
    """One order and its result. Raises LabError with the lab's own words."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(ORDER_SECONDS)
            _connect(connection, directory)
            connection.sendall(json.dumps(request).encode() + b"\n")
            with connection.makefile("rb") as answer:
                reply = json.loads(answer.readline() or b'{"error": "the lab went away"}')
    except (FileNotFoundError, ConnectionError) as error:
        raise LabError(f"no lab runs in {directory.root}: start it with `fabric-drift lab up`") from error
    except OSError as error:
        raise LabError(f"the lab in {directory.root} does not answer: {error}") from error
    if "error" in reply:
        raise LabError(reply["error"])
    return reply["result"]


def _connect(connection: socket.socket, directory: LabDirectory) -> None:
    """Through the open directory, since the path of a socket may have 107 bytes at most."""
    folder = os.open(directory.root, os.O_PATH | os.O_DIRECTORY)
    try:
        connection.connect(f"/proc/self/fd/{folder}/{directory.socket_file.name}")
    finally:
        os.close(folder)


def _python_path() -> str:
    """The daemon imports the same project, whatever directory it starts in."""
    ours = str(Path(fabric_drift.__file__).resolve().parent.parent)
    return os.pathsep.join([ours, *filter(None, [os.environ.get("PYTHONPATH")])])


def _last_line(file: Path) -> str:
    lines = file.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
