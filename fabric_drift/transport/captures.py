"""Recordings on disk: one directory per device, one file per command, an index that says what each is.

``<directory>/<device>/index.json`` (schema 1) and ``NN-<command>.txt``. A person can read and grep the files;
reading them back gives the same recording, so a check of captures gives the findings of the live check.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fabric_drift import errors
from fabric_drift.errors import FabricDriftError, Unparsed, Unreachable
from fabric_drift.platform import Output
from fabric_drift.transport.collect import scrubbed
from fabric_drift.transport.recording import Recording

INDEX = "index.json"
SCHEMA = 1
KINDS = {kind.kind: kind for kind in (errors.Unreachable, errors.Unauthorised, errors.Unparsed, errors.Unsupported)}
SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")


def write(directory: Path, recording: Recording) -> Path:
    """Writes (or replaces) one device's capture atomically, readable by the owner only; returns its directory."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    target = _device_directory(directory, recording.device)
    fresh = Path(tempfile.mkdtemp(prefix=f".{recording.device}.", dir=directory))
    try:
        _fill(fresh, recording)
        if target.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{recording.device}.old.", dir=directory))
            target.rename(old / "capture")
            fresh.rename(target)
            shutil.rmtree(old)
        else:
            fresh.rename(target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return target


def _fill(directory: Path, recording: Recording) -> None:
    commands = []
    for number, (text, output) in enumerate(recording.outputs.items(), start=1):
        name = f"{number:02d}-{re.sub(r'[^A-Za-z0-9]+', '_', text).strip('_')[:80]}.txt"
        _write_private(directory / name, output.stdout)
        commands.append(
            {
                "command": text,
                "file": name,
                "stderr": output.stderr,
                "exit_status": output.exit_status,
                "error": output.error,
            }
        )
    index = {
        "schema": SCHEMA,
        "device": recording.device,
        "platform": recording.platform,
        "failure": _failure_as_json(recording.failure),
        "commands": commands,
    }
    _write_private(directory / INDEX, json.dumps(index, indent=2) + "\n")


def _write_private(path: Path, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(text.encode())


def _failure_as_json(failure: FabricDriftError | None) -> dict[str, str] | None:
    if failure is None:
        return None
    fields = ("kind", "problem", "where", "what", "remedy", "code")
    return {name: str(getattr(failure, name)) for name in fields}


def read(directory: Path, device: str, platform: str) -> Recording:
    """The recording of a device; one that is missing or damaged is a failure in the recording."""
    place = _device_directory(directory, device)
    if not (place / INDEX).is_file():
        failure: FabricDriftError = Unreachable(
            f"no capture in {directory}",
            where=device,
            remedy="Capture it, or check it live",
            code="FD-CAP-001",
        )
        return Recording(device, platform, failure=failure)
    try:
        return _recording(place, json.loads((place / INDEX).read_bytes()), device, platform)
    except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        failure = Unparsed(
            f"the capture can't be read: {type(error).__name__}: {error}",
            where=device,
            remedy="Capture the device again",
            code="FD-CAP-002",
        )
        return Recording(device, platform, failure=failure)


def _recording(place: Path, index: Mapping[str, Any], device: str, platform: str) -> Recording:
    if index["schema"] != SCHEMA:
        raise ValueError(f"schema {index['schema']} isn't {SCHEMA}")
    if (index["device"], index["platform"]) != (device, platform):
        raise ValueError(f"it is of {index['device']} ({index['platform']}), not of {device} ({platform})")
    outputs = {item["command"]: _output(place, item) for item in index["commands"]}
    failure = index["failure"]
    return Recording(device, platform, outputs, None if failure is None else _failure(failure))


def _output(place: Path, item: Mapping[str, Any]) -> Output:
    name = item["file"]
    if not SAFE_NAME.fullmatch(name):
        raise ValueError(f"{name!r} isn't a file name")
    status = item["exit_status"]
    if status is not None and not isinstance(status, int):
        raise ValueError("exit_status isn't a number")
    text = (place / name).read_bytes().decode("utf-8")
    return scrubbed(Output(text, str(item["stderr"]), status, str(item["error"])))


def _failure(fields: Mapping[str, str]) -> FabricDriftError:
    kind = KINDS[fields["kind"]]
    return kind(
        fields["problem"], where=fields["where"], what=fields["what"], remedy=fields["remedy"], code=fields["code"]
    )


def _device_directory(directory: Path, device: str) -> Path:
    """A device's name comes from the intent, which restricts it; a path in disguise is refused all the same."""
    if not SAFE_NAME.fullmatch(device):
        raise Unparsed(f"{device!r} can't name a directory", where=device, remedy="Rename it", code="FD-CAP-003")
    return directory / device
