"""Object ids of the emulated ASIC: type in the top bytes, and below it what the object is. Stable, without memory."""

from __future__ import annotations

from zlib import crc32

NULL = "oid:0x0"
_TYPES = {
    "PORT": 0x01,
    "WRED": 0x13,
    "QOS_MAP": 0x14,
    "QUEUE": 0x15,
    "SCHEDULER": 0x16,
    "BUFFER_POOL": 0x18,
    "BUFFER_PROFILE": 0x19,
    "INGRESS_PRIORITY_GROUP": 0x1A,
    "SWITCH": 0x21,
}
_FIRST_PORT = 2


def of_port(index: int) -> str:
    """The port at ``index`` in the order of the PORT table."""
    return f"oid:{_TYPES['PORT'] << 48 | index + _FIRST_PORT:#x}"


def of_part(kind: str, port_index: int, number: int) -> str:
    """A queue or priority group of a port."""
    return f"oid:{_TYPES[kind] << 48 | (port_index + _FIRST_PORT) << 8 | number:#x}"


def of_name(kind: str, name: str) -> str:
    """An object that CONFIG_DB gives a name; the null object for no name."""
    return f"oid:{_TYPES[kind] << 48 | crc32(name.encode()) | 1:#x}" if name else NULL
