"""SMP and PerfMgt Gets over libibmad, counted and paced, and what they mean. Sends no Set; standard library only.

MAD layouts: InfiniBand Architecture Specification, volume 1, chapters 14 (subnet management) and 16.1 (performance).
"""

from __future__ import annotations

import ctypes
from typing import Any

from ib_pace import Pace  # type: ignore[import-not-found]

NODE_DESC, NODE_INFO, SWITCH_INFO, PORT_INFO, PKEYS, SL2VL, VLARB, LFT, SM_INFO = (
    0x10, 0x11, 0x12, 0x15, 0x16, 0x17, 0x18, 0x19, 0x20,
)  # fmt: skip
KINDS = {1: "ca", 2: "switch", 3: "router"}
STATES = {1: "down", 2: "init", 3: "armed", 4: "active"}
PHYSICAL = {1: "sleep", 2: "polling", 3: "disabled", 4: "training", 5: "up", 6: "recovery", 7: "test"}
WIDTHS = {1: "1x", 2: "4x", 4: "8x", 8: "12x", 16: "2x"}
SPEEDS = {1: "SDR", 2: "DDR", 4: "QDR"}
EXTENDED_SPEEDS = {1: "FDR", 2: "EDR", 4: "HDR", 8: "NDR"}
IS_SM = 0x2
KEYS = "/var/lib/fabric_drift/keys.conf"
GIVE_UP = 3
"""Questions in a row without an answer, after which a node isn't asked any more."""


class DirectedRoute(ctypes.Structure):
    """ib_dr_path_t of libibmad."""

    _fields_ = (
        ("count", ctypes.c_int), ("path", ctypes.c_uint8 * 64), ("drslid", ctypes.c_uint16), ("drdlid", ctypes.c_uint16)
    )  # fmt: skip


class PortId(ctypes.Structure):
    """ib_portid_t of libibmad."""

    _fields_ = (
        ("lid", ctypes.c_int), ("route", DirectedRoute), ("grh", ctypes.c_int), ("gid", ctypes.c_uint8 * 16),
        ("qp", ctypes.c_uint32), ("qkey", ctypes.c_uint32), ("sl", ctypes.c_uint8), ("pkey_index", ctypes.c_uint),
    )  # fmt: skip


class Fabric:
    """Sends Gets, counts them, and keeps below the rate. No method sends a Set."""

    def __init__(self, device: Any, port: Any, timeout_ms: Any, m_key: Any) -> None:
        self.mad = ctypes.CDLL("libibmad.so.5")
        self.mad.mad_rpc_open_port.restype = ctypes.c_void_p
        self.mad.smp_query_via.restype = self.mad.pma_query_via.restype = ctypes.c_void_p
        classes = (ctypes.c_int * 3)(1, 0x81, 4)  # subnet management by LID and by route, performance
        handle = self.mad.mad_rpc_open_port(device and device.encode(), port, classes, 3)
        if not handle:
            raise OSError("no InfiniBand port can be opened (umad needs root or /dev/infiniband)")
        self.handle = ctypes.c_void_p(handle)
        if m_key:
            self.mad.smp_mkey_set(self.handle, ctypes.c_uint64(m_key))
        self.mad.mad_rpc_set_timeout(self.handle, timeout_ms)
        self.mad.mad_rpc_set_retries(self.handle, 2)
        self.pace = Pace(0, lambda: None, 0)
        self.sent = self.silent = 0
        self.lids: dict[int, Any] = {}
        self.buffer = ctypes.create_string_buffer(256)

    def get(self, target: Any, attribute: Any, modifier: Any = 0) -> Any:
        """64 bytes of the attribute, or None: no answer, or a refusal."""
        return self.ask(target, lambda to: self.mad.smp_query_via(self.buffer, to, attribute, modifier, 0, self.handle))

    def performance(self, lid: Any, attribute: Any, port: Any) -> Any:
        """64 bytes behind the header of a performance attribute, or None."""
        target = self.by_lid(lid)
        return self.ask(target, lambda to: self.mad.pma_query_via(self.buffer, to, port, 0, attribute, self.handle))

    def ask(self, target: Any, query: Any) -> Any:
        """The first 64 bytes of an answer. Who kept silent thrice in a row isn't asked again: it would take minutes."""
        if getattr(target, "silences", 0) >= GIVE_UP:
            self.silent += 1
            return None
        self.pace.step()
        self.sent += 1
        if query(ctypes.byref(target)):
            target.silences = 0
            return self.buffer.raw[:64]
        target.silences = getattr(target, "silences", 0) + 1
        self.silent += 1
        return None

    def by_lid(self, lid: Any) -> Any:
        """The port of this LID; the same object for the same LID."""
        if lid not in self.lids:
            self.lids[lid] = PortId()
            self.lids[lid].lid = lid
        return self.lids[lid]

    def activity(self) -> Any:
        """How much the master has sent, asked by way of the local port; None where it can't be said."""
        here = by_route(())
        if not self.mad.smp_query_via(self.buffer, ctypes.byref(here), PORT_INFO, 0, 0, self.handle):
            return None
        master = self.by_lid(number(self.buffer.raw, 18, 2))
        self.sent += 2
        if not self.mad.smp_query_via(self.buffer, ctypes.byref(master), SM_INFO, 0, 0, self.handle):
            return None
        return number(self.buffer.raw, 16, 4)


