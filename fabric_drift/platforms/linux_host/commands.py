"""What is run on a host, in at most three rounds. Nothing here writes, and no text needs a shell.

Round 1 lists, round 2 asks every mlx5 NIC, round 3 falls back where a tool or a folder isn't there, and reads
counters again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from fabric_drift.finding import Layer
from fabric_drift.platform import Command, Output
from fabric_drift.platforms.linux_host.answers import lacks_command, unseen
from fabric_drift.platforms.linux_host.counters import first_text, second_text
from fabric_drift.platforms.linux_host.discovery import (
    IDENTITY,
    IP_LINK,
    LIST_MLX5,
    LIST_NETDEVS,
    LIST_RDMA,
    NETDEV,
    PCI,
    RDMA_DEVICE,
    RDMA_LINK,
    Hardware,
    MlxNic,
    discover,
)

LLDPAD = "systemctl is-active lldpad"
NETWORK_MANAGER = "grep -r -e interface-name= -e priority-flow-control= /etc/NetworkManager/system-connections"
NEIGHBOURS = "lldpctl -f json0"
ROCE_QOS = "grep -rHn . /etc/roce-qos"
JOB_FILES = "grep -Hn . /etc/nccl.conf /etc/ucx/ucx.conf"

FIRST_ROUND = (
    Command(IDENTITY, layer=Layer.RUNNING),
    Command(IP_LINK, layer=Layer.RUNNING),
    Command(LIST_NETDEVS, layer=Layer.RUNNING),
    Command(LIST_RDMA, layer=Layer.RUNNING, optional=True),
    Command(LIST_MLX5, layer=Layer.RUNNING, optional=True),
    Command(RDMA_LINK, layer=Layer.RUNNING, optional=True),
    Command(LLDPAD, layer=Layer.RUNNING, optional=True),
    Command(NETWORK_MANAGER, privileged=True, layer=Layer.RUNNING, optional=True),
    Command(NEIGHBOURS, privileged=True, layer=Layer.RUNNING, optional=True),
    Command(ROCE_QOS, layer=Layer.SAVED, optional=True),
    Command(JOB_FILES, layer=Layer.SAVED, optional=True),
)

DCB_OBJECTS = ("pfc", "ets", "app", "buffer", "dcbx")

_PPCC = "--get --reg_name=PPCC --indexes=local_port=1,pnat=0,lp_msb=0,algo_slot=0,algo_param_index=0"


def dcb_text(kind: str, netdev: str) -> str:
    """``dcb -j pfc show dev X``."""
    return f"dcb -j {kind} show dev {netdev}"


def pause_text(netdev: str) -> str:
    """Global (802.3x) pause."""
    return f"ethtool -a {netdev}"


def fec_text(netdev: str) -> str:
    """FEC in use."""
    return f"ethtool --show-fec {netdev}"


def mlnx_qos_text(netdev: str) -> str:
    """Text view of DCB, for hosts without ``dcb``."""
    return f"mlnx_qos -i {netdev} -a"


def sysfs_text(netdev: str, rdma_device: str) -> str:
    """One command for all small files of a NIC; those that aren't there are named on stderr."""
    folder = f"/sys/class/net/{netdev}"
    paths = [f"{folder}/speed", f"{folder}/qos/trust", f"{folder}/qos/dscp2prio", f"{folder}/ecn"]
    if rdma_device:
        device = f"/sys/class/infiniband/{rdma_device}"
        paths += [f"{device}/{name}" for name in ("node_guid", "fw_ver", "hca_type", "ports/1/link_layer", "tc")]
        paths.append(f"/sys/kernel/config/rdma_cm/{rdma_device}/ports/1")
    return "grep -rH . " + " ".join(paths)


def mlxconfig_text(pci: str) -> str:
    """Firmware parameters: default, current and next boot."""
    return f"mlxconfig -d {pci} -e q"


def ppcc_text(pci: str) -> str:
    """Whether programmable congestion control runs in place of DCQCN."""
    return f"mlxreg -d {pci} -y {_PPCC}"


def cc_params_text(pci: str) -> str:
    """DCQCN parameters of the inbox driver (debugfs, root only)."""
    return f"grep -rH . /sys/kernel/debug/mlx5/{pci}/cc_params"


