"""What the subnet manager believes, asked of its SA one record at a time. Only Gets; standard library, libibumad.so.3.

Layouts: InfiniBand Architecture Specification, volume 1, 15.2.5 (subnet administration attributes). Records of P_Key
tables are given to trusted requesters only, which is what the SA key is for: its value is read on this node and stays.
"""

from __future__ import annotations

import ctypes
import re
from typing import Any

SA_CLASS, SA_VERSION, GET, PKEY_RECORD = 0x03, 2, 0x01, 0x33
QP1, QKEY = 1, 0x80010000
BY_LID_BLOCK_PORT = 0b111
MAD_BYTES = 256
OPTIONS = "/etc/opensm/opensm.conf"


def sa_key(path: Any = OPTIONS) -> Any:
    """The SA key of this node's own subnet manager, 1 where the file says none. It is never printed."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - old Pythons
            found = re.findall(r"^\s*sa_key\s+(0x[0-9a-fA-F]{1,16}|[0-9]{1,20})\s*$", file.read(), re.MULTILINE)
    except OSError:
        return 1
    return int(found[-1], 0) if found else 1


class Beliefs:
    """A port that asks the SA. Counts into the same account as the SMPs."""

    def __init__(self, fabric: Any, lid: Any, timeout_ms: Any = 500) -> None:
        self.fabric, self.timeout_ms, self.lid = fabric, timeout_ms, lid
        self.key = sa_key()
        self.umad = ctypes.CDLL("libibumad.so.3")
        self.umad.umad_get_mad.restype = ctypes.c_void_p
        self.umad.umad_init()
        self.port = self.umad.umad_open_port(None, 0)
        self.agent = self.umad.umad_register(self.port, SA_CLASS, SA_VERSION, 0, None) if self.port >= 0 else -1
        self.buffer = ctypes.create_string_buffer(self.umad.umad_size() + MAD_BYTES)
        self.transaction = 0

    def pkeys(self, lid: Any, port: Any, blocks: Any) -> Any:
        """The table as hex text, trailing zeros left out; None where the SA gave no record."""
        parts = []
        for block in range(blocks):
            record = lid.to_bytes(2, "big") + block.to_bytes(2, "big") + bytes([port, 0, 0, 0])
            answer = self.get(PKEY_RECORD, BY_LID_BLOCK_PORT, record)
            if answer is None:
                return None
            parts.append(answer[8:72].hex())
        text = "".join(parts).rstrip("0")
        return text + "0" * (-len(text) % 4)

    def get(self, attribute: Any, mask: Any, record: Any) -> Any:
        """The record's bytes, or None: no answer, no record, or not for us."""
        if self.agent < 0:
            return None
        self.fabric.sent += 1
        self.transaction += 1
        mad = bytearray(MAD_BYTES)
        mad[0:4] = bytes([1, SA_CLASS, SA_VERSION, GET])
        mad[12:16] = self.transaction.to_bytes(4, "big")
        mad[16:18] = attribute.to_bytes(2, "big")
        mad[36:44] = self.key.to_bytes(8, "big")
        mad[48:56] = mask.to_bytes(8, "big")
        mad[56 : 56 + len(record)] = record
        ctypes.memset(self.buffer, 0, len(self.buffer))
        ctypes.memmove(self.umad.umad_get_mad(self.buffer), bytes(mad), MAD_BYTES)
        self.umad.umad_set_addr(self.buffer, self.lid, QP1, 0, QKEY)
        if self.umad.umad_send(self.port, self.agent, self.buffer, MAD_BYTES, self.timeout_ms, 1) < 0:
            return self.nothing()
        length = ctypes.c_int(MAD_BYTES)
        if self.umad.umad_recv(self.port, self.buffer, ctypes.byref(length), 2 * self.timeout_ms) < 0:
            return self.nothing()
        answer = ctypes.string_at(self.umad.umad_get_mad(self.buffer), MAD_BYTES)
        is_ours = answer[12:16] == bytes(mad[12:16]) and answer[16:18] == bytes(mad[16:18])
        if self.umad.umad_status(self.buffer) or not is_ours or answer[4:6] != b"\0\0":
            return self.nothing()
        return answer[56:]

    def nothing(self) -> Any:
        """Counts a question without an answer."""
        self.fabric.silent += 1
