"""What changes the meaning of other facts: DPU mode, programmable congestion control, pending firmware values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabric_drift.finding import Layer
from fabric_drift.platforms.linux_host.discovery import MlxNic
from fabric_drift.platforms.linux_host.firmware import Parameters
from fabric_drift.state.device import Nic, Port
from fabric_drift.state.values import Unobserved, is_said

_OFFLOAD = "INTERNAL_CPU_OFFLOAD_ENGINE"


def dpu_mode(port: Port, parameters: Parameters) -> Unobserved | None:
    """Why a BlueField's QoS can't be judged from the host: in DPU mode its Arm cores own the port.

    INTERNAL_CPU_OFFLOAD_ENGINE: 0 is ENABLED (DPU mode), 1 is DISABLED (NIC mode). Source: NVIDIA BlueField
    modes of operation.
    """
    family = port.nic.family if isinstance(port.nic, Nic) else None
    if not isinstance(family, str) or not family.startswith("bluefield"):
        return None
    value = (parameters.current or {}).get(_OFFLOAD)
    if value == "1":
        return None
    if value == "0":
        return Unobserved("BlueField in DPU mode: its Arm cores own QoS, which the host can't see. Use NIC mode")
    return Unobserved(f"a BlueField whose mode isn't known: mlxconfig doesn't show {_OFFLOAD}")


def notes_of(nic: MlxNic, ports: Mapping[Layer, Port]) -> list[str]:
    """Facts for people about one NIC."""
    notes: list[str] = []
    name = f"{nic.pci} ({nic.netdev or 'no netdev'})"
    running, saved, hardware = (ports[layer].nic for layer in (Layer.RUNNING, Layer.SAVED, Layer.HARDWARE))
    if not isinstance(running, Nic) or not isinstance(saved, Nic) or not isinstance(hardware, Nic):
        return notes
    if running.dcb_owner in {"firmware", "lldpad", "networkmanager"}:
        notes.append(f"{name}: DCB is also written by {running.dcb_owner}, which may undo what is set here")
    if hardware.congestion_control == "pcc":
        notes.append(f"{name}: programmable congestion control runs, so the DCQCN parameters have no effect")
    pending = _pending(running, saved)
    if pending:
        notes.append(f"{name}: firmware parameters wait for a reset: {', '.join(pending)}")
    return notes


def _pending(running: Nic, saved: Nic) -> list[str]:
    now: Any = running.firmware_parameters
    then: Any = saved.firmware_parameters
    if not is_said(now) or not is_said(then):
        return []
    return sorted(name for name, value in then.items() if name in now and now[name] != value)
