"""What can be read and written on a host with mlx5 NICs, what a write disturbs, and how we know."""

from __future__ import annotations

from fabric_drift.finding import Layer
from fabric_drift.platform import Capability, Disruption, Operation

RELEASES = ("22.04", "24.04", "12", "13")
"""VERSION_ID of the distributions whose iproute2 has `dcb`: Ubuntu 22.04 and 24.04, Debian 12 and 13."""

DCB_VERSION = "iproute2 5.11 or later"
EN_DCBNL = "Linux drivers/net/ethernet/mellanox/mlx5/core/en_dcbnl.c"
OFED_SYSFS = "MLNX_OFED en_sysfs.c"
PORT = "ports/*"
NIC = "ports/*/nic"
QOS = "ports/*/qos"
_RUNNING = (Layer.RUNNING,)
_BOTH = (Layer.RUNNING, Layer.SAVED)


def _read(fact: str, how: str, proof: str, source: str, layers: tuple[Layer, ...] = _BOTH) -> Capability:
    return Capability(
        fact, Operation.READ, layers=layers, disruption=Disruption.NONE, how=how, proof=proof, source=source
    )


def _write(fact: str, disruption: Disruption, how: str, proof: str, source: str) -> Capability:
    return Capability(fact, Operation.WRITE, layers=_BOTH, disruption=disruption, how=how, proof=proof, source=source)


READS = (
    _read("identity/hostname", "/proc/sys/kernel/hostname", "kernel", "Linux proc(5)", _RUNNING),
    _read("identity/release", "VERSION_ID of /etc/os-release", "documentation", "os-release(5)", _RUNNING),
    _read("identity/hardware", "/sys/class/dmi/id/product_name", "documentation", "Linux sysfs-class-dmi", _RUNNING),
    _read(f"{PORT}/admin_up", "ip -j link", "kernel", "iproute2"),
    _read(f"{PORT}/oper_up", "ip -j link", "kernel", "iproute2", _RUNNING),
    _read(f"{PORT}/mtu_bytes", "ip -j link", "kernel", "iproute2"),
    _read(f"{PORT}/speed_mbps", "sysfs speed", "documentation", "Linux sysfs-class-net", _RUNNING),
    _read(f"{PORT}/fec", "ethtool --show-fec", "source", "ethtool netlink/fec.c"),
    _read(f"{PORT}/neighbour", "lldpctl -f json0", "documentation", "lldpd lldpctl(8)", _RUNNING),
    _read(f"{QOS}/trust", "dcb app: DSCP entries", "source", EN_DCBNL),
    _read(f"{QOS}/maps/dscp_to_priority", "dcb app", "kernel", f"{DCB_VERSION}; defaults: {EN_DCBNL}"),
    _read(f"{QOS}/maps/priority_to_tc", "dcb ets", "kernel", DCB_VERSION),
    _read(f"{QOS}/maps/priority_to_buffer", "dcb buffer", "kernel", DCB_VERSION),
    _read(f"{QOS}/receive_buffers_bytes", "dcb buffer", "kernel", DCB_VERSION),
    _read(f"{QOS}/pfc/priorities", "dcb pfc", "kernel", DCB_VERSION),
    _read(f"{QOS}/cable_length_m", "dcb pfc: delay", "source", EN_DCBNL),
    _read(f"{QOS}/scheduling", "dcb ets", "kernel", DCB_VERSION),
    _read(f"{QOS}/global_pause", "ethtool -a", "source", "ethtool netlink/pause.c"),
    _read(f"{QOS}/dcbx", "dcb dcbx, systemctl is-active lldpad", "source", EN_DCBNL),
    _read(f"{QOS}/dcbx_willing", "dcb dcbx: nobody negotiates when the OS is in control", "source", EN_DCBNL, _RUNNING),
    _read(f"{NIC}/netdev", "sysfs", "documentation", "Linux sysfs-class-net", _RUNNING),
    _read(f"{NIC}/rdma_device", "sysfs", "documentation", "Linux sysfs-class-infiniband", _RUNNING),
    _read(f"{NIC}/family", "sysfs hca_type", "source", "Linux mlx5/core/main.c", _RUNNING),
    _read(f"{NIC}/firmware", "sysfs fw_ver", "documentation", "Linux sysfs-class-infiniband", _RUNNING),
    _read(f"{NIC}/guid", "sysfs node_guid", "documentation", "Linux sysfs-class-infiniband", _RUNNING),
    _read(f"{NIC}/driver", "sysfs", "documentation", "Linux sysfs-bus-pci", _RUNNING),
    _read(f"{NIC}/dcb_owner", "dcb dcbx, lldpad, NetworkManager", "source", f"{EN_DCBNL}; nm-settings(5)", _RUNNING),
    _read(f"{NIC}/congestion_control", "mlxreg PPCC", "documentation", "oci-hpc health check", (Layer.HARDWARE,)),
    _read(
        f"{NIC}/rdma_without_pfc",
        "ethtool -S, twice: what tx_vport_rdma_unicast_bytes and tx_prioN_bytes gained",
        "documentation",
        "Linux mlx5 counters.rst",
        (Layer.HARDWARE,),
    ),
    _read(f"{NIC}/roce_mode", "configfs rdma_cm, where the folder is kept", "kernel", "Linux cma_configfs.c"),
    _read(f"{NIC}/rdma_cm_tos", "configfs rdma_cm, where the folder is kept", "kernel", "Linux cma_configfs.c"),
    _read(f"{NIC}/traffic_class", "sysfs tc/1/traffic_class", "documentation", "MLNX_OFED; absent inbox"),
    _read(f"{NIC}/cnp_dscp", "sysfs ecn, or debugfs cc_params", "source", f"{OFED_SYSFS}; Linux mlx5 cong.c"),
    _read(f"{NIC}/cnp_priority", "sysfs ecn, or debugfs cc_params", "source", f"{OFED_SYSFS}; Linux mlx5 cong.c"),
    _read(f"{NIC}/dcqcn", "sysfs ecn, or debugfs cc_params", "source", f"{OFED_SYSFS}; Linux mlx5 cong.c"),
    _read(f"{NIC}/firmware_parameters", "mlxconfig -e q", "source", "mstflint mlxconfig"),
    _read("job", "/etc/nccl.conf, /etc/ucx/ucx.conf", "documentation", "NCCL and UCX documentation", (Layer.SAVED,)),
    _read("unreferenced", "files below /etc/roce-qos", "source", "this project", (Layer.SAVED,)),
)