def m_key_of_vault(path: Any = KEYS) -> Any:
    """The M_Key that the role wrote from the vault on this node; 0 where there is none. It is never printed.

    Raises ValueError for one that is no number, and OSError where it may not be read.
    """
    try:
        with open(path, encoding="ascii", errors="replace") as file:  # noqa: PTH123 - old Pythons
            found = [line.split()[1] for line in file if line.startswith("m_key ") and len(line.split()) > 1]
    except FileNotFoundError:
        return 0
    return int(found[-1], 0) if found else 0


def by_route(hops: Any) -> Any:
    """The node that is reached over these ports, one after the other."""
    target = PortId()
    target.route.count = len(hops)
    for index, hop in enumerate(hops):
        target.route.path[index + 1] = hop
    return target


def number(data: Any, first: Any, size: Any) -> Any:
    """Big-endian."""
    return int.from_bytes(data[first : first + size], "big")


def guid(value: Any) -> Any:
    """As we write GUIDs everywhere."""
    return f"0x{value:016x}"


def node_facts(info: Any, hops: Any) -> Any:
    """NodeInfo in words."""
    return {
        "guid": guid(number(info, 12, 8)), "kind": KINDS.get(info[2], str(info[2])), "ports": info[3],
        "port_guid": guid(number(info, 20, 8)), "partition_cap": number(info, 28, 2),
        "device": number(info, 30, 2), "hops": list(hops),
    }  # fmt: skip


def port_facts(info: Any) -> Any:
    """PortInfo in words and numbers, raw where the intent has codes too."""
    extended = EXTENDED_SPEEDS.get(info[62] >> 4)
    return {
        "lid": number(info, 16, 2), "sm_lid": number(info, 18, 2), "prefix": guid(number(info, 8, 8)),
        "state": STATES.get(info[32] & 15, "down"), "physical": PHYSICAL.get(info[33] >> 4, "?"),
        "width": WIDTHS.get(info[31], "?"), "speed": extended or SPEEDS.get(info[35] >> 4, "?"),
        "width_supported": info[30], "mtu_code": info[36] >> 4, "operational_vls": info[43] >> 4,
        "enforce_in": info[43] >> 3 & 1, "enforce_out": info[43] >> 2 & 1, "hoq_life": info[42] & 31,
        "vl_stall_count": info[42] >> 5, "high_limit": info[38], "lmc": info[34] & 7,
        "protect": info[34] >> 6, "m_key_set": bool(number(info, 0, 8)), "is_sm": bool(number(info, 20, 4) & IS_SM),
        "vlarb_caps": [info[39], info[40]],
    }  # fmt: skip
