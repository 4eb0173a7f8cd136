"""Traffic of an emulated NIC, and the counters of ``ethtool -S`` that show it.

Names: Linux Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst. Between two looks at the
counters, a NIC that sends has always sent the same again: nobody waits in the lab.
"""

from __future__ import annotations

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.linux_host.nic import Nic

PORT_WIDE = ("rx_discards_phy", "tx_discards_phy", "rx_pause_ctrl_phy", "tx_pause_ctrl_phy", "rx_out_of_buffer")
RDMA = ("rx_vport_rdma_unicast_bytes", "tx_vport_rdma_unicast_bytes")
PER_PRIORITY = ("rx_prio{}_bytes", "rx_prio{}_pause", "tx_prio{}_bytes", "tx_prio{}_pause", "rx_prio{}_discards")
NAMES = (*PORT_WIDE, *RDMA, *(name.format(priority) for priority in range(8) for name in PER_PRIORITY))
AT_ONCE_BYTES = 4_000_000_000
"""A tenth of a second of 400 Gb/s, about."""
HEADERS = 1.02
"""On the wire is a little more than the RDMA driver counts."""


def send(nic: Nic, dscp: int) -> None:
    """A job that marks its RDMA traffic with a DSCP runs from now on; the NIC chooses the priority."""
    nic["sends_dscp"] = dscp


def statistics(_store: Store, nic: Nic) -> str:
    """``ethtool -S``."""
    counters: dict[str, int] = nic.get("counters", {})
    if "sends_dscp" in nic:
        nic["counters"] = counters
        priority = nic["dcb"]["dscp_to_priority"][nic["sends_dscp"]] if nic["dcb"]["dscp_entries"] else 0
        for name, count in (
            (RDMA[1], AT_ONCE_BYTES),
            (f"tx_prio{priority}_bytes", int(AT_ONCE_BYTES * HEADERS)),
            ("tx_prio0_bytes", 20_000),
        ):
            counters[name] = counters.get(name, 0) + count
    return "NIC statistics:\n" + "".join(f"     {name}: {counters.get(name, 0)}\n" for name in NAMES)