_FLAP = Disruption.PORT_FLAP
_UNKNOWN = Disruption.UNKNOWN
WRITES = (
    _write(f"{PORT}/admin_up", _FLAP, "ip link set up|down", "kernel", "the link goes down, or comes up"),
    _write(f"{PORT}/mtu_bytes", _UNKNOWN, "ip link set mtu", "documentation", ""),
    _write(f"{PORT}/fec", _UNKNOWN, "ethtool --set-fec", "documentation", ""),
    _write(
        f"{QOS}/trust", _UNKNOWN, "first or last DSCP entry of dcb app", "source", f"{EN_DCBNL}: may restart channels"
    ),
    _write(f"{QOS}/maps/dscp_to_priority", Disruption.REORDER, "dcb app replace", "source", EN_DCBNL),
    _write(f"{QOS}/maps/priority_to_tc", Disruption.REORDER, "dcb ets set prio-tc", "source", EN_DCBNL),
    _write(f"{QOS}/maps/priority_to_buffer", Disruption.LOSSLESS_GAP, "dcb buffer set", "source", EN_DCBNL),
    _write(f"{QOS}/receive_buffers_bytes", Disruption.LOSSLESS_GAP, "dcb buffer set", "source", EN_DCBNL),
    _write(
        f"{QOS}/pfc/priorities", _FLAP, "dcb pfc set", "source", f"{EN_DCBNL}: ieee_setpfc calls mlx5_toggle_port_link"
    ),
    _write(f"{QOS}/cable_length_m", Disruption.LOSSLESS_GAP, "dcb pfc set delay", "source", EN_DCBNL),
    _write(f"{QOS}/scheduling", Disruption.NONE, "dcb ets set", "source", EN_DCBNL),
    _write(f"{QOS}/global_pause", _UNKNOWN, "ethtool -A", "documentation", ""),
    _write(f"{QOS}/dcbx", _UNKNOWN, "dcb dcbx set", "source", EN_DCBNL),
    _write(
        f"{NIC}/roce_mode", Disruption.NONE, "configfs rdma_cm: new connections only", "kernel", "Linux cma_configfs.c"
    ),
    _write(
        f"{NIC}/rdma_cm_tos",
        Disruption.NONE,
        "configfs rdma_cm: new connections only",
        "kernel",
        "Linux cma_configfs.c",
    ),
    _write(f"{NIC}/traffic_class", _UNKNOWN, "sysfs tc/1/traffic_class", "documentation", ""),
    _write(f"{NIC}/cnp_dscp", _UNKNOWN, "sysfs ecn/roce_np", "source", OFED_SYSFS),
    _write(f"{NIC}/cnp_priority", _UNKNOWN, "sysfs ecn/roce_np", "source", OFED_SYSFS),
    _write(f"{NIC}/dcqcn", _UNKNOWN, "sysfs ecn", "source", OFED_SYSFS),
    _write(
        f"{NIC}/firmware_parameters",
        Disruption.RELOAD,
        "mlxconfig set, then a firmware reset or reboot",
        "documentation",
        "NVIDIA mlxconfig",
    ),
    _write("job", Disruption.NONE, "files: new jobs only", "documentation", "NCCL and UCX documentation"),
)

REFUSED = tuple(
    Capability(fact, Operation.WRITE, supported=False, how=why, proof="documentation", source="this project")
    for fact, why in (
        ("pools", "a host has no pools"),
        ("watchdog", "a host has no PFC watchdog"),
        (f"{QOS}/pfc/watchdog", "a NIC's own stall prevention isn't managed"),
        (f"{QOS}/queues", "a NIC has no queues that are managed"),
        (f"{QOS}/priority_groups", "a NIC has no priority groups"),
        (f"{PORT}/speed_mbps", "the speed is the link's"),
    )
)

CAPABILITIES = READS + WRITES + REFUSED
OBJECT_FIELDS = tuple(tuple(item.fact.split("/")) for item in READS)