def _pattern(text: str) -> str:
    return text.replace(".", r"\.").replace("N_E_T", NETDEV).replace("R_D_M_A", RDMA_DEVICE).replace("P_C_I", PCI)


def next_commands(outputs: Mapping[str, Output]) -> tuple[Command, ...]:
    """Commands that aren't answered yet; () when all are."""
    if not outputs:
        return FIRST_ROUND
    hardware = discover(outputs)
    second = tuple(command for command in second_round(hardware) if command.text not in outputs)
    if second:
        return second
    return tuple(command for command in third_round(hardware, outputs) if command.text not in outputs)


def second_round(hardware: Hardware) -> Iterator[Command]:
    """Questions to every mlx5 NIC."""
    for nic in hardware.mlx5:
        if nic.netdev:
            yield from _of_netdev(nic)
        yield Command(
            mlxconfig_text(nic.pci),
            privileged=True,
            layer=Layer.SAVED,
            optional=True,
            pattern=_pattern(mlxconfig_text("P_C_I")),
        )
        yield Command(
            ppcc_text(nic.pci),
            privileged=True,
            layer=Layer.HARDWARE,
            optional=True,
            pattern=_pattern(ppcc_text("P_C_I")),
        )


def _of_netdev(nic: MlxNic) -> Iterator[Command]:
    for kind in DCB_OBJECTS:
        yield Command(dcb_text(kind, nic.netdev), layer=Layer.RUNNING, pattern=_pattern(dcb_text(kind, "N_E_T")))
    for text in (pause_text, fec_text):
        yield Command(text(nic.netdev), layer=Layer.RUNNING, optional=True, pattern=_pattern(text("N_E_T")))
    if nic.rdma_device:
        yield _counters(first_text, nic)
    rdma = "R_D_M_A" if nic.rdma_device else ""
    yield Command(
        sysfs_text(nic.netdev, nic.rdma_device),
        layer=Layer.RUNNING,
        optional=True,
        pattern=_pattern(sysfs_text("N_E_T", rdma)),
    )


def _counters(text: Callable[[str], str], nic: MlxNic) -> Command:
    return Command(text(nic.netdev), layer=Layer.HARDWARE, optional=True, pattern=_pattern(text("N_E_T")))


def third_round(hardware: Hardware, outputs: Mapping[str, Output]) -> Iterator[Command]:
    """Fallbacks: ``mlnx_qos`` where there is no ``dcb``, debugfs where there is no ``ecn/`` folder. Counters again."""
    for nic in hardware.mlx5:
        if not nic.netdev:
            continue
        if lacks_command(outputs.get(dcb_text("pfc", nic.netdev))):
            text = mlnx_qos_text(nic.netdev)
            yield Command(text, layer=Layer.RUNNING, optional=True, pattern=_pattern(mlnx_qos_text("N_E_T")))
        sysfs = outputs.get(sysfs_text(nic.netdev, nic.rdma_device))
        if sysfs is not None and f"/sys/class/net/{nic.netdev}/ecn/" not in sysfs.stdout:
            yield Command(
                cc_params_text(nic.pci),
                privileged=True,
                layer=Layer.RUNNING,
                optional=True,
                pattern=_pattern(cc_params_text("P_C_I")),
            )
        if nic.rdma_device and unseen(first_text(nic.netdev), outputs.get(first_text(nic.netdev))) is None:
            yield _counters(second_text, nic)


def families() -> tuple[Command, ...]:
    """Every command that can be asked for: those of a host whose NICs, with RDMA and without, need each fallback."""
    nics = (MlxNic("PCI", "NETDEV", "RDMA"), MlxNic("PCI", "NETDEV"))
    hardware = Hardware(mlx5=nics)
    bare = {dcb_text("pfc", "NETDEV"): Output(exit_status=127)}
    bare |= {sysfs_text(nic.netdev, nic.rdma_device): Output() for nic in nics}
    bare |= {first_text(nic.netdev): Output() for nic in nics}
    found = (*FIRST_ROUND, *second_round(hardware), *third_round(hardware, bare))
    return tuple(dict.fromkeys(found))
