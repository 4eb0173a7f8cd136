"""One host of an inventory: its address and credentials, from Ansible's connection variables."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fabric_drift.errors import FabricDriftError

SSH_PORT = 22
MAX_PORT = 65535
NETWORK_OS = {
    "arista.eos.eos": "eos",
    "eos": "eos",
    "dellemc.enterprise_sonic.sonic": "sonic",
    "sonic": "sonic",
}
"""ansible_network_os -> platform, where the inventory doesn't set fabric_drift_platform."""


class InventoryError(FabricDriftError):
    """The operator must act: the inventory can't be read, or it and the intent are out of step."""

    kind = "inventory"


class Secret:
    """A value that never prints: not in logs, tracebacks or reports."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The value itself; call it only where it goes over an encrypted connection."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(...)"

    __str__ = __repr__

    def __reduce__(self) -> Any:
        raise TypeError("a secret isn't stored")


@dataclass(frozen=True, slots=True)
class Host:
    """How to reach one device."""

    name: str
    address: str
    port: int = SSH_PORT
    user: str = ""
    password: Secret | None = None
    key_files: tuple[str, ...] = ()
    known_hosts: tuple[str, ...] = ()
    jump: str = ""
    ca_file: str = ""
    tls_name: str = ""
    token: Secret | None = None
    platform: str = ""
    warnings: tuple[str, ...] = field(default=(), compare=False)


VARIABLES = (
    "ansible_host",
    "ansible_port",
    "ansible_ssh_port",
    "ansible_user",
    "ansible_ssh_user",
    "ansible_password",
    "ansible_ssh_pass",
    "ansible_ssh_password",
    "ansible_ssh_private_key_file",
    "ansible_private_key_file",
    "ansible_ssh_common_args",
    "ansible_ssh_extra_args",
    "ansible_network_os",
    "fabric_drift_platform",
    "fabric_drift_known_hosts",
    "fabric_drift_ca_file",
    "fabric_drift_tls_name",
    "fabric_drift_token",
)
"""Everything that is read of a host; nothing else is templated."""


def host_from_variables(name: str, variables: Mapping[str, Any]) -> Host:
    """A host from its templated variables. Raises InventoryError for a value that makes no sense."""
    options, warnings = ssh_options(name, variables)
    password = _first(variables, "ansible_password", "ansible_ssh_pass", "ansible_ssh_password")
    key_file = _first(variables, "ansible_ssh_private_key_file", "ansible_private_key_file")
    token = _first(variables, "fabric_drift_token")
    network_os = _first(variables, "ansible_network_os")
    keys = [key for key in (key_file, options.get("identityfile", "")) if key]
    return Host(
        name=name,
        address=_first(variables, "ansible_host") or name,
        port=_port(name, _first(variables, "ansible_port", "ansible_ssh_port") or options.get("port", "")),
        user=_first(variables, "ansible_user", "ansible_ssh_user") or options.get("user", ""),
        password=Secret(password) if password else None,
        key_files=tuple(os.path.expanduser(key) for key in keys),  # noqa: PTH111  `Path` would drop a trailing slash
        known_hosts=_known_hosts(name, variables, options),
        jump=options.get("proxyjump", ""),
        ca_file=os.path.expanduser(_first(variables, "fabric_drift_ca_file")),  # noqa: PTH111
        tls_name=_first(variables, "fabric_drift_tls_name"),
        token=Secret(token) if token else None,
        platform=_first(variables, "fabric_drift_platform") or NETWORK_OS.get(network_os, ""),
        warnings=warnings,
    )


def _first(variables: Mapping[str, Any], *names: str) -> str:
    """The first variable that is set, as plain text (Ansible tags its strings)."""
    for name in names:
        value = variables.get(name)
        if value is not None and str(value) != "":
            return "".join(str(value))
    return ""


def _known_hosts(name: str, variables: Mapping[str, Any], options: Mapping[str, str]) -> tuple[str, ...]:
    """Our variable is one path or a list of them; OpenSSH's option is words, quoted where a path has blanks."""
    said = variables.get("fabric_drift_known_hosts")
    if said is not None and str(said) != "":
        return tuple("".join(str(path)) for path in (said if isinstance(said, list | tuple) else (said,)))
    return tuple(_words(name, options.get("userknownhostsfile", "")))


def _words(name: str, text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise InventoryError(
            f"can't be split: {error}", where=name, what="ansible_ssh_common_args", remedy="Fix it", code="FD-INV-005"
        ) from error


def _port(name: str, text: str) -> int:
    if not text:
        return SSH_PORT
    if not text.isdecimal() or not 0 < int(text) <= MAX_PORT:
        raise InventoryError(
            f"{text!r} is not a port", where=name, what="ansible_port", remedy="Use 1-65535", code="FD-INV-005"
        )
    return int(text)


def ssh_options(name: str, variables: Mapping[str, Any]) -> tuple[dict[str, str], tuple[str, ...]]:
    """({option: value}, warnings) of ansible_ssh_common_args and _extra_args; what isn't understood is told."""
    text = " ".join(_first(variables, key) for key in ("ansible_ssh_common_args", "ansible_ssh_extra_args")).strip()
    words = iter(_words(name, text))
    options: dict[str, str] = {}
    warnings: list[str] = []
    for word in words:
        key, value = _option(word, words)
        if key in UNDERSTOOD:
            options.setdefault(key, value)
        elif key == "stricthostkeychecking":
            if value.lower() in ("no", "off", "accept-new"):
                warnings.append(f"{name}: StrictHostKeyChecking={value} is ignored: host keys are verified")
        elif key not in HARMLESS:
            warnings.append(f"{name}: the SSH option {word} isn't understood and is ignored")
    return options, tuple(warnings)


UNDERSTOOD = frozenset(("userknownhostsfile", "proxyjump", "identityfile", "port", "user"))
HARMLESS = frozenset(
    ("controlmaster", "controlpersist", "controlpath", "connecttimeout", "serveraliveinterval", "serveralivecountmax",
     "identitiesonly", "batchmode", "loglevel", "passwordauthentication", "pubkeyauthentication", "forwardagent")
)  # fmt: skip
SHORT = {"-J": "proxyjump", "-i": "identityfile", "-p": "port", "-l": "user"}


def _option(word: str, words: Iterator[str]) -> tuple[str, str]:
    """(lower-case name, value) of one argument, which may take the next word."""
    if word in SHORT:
        return SHORT[word], next(words, "")
    if word.startswith("-o"):
        text = word[2:] or next(words, "")
        key, _, value = text.partition("=")
        return key.strip().lower(), value.strip()
    return word.lower(), ""
