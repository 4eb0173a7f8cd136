"""What hands do to a host that no command does: recable, start a firmware feature, take a tool away, load a driver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.linux_host import defaults
from fabric_drift.lab.linux_host.firmware import VALUE
from fabric_drift.lab.linux_host.loading import boot
from fabric_drift.lab.linux_host.machine import GATE, GATE_SCRIPTS
from fabric_drift.lab.linux_host.slurm import STATES
from fabric_drift.lab.linux_host.traffic import send


def run(store: Store, args: Sequence[str], _root: bool) -> Answer:
    """What the lab's own words do.

    Hardware: ``cable PCI DEVICE PORT``, ``register PCI REG FIELD VALUE``, ``traffic PCI DSCP``, ``inbox``,
    ``reload PCI``, ``reboot``.
    Circumstances: ``uninstall|install COMMAND``, ``gate drained|busy|hang|none``, ``slurm STATE``,
    ``job start|end DEVICE``, ``disk full|free``,
    ``die-after-writes N``.
    """
    if _hardware(store, args) or _circumstance(store, args):
        return Answer()
    return Answer(stderr=f"lab: don't know how to: {list(args)}\n", exit_status=1)


def _hardware(store: Store, args: Sequence[str]) -> bool:
    nics = store["nics"]
    match list(args):
        case ["cable", pci, device, port] if pci in nics:
            nics[pci] |= {"peer_device": device, "peer_port": port}
        case ["register", pci, register, field, value] if "registers" in nics.get(pci, {}) and VALUE.fullmatch(value):
            nics[pci]["registers"].setdefault(register, {})[field] = int(value, 0)
        case ["traffic", pci, dscp] if "dcb" in nics.get(pci, {}) and dscp.isdecimal() and int(dscp) < defaults.DSCPS:
            send(nics[pci], int(dscp))
        case ["inbox"]:
            store["ofed"] = ""
        case ["reload", pci] if "dcb" in nics.get(pci, {}):
            reload_driver(store, pci)
        case ["reboot"]:
            reboot(store)
        case _:
            return False
    return True


def _circumstance(store: Store, args: Sequence[str]) -> bool:
    match list(args):
        case ["slurm", state] if state in STATES:
            store["slurm"] = state
        case ["job", "start" | "end" as verb, device]:
            store["queue_pairs"] = [job_of(device)] if verb == "start" else []
        case ["die-after-writes", count] if count.isdecimal():
            store["writes_until_death"] = int(count)
        case ["disk", "full" | "free" as word]:
            store["disk_full"] = word == "full"
        case _:
            return _program(store, args)
    return True


def _program(store: Store, args: Sequence[str]) -> bool:
    """What is installed: a program of the image, the drain gate."""
    match list(args):
        case ["uninstall", command]:
            store["missing_commands"].append(command)
            store["files"].pop(f"/usr/sbin/{command}", None)
        case ["install", command] if command in store["missing_commands"]:
            store["missing_commands"].remove(command)
        case ["gate", "none"]:
            store["files"].pop(GATE, None)
        case ["gate", answer] if answer in GATE_SCRIPTS:
            store["files"][GATE] = GATE_SCRIPTS[answer]
        case _:
            return False
    return True


def job_of(device: str) -> dict[str, Any]:
    """A queue pair of a training job, as ``rdma -j resource show qp`` has it."""
    pair = {"ifindex": 0, "ifname": device, "port": 1, "lqpn": 228, "type": "RC", "state": "RTS"}
    return {**pair, "pid": 40123, "comm": "python3"}


def reboot(store: Store) -> None:
    """Drivers start anew with the firmware's next settings; timers and jobs are gone."""
    for nic in store["nics"].values():
        if "dcb" in nic:
            boot(nic)
            for parameter in nic["firmware_parameters"].values():
                parameter["current"] = parameter["next"]
    store |= {"timers": [], "queue_pairs": [], "services": dict(defaults.SERVICES)}


def reload_driver(store: Store, pci: str) -> None:
    """What a driver forgets: ETS, buffers, cable length, verbs traffic class, rdma_cm. The firmware keeps the rest."""
    nic = store["nics"][pci]
    kept = {name: nic["dcb"][name] for name in ("pfc", "dscp_to_priority", "dscp_entries", "dcbx")}
    nic |= {"dcb": {**defaults.dcb(), **kept}, "traffic_class": None}
    nic["rdma_cm"] = {"folder": False, "mode": "RoCE v2", "tos": 0}
