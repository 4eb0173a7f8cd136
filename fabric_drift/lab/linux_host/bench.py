"""What hands do to a host that no command does: recable, start a firmware feature, take a tool away, load a driver."""

from __future__ import annotations

from collections.abc import Sequence

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.linux_host import defaults
from fabric_drift.lab.linux_host.firmware import VALUE


def run(store: Store, args: Sequence[str], _root: bool) -> Answer:
    """``cable PCI DEVICE PORT``, ``register PCI REG FIELD VALUE``, ``uninstall COMMAND``, ``inbox``, ``reload PCI``."""
    nics = store["nics"]
    match list(args):
        case ["cable", pci, device, port] if pci in nics:
            nics[pci] |= {"peer_device": device, "peer_port": port}
        case ["register", pci, register, field, value] if "registers" in nics.get(pci, {}) and VALUE.fullmatch(value):
            nics[pci]["registers"].setdefault(register, {})[field] = int(value, 0)
        case ["uninstall", command]:
            store["missing_commands"].append(command)
        case ["inbox"]:
            store["ofed"] = ""
        case ["reload", pci] if "dcb" in nics.get(pci, {}):
            reload_driver(store, pci)
        case words:
            return Answer(stderr=f"lab: don't know how to: {' '.join(words)}\n", exit_status=1)
    return Answer()


def reload_driver(store: Store, pci: str) -> None:
    """What a driver forgets: ETS, buffers, cable length, verbs traffic class, rdma_cm. The firmware keeps the rest."""
    nic = store["nics"][pci]
    kept = {name: nic["dcb"][name] for name in ("pfc", "dscp_to_priority", "dscp_entries", "dcbx")}
    nic |= {"dcb": {**defaults.dcb(), **kept}, "traffic_class": None}
    nic["rdma_cm"] = {"folder": False, "mode": "RoCE v2", "tos": 0}
