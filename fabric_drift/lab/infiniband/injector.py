#!/usr/bin/env python3
"""Writes into a simulated subnet behind the subnet manager's back, by SMP Set. Only the lab has this program.

``injector.py LID ATTRIBUTE MODIFIER FIRST_BYTE HEX``: one block of one attribute; prints the bytes that were there.
"""

from __future__ import annotations

import ctypes
import sys

PORT_INFO = 0x15


class _Route(ctypes.Structure):
    _fields_ = (
        ("count", ctypes.c_int), ("path", ctypes.c_uint8 * 64), ("drslid", ctypes.c_uint16), ("drdlid", ctypes.c_uint16)
    )  # fmt: skip


class _PortId(ctypes.Structure):
    _fields_ = (
        ("lid", ctypes.c_int), ("route", _Route), ("grh", ctypes.c_int), ("gid", ctypes.c_uint8 * 16),
        ("qp", ctypes.c_uint32), ("qkey", ctypes.c_uint32), ("sl", ctypes.c_uint8), ("pkey_index", ctypes.c_uint),
    )  # fmt: skip


def change(lid: int, attribute: int, modifier: int, first: int, new: bytes) -> bytes:
    """Reads the block, replaces bytes from ``first`` on, writes it back; the bytes that were there.

    Raises OSError without an answer.
    """
    mad = ctypes.CDLL("libibmad.so.5")
    mad.mad_rpc_open_port.restype = ctypes.c_void_p
    mad.smp_query_via.restype = mad.smp_set_via.restype = ctypes.c_void_p
    port = ctypes.c_void_p(mad.mad_rpc_open_port(None, 0, (ctypes.c_int * 2)(1, 0x81), 2))
    target = _PortId()
    target.lid = lid
    block = ctypes.create_string_buffer(64)
    if not mad.smp_query_via(block, ctypes.byref(target), attribute, modifier, 0, port):
        raise OSError(f"LID {lid} does not answer")
    before = block.raw
    after = bytearray(before[:first] + new + before[first + len(new) : 64])
    if attribute == PORT_INFO:  # 0 = leave the state of the link as it is
        after[32] &= 0xF0
        after[33] &= 0x0F
    written = ctypes.create_string_buffer(bytes(after), 64)
    if not mad.smp_set_via(written, ctypes.byref(target), attribute, modifier, 0, port):
        raise OSError(f"LID {lid} does not take the Set")
    return before[first : first + len(new)]


def main(arguments: list[str]) -> int:
    """One change; see the module's text."""
    lid, attribute, modifier, first = (int(text, 0) for text in arguments[:4])
    sys.stdout.write(change(lid, attribute, modifier, first, bytes.fromhex(arguments[4])).hex())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
