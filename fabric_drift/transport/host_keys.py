"""Is the device behind the address the one we know? Host keys are always verified unless told otherwise."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import asyncssh

from fabric_drift.errors import FabricDriftError, Unreachable
from fabric_drift.transport.endpoint import Endpoint

SYSTEM_FILES = ("~/.ssh/known_hosts", "/etc/ssh/ssh_known_hosts")


def known_hosts_files(endpoint: Endpoint) -> list[str]:
    """The files that are read for this device; those that don't exist are left out."""
    named = endpoint.known_hosts or SYSTEM_FILES
    paths = [Path(os.path.expandvars(name)).expanduser() for name in named]
    return [str(path) for path in paths if path.is_file()]


def known_hosts(endpoint: Endpoint) -> asyncssh.SSHKnownHosts:
    """The parsed files; without any, nothing is trusted. Raises OSError and ValueError for unreadable ones."""
    files = tuple(known_hosts_files(endpoint))
    if not files:
        return asyncssh.import_known_hosts("")
    return _parsed(files, tuple(Path(file).stat().st_mtime_ns for file in files))


@lru_cache(maxsize=16)
def _parsed(files: tuple[str, ...], _written_ns: tuple[int, ...]) -> asyncssh.SSHKnownHosts:
    """Once per content: a fleet's file has a line per device and is asked for by every device."""
    return asyncssh.read_known_hosts(list(files))


def is_about_host_key(error: BaseException) -> bool:
    """Whether a failed login is due to the host key: not the trusted one, or of another kind than that one."""
    if isinstance(error, asyncssh.KeyExchangeFailed):
        return "host key" in error.reason
    return isinstance(error, asyncssh.HostKeyNotVerifiable)


def not_verified(endpoint: Endpoint, known: asyncssh.SSHKnownHosts) -> FabricDriftError:
    """The error for a host key that isn't trusted: changed, or never seen; they ask for different acts."""
    entry = endpoint.address if endpoint.port == asyncssh.DEFAULT_PORT else f"[{endpoint.address}]:{endpoint.port}"
    trusted = known.match(endpoint.address, "", endpoint.port)[0]
    files = ", ".join(endpoint.known_hosts or SYSTEM_FILES)
    if trusted:
        return Unreachable(
            f"the host key of {entry} isn't the known one: another device answers, or it was reinstalled",
            where=endpoint.name,
            remedy=f"If that is right, replace the entry {entry} in {files}",
            code="FD-SSH-003",
        )
    return Unreachable(
        f"the host key of {entry} isn't known",
        where=endpoint.name,
        remedy=f"Compare its fingerprint on the console, then add the key to {files}",
        code="FD-SSH-008",
    )
