"""What the subnet manager believes, asked of its SA one record at a time. Only Gets; standard library, libibumad.so.3.

Layouts: InfiniBand Architecture Specification, volume 1, 15.2.5 (subnet administration attributes). Records of P_Key
tables are given to trusted requesters only, which is what the SA key is for: its value is read on this node and stays.
"""

from __future__ import annotations

import ctypes
import re
from typing import Any

SA_CLASS, SA_VERSION, GET = 0x03, 2, 0x01
LANES, FORWARDING, PKEYS, PATH, WEIGHTS = 0x13, 0x15, 0x33, 0x35, 0x36
TWO_KEYS, THREE_KEYS, PATH_KEYS = 0b11, 0b111, 1 << 4 | 1 << 5 | 1 << 12
NO_RECORDS = 0x0300
QP1, QKEY = 1, 0x80010000
MAD_BYTES = 256
SILENCES = 3
"""Questions in a row without an answer, after which the SA isn't asked any more."""
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
    """A port that asks the SA. Counts into the same account as the SMPs, and keeps their pace."""

    def __init__(self, fabric: Any, lid: Any, timeout_ms: Any = 500) -> None:
        self.fabric, self.timeout_ms, self.lid = fabric, timeout_ms, lid
        self.key = sa_key()
        self.umad = ctypes.CDLL("libibumad.so.3")
        self.umad.umad_get_mad.restype = ctypes.c_void_p
        self.umad.umad_init()
        self.port = self.umad.umad_open_port(None, 0)
        self.agent = self.umad.umad_register(self.port, SA_CLASS, SA_VERSION, 0, None) if self.port >= 0 else -1
        self.buffer = ctypes.create_string_buffer(self.umad.umad_size() + MAD_BYTES)
        self.transaction = self.silences = 0

    def pkeys(self, lid: Any, port: Any, blocks: Any) -> Any:
        """The table as hex text, trailing zeros left out; None where the SA gave no record."""
        records = [_bytes(lid, 2) + _bytes(block, 2) + bytes([port, 0, 0, 0]) for block in range(blocks)]
        parts = [self.get(PKEYS, THREE_KEYS, record) for record in records]
        if None in parts:
            return None
        text = "".join(part[8:72].hex() for part in parts).rstrip("0")
        return text + "0" * (-len(text) % 4)

    def lanes(self, lid: Any, entry: Any, out: Any) -> Any:
        """One row of an SL-to-VL table as 16 hex digits, or None."""
        answer = self.get(LANES, THREE_KEYS, _bytes(lid, 2) + bytes([entry, out, 0, 0, 0, 0]))
        return answer and answer[8:16].hex()

    def weights(self, lid: Any, port: Any, block: Any) -> Any:
        """One block of a VL arbitration table as hex text, or None."""
        answer = self.get(WEIGHTS, THREE_KEYS, _bytes(lid, 2) + bytes([port, block, 0, 0, 0, 0]))
        return answer and answer[8:72].hex()

    def forwarding(self, lid: Any, block: Any) -> Any:
        """One block of a linear forwarding table as hex text, or None."""
        answer = self.get(FORWARDING, TWO_KEYS, _bytes(lid, 2) + _bytes(block, 2) + bytes(4))
        return answer and answer[8:72].hex()

    def path(self, source: Any, destination: Any) -> Any:
        """P_Key of the path between two LIDs, 0 where there is none; None where the SA didn't say either."""
        record = bytes(40) + _bytes(destination, 2) + _bytes(source, 2) + bytes(5) + b"\1" + bytes(14)
        status, answer = self.ask(PATH, PATH_KEYS, record)
        if status == NO_RECORDS:
            return 0
        return None if status or _number(answer, 40) != destination else _number(answer, 50)

    def get(self, attribute: Any, mask: Any, record: Any) -> Any:
        """The record's bytes, or None: no answer, no record, or not for us."""
        status, answer = self.ask(attribute, mask, record)
        if status is not None and status:
            self.fabric.silent += 1
        return None if status else answer

    def ask(self, attribute: Any, mask: Any, record: Any) -> Any:
        """(status, bytes of the record); (None, None) without an answer."""
        if self.agent < 0 or self.silences >= SILENCES:
            return self.nothing()
        self.fabric.pace.step()
        self.fabric.sent += 1
        self.transaction += 1
        mad = bytearray(MAD_BYTES)
        mad[0:4] = bytes([1, SA_CLASS, SA_VERSION, GET])
        mad[12:16] = _bytes(self.transaction, 4)
        mad[16:18] = _bytes(attribute, 2)
        mad[36:44] = _bytes(self.key, 8)
        mad[48:56] = _bytes(mask, 8)
        mad[56 : 56 + len(record)] = record
        ctypes.memset(self.buffer, 0, len(self.buffer))
        ctypes.memmove(self.umad.umad_get_mad(self.buffer), bytes(mad), MAD_BYTES)
        self.umad.umad_set_addr(self.buffer, self.lid, QP1, 0, QKEY)
        if self.umad.umad_send(self.port, self.agent, self.buffer, MAD_BYTES, self.timeout_ms, 1) < 0:
            return self.nothing()
        return self.answer(mad)

    def answer(self, mad: Any) -> Any:
        """What came back to ``mad``."""
        length = ctypes.c_int(MAD_BYTES)
        if self.umad.umad_recv(self.port, self.buffer, ctypes.byref(length), 2 * self.timeout_ms) < 0:
            return self.nothing()
        answer = ctypes.string_at(self.umad.umad_get_mad(self.buffer), MAD_BYTES)
        is_ours = answer[12:16] == bytes(mad[12:16]) and answer[16:18] == bytes(mad[16:18])
        if self.umad.umad_status(self.buffer) or not is_ours:
            return self.nothing()
        self.silences = 0
        return _number(answer, 4), answer[56:]

    def nothing(self) -> Any:
        """Counts a question without an answer."""
        self.fabric.silent += 1
        self.silences += 1
        return None, None


def _bytes(number: Any, size: Any) -> Any:
    return number.to_bytes(size, "big")


def _number(data: Any, first: Any) -> Any:
    return int.from_bytes(data[first : first + 2], "big")
