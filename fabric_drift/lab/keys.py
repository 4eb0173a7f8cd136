"""Host keys of the devices, keys and password of the users: real ones, made for each lab, kept private."""

from __future__ import annotations

import secrets
from pathlib import Path

import asyncssh

from fabric_drift.lab.directory import LabDirectory, write_atomically
from fabric_drift.lab.restricted import USERS

_KEY_TYPE = "ssh-ed25519"


def _key(file: Path, comment: str) -> asyncssh.SSHKey:
    if not file.exists():
        key = asyncssh.generate_private_key(_KEY_TYPE, comment=comment)
        write_atomically(file, key.export_private_key().decode())
        write_atomically(file.with_name(f"{file.name}.pub"), key.export_public_key().decode())
    return asyncssh.read_private_key(file)


def host_key(directory: LabDirectory, device: str) -> asyncssh.SSHKey:
    """The host key of a device; the same one whenever the lab comes up again."""
    return _key(directory.device(device) / "host_key", device)


def other_host_key() -> asyncssh.SSHKey:
    """A host key that nobody knows."""
    return asyncssh.generate_private_key(_KEY_TYPE)


def user_keys(directory: LabDirectory) -> dict[str, asyncssh.SSHKey]:
    """The keys that the users of the lab log in with."""
    return {user: _key(directory.user_key(user), f"{user}@lab") for user in USERS}


def password(directory: LabDirectory) -> str:
    """The password of both users."""
    if not directory.password_file.exists():
        write_atomically(directory.password_file, secrets.token_urlsafe(12) + "\n")
    return directory.password_file.read_text(encoding="utf-8").strip()
