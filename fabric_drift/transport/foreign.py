"""Foreign errors to ours, most specific first, in one table. Nothing of asyncssh leaves this room."""

from __future__ import annotations

import socket
from dataclasses import dataclass

import asyncssh

from fabric_drift.errors import FabricDriftError, Unauthorised, Unreachable
from fabric_drift.transport.text import one_line


@dataclass(frozen=True, slots=True)
class _Translation:
    foreign: type[BaseException]
    ours: type[FabricDriftError]
    code: str
    problem: str
    """May hold ``{address}``, ``{port}``, ``{user}`` and ``{reason}``."""
    remedy: str


TRANSLATIONS = (
    _Translation(
        asyncssh.PermissionDenied,
        Unauthorised,
        "FD-SSH-004",
        "the device refused the login of user {user!r}",
        "Check the user, the key and the password in the inventory",
    ),
    _Translation(
        asyncssh.KeyEncryptionError,
        Unauthorised,
        "FD-SSH-006",
        "the private key is encrypted",
        "Load it into ssh-agent, or name an unencrypted key file",
    ),
    _Translation(
        asyncssh.KeyImportError,
        Unauthorised,
        "FD-SSH-006",
        "the private key can't be used: {reason}",
        "Load it into ssh-agent, or name another key file",
    ),
    _Translation(
        asyncssh.KeyExchangeFailed,
        Unreachable,
        "FD-SSH-005",
        "no SSH algorithm in common with the device: {reason}",
        "Enable a current algorithm on the device",
    ),
    _Translation(
        asyncssh.ConnectionLost,
        Unreachable,
        "FD-SSH-007",
        "the connection to {address} port {port} ended during the login",
        "Look at the SSH log of the device",
    ),
    _Translation(
        asyncssh.Error,
        Unreachable,
        "FD-SSH-009",
        "SSH to {address} port {port} failed: {reason}",
        "Look at the SSH log of the device",
    ),
    _Translation(
        socket.gaierror,
        Unreachable,
        "FD-SSH-002",
        "the name {address} doesn't resolve",
        "Check ansible_host in the inventory, or the name service",
    ),
    _Translation(
        ConnectionRefusedError,
        Unreachable,
        "FD-SSH-001",
        "{address} port {port} refuses connections",
        "Check ansible_host and ansible_port, and that SSH runs there",
    ),
    _Translation(
        TimeoutError,
        Unreachable,
        "FD-SSH-001",
        "{address} port {port} didn't answer in time",
        "Check the path to the device, or raise --connect-timeout",
    ),
    _Translation(
        FileNotFoundError,
        Unauthorised,
        "FD-SSH-006",
        "a file of the login is missing: {reason}",
        "Check ansible_ssh_private_key_file in the inventory",
    ),
    _Translation(
        OSError,
        Unreachable,
        "FD-SSH-001",
        "{address} port {port} can't be reached: {reason}",
        "Check the path to the device",
    ),
)

FOREIGN = (asyncssh.Error, asyncssh.KeyImportError, OSError)
"""What ``translate`` takes; anything else is a bug of ours and stays what it is."""


def translate(error: BaseException, *, device: str, address: str, port: int, user: str) -> FabricDriftError:
    """``error``, which must be one of ``FOREIGN``, as an error that says who must act and how."""
    for row in TRANSLATIONS:
        if isinstance(error, row.foreign):
            reason = one_line(_reason(error))
            problem = row.problem.format(address=address, port=port, user=user, reason=reason)
            return row.ours(problem, where=device, remedy=row.remedy, code=row.code)
    raise TypeError(f"{type(error).__name__} is no foreign error") from error


def _reason(error: BaseException) -> str:
    if isinstance(error, asyncssh.Error):
        return error.reason
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error)
