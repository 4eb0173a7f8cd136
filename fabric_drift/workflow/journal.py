"""The run log: one append-only file per run of a device, written before and after every stage.

``<directory>/<device>/<run id>.jsonl``, readable by the owner only. Every record is on disk before its stage
starts, so a killed run leaves a truthful log: a file whose last record isn't ``outcome`` was cut.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path as FilePath
from typing import Any

from fabric_drift.errors import Refused
from fabric_drift.transport.captures import SAFE_NAME

SCHEMA = 1
PRIVATE_DIRECTORY, PRIVATE_FILE = 0o700, 0o600


def new_run_id(now: datetime) -> str:
    """Sorts by time, names files and sessions on devices: 261129190507a1b2 (UTC, and two random bytes)."""
    return f"{now:%y%m%d%H%M%S}{secrets.token_hex(2)}"


def utc_now() -> datetime:
    """The wall clock, for people; deadlines are kept by a monotonic one."""
    return datetime.now(UTC)


class RunLog:
    """One run that is being written. Raises OSError when a record can't be put on disk."""

    def __init__(self, directory: FilePath, device: str, run_id: str) -> None:
        self.path = _folder(directory, device) / f"{run_id}.jsonl"
        self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
        self._end_a_cut_record()
        _sync_directory(self.path.parent)

    def write(self, event: str, **details: Any) -> None:
        """One record, on disk when this returns."""
        record = {"schema": SCHEMA, "at": utc_now().isoformat(timespec="milliseconds"), "event": event, **details}
        data = json.dumps(record, sort_keys=False).encode() + b"\n"
        written = os.write(self._handle, data)
        if written != len(data):
            raise OSError(f"only {written} of {len(data)} bytes of a record fit into {self.path}")
        os.fsync(self._handle)

    def _end_a_cut_record(self) -> None:
        """What a killed run left of its last record gets a line of its own."""
        size = os.fstat(self._handle).st_size
        if size and os.pread(self._handle, 1, size - 1) != b"\n":
            os.write(self._handle, b"\n")

    def close(self) -> None:
        """Closes the file; the log says by itself whether the run has ended."""
        os.close(self._handle)


def read(path: FilePath) -> list[dict[str, Any]]:
    """The records of a run; one that was cut in the middle is left out."""
    records = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            records.append(record)
    return records


def runs(directory: FilePath, device: str) -> list[FilePath]:
    """The logs of a device, oldest first."""
    return sorted((directory / device).glob("*.jsonl")) if SAFE_NAME.fullmatch(device) else []


def unfinished(directory: FilePath, device: str) -> list[FilePath]:
    """The logs of runs that didn't come to an outcome, oldest first. A run without records never began."""
    found = []
    for path in runs(directory, device):
        records = read(path)
        if records and not any(record.get("event") == "outcome" for record in records):
            found.append(path)
    return found


def begun(records: list[dict[str, Any]]) -> list[str]:
    """The stages that were begun, in order."""
    return [str(record["stage"]) for record in records if record.get("event") == "begin"]


def first(records: list[dict[str, Any]], event: str) -> Mapping[str, Any]:
    """The first record of an event, or nothing."""
    return next((record for record in records if record.get("event") == event), {})


@contextmanager
def only_one(directory: FilePath, device: str) -> Iterator[None]:
    """Holds the device on this machine; the lock on the device itself is for other machines.

    Raises Refused while another process holds it.
    """
    handle = os.open(_folder(directory, device) / "lock", os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Refused(
                "another run on this machine is changing it",
                where=device,
                remedy="Wait for that run, or end it and run again",
                code="FD-CHG-003",
            ) from error
        yield
    finally:
        os.close(handle)


def _folder(directory: FilePath, device: str) -> FilePath:
    if not SAFE_NAME.fullmatch(device):
        raise Refused(f"{device!r} can't name a directory", where=device, remedy="Rename it", code="FD-CAP-003")
    folder = directory / device
    directory.mkdir(mode=PRIVATE_DIRECTORY, parents=True, exist_ok=True)
    folder.mkdir(mode=PRIVATE_DIRECTORY, exist_ok=True)
    return folder


def _sync_directory(folder: FilePath) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
