#!/usr/bin/env python3
"""Writes into a simulated subnet behind the subnet manager's back, by SMP Set. Only the lab has this program.

``injector.py pkey LID PORT INDEX VALUE`` | ``sl2vl LID IN OUT SIXTEEN_HEX_DIGITS`` | ``lft LID DESTINATION PORT``
"""

from __future__ import annotations

import ctypes
import sys

PKEYS, SL2VL, LFT = 0x16, 0x17, 0x19


class _Route(ctypes.Structure):
    _fields_ = (
        ("count", ctypes.c_int), ("path", ctypes.c_uint8 * 64), ("drslid", ctypes.c_uint16), ("drdlid", ctypes.c_uint16)
    )  # fmt: skip


class _PortId(ctypes.Structure):
    _fields_ = (
        ("lid", ctypes.c_int), ("route", _Route), ("grh", ctypes.c_int), ("gid", ctypes.c_uint8 * 16),
        ("qp", ctypes.c_uint32), ("qkey", ctypes.c_uint32), ("sl", ctypes.c_uint8), ("pkey_index", ctypes.c_uint),
    )  # fmt: skip


def change(lid: int, attribute: int, modifier: int, first: int, new: bytes) -> None:
    """Reads the block, replaces bytes from ``first`` on, writes it back. Raises OSError without an answer."""
    mad = ctypes.CDLL("libibmad.so.5")
    mad.mad_rpc_open_port.restype = ctypes.c_void_p
    mad.smp_query_via.restype = mad.smp_set_via.restype = ctypes.c_void_p
    port = ctypes.c_void_p(mad.mad_rpc_open_port(None, 0, (ctypes.c_int * 2)(1, 0x81), 2))
    target = _PortId()
    target.lid = lid
    block = ctypes.create_string_buffer(64)
    if not mad.smp_query_via(block, ctypes.byref(target), attribute, modifier, 0, port):
        raise OSError(f"LID {lid} does not answer")
    written = ctypes.create_string_buffer(block.raw[:first] + new + block.raw[first + len(new) : 64], 64)
    if not mad.smp_set_via(written, ctypes.byref(target), attribute, modifier, 0, port):
        raise OSError(f"LID {lid} does not take the Set")


def main(arguments: list[str]) -> int:
    """One change; see the module's text."""
    what, *numbers = arguments
    if what == "pkey":
        lid, port, index, value = (int(text, 0) for text in numbers)
        change(lid, PKEYS, (port << 16) | index // 32, index % 32 * 2, value.to_bytes(2, "big"))
    elif what == "sl2vl":
        lid, entry, out = (int(text, 0) for text in numbers[:3])
        change(lid, SL2VL, (entry << 8) | out, 0, bytes.fromhex(numbers[3]))
    elif what == "lft":
        lid, destination, out = (int(text, 0) for text in numbers)
        change(lid, LFT, destination // 64, destination % 64, bytes([out]))
    else:
        sys.stderr.write(f"injector: {what} is not pkey, sl2vl or lft\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
