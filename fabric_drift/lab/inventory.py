"""What other programs need to reach the lab: an Ansible inventory and a known_hosts file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import asyncssh
import yaml

from fabric_drift.lab.directory import LabDirectory
from fabric_drift.lab.emulator import LabDevice
from fabric_drift.lab.restricted import USER, USERS

HOST = "127.0.0.1"
FOR_MODULES = {
    "linux_host": {
        "ansible_pipelining": True,
        "ansible_python_interpreter": "/usr/bin/python3",
        "ansible_ssh_transfer_method": "piped",
    }
}
"""How Ansible's ordinary modules get onto a device that runs them."""


def inventory_text(directory: LabDirectory, devices: Sequence[LabDevice], ports: Mapping[str, int]) -> str:
    """The lab as an Ansible inventory in YAML; one group per platform."""
    groups: dict[str, Any] = {}
    for device in devices:
        group = groups.setdefault(device.emulator, {"hosts": {}, "vars": {"fabric_drift_platform": device.emulator}})
        group["vars"].update(FOR_MODULES.get(device.emulator, {}))
        group["hosts"][device.name] = {"ansible_port": ports[device.name]}
    known_hosts = directory.known_hosts_file
    options = f"-o UserKnownHostsFile='\"{known_hosts}\"' -o StrictHostKeyChecking=yes -o IdentitiesOnly=yes"
    variables = {
        "ansible_host": HOST,
        "ansible_user": USER,
        "ansible_ssh_private_key_file": str(directory.user_key(USER)),
        "ansible_ssh_common_args": options,
        "fabric_drift_known_hosts": str(known_hosts),
        "fabric_drift_change_user": USERS[0],
        "fabric_drift_change_key_file": str(directory.user_key(USERS[0])),
    }
    return yaml.safe_dump({"all": {"vars": variables, "children": groups}}, sort_keys=False)


def known_hosts_text(ports: Mapping[str, int], keys: Mapping[str, asyncssh.SSHKey]) -> str:
    """The host keys of all devices, keyed by address and port."""
    lines = []
    for device, port in sorted(ports.items()):
        kind, key, *_ = keys[device].export_public_key().decode().split()
        lines.append(f"[{HOST}]:{port} {kind} {key}\n")
    return "".join(lines)
