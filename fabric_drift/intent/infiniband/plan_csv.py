"""A cable plan as CSV: a_node, a_port, b_node, b_port, width, speed; ranges pair in order, as in Ethernet's plans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from fabric_drift.errors import IntentError
from fabric_drift.intent.cables import pair_ends
from fabric_drift.intent.faults import make
from fabric_drift.intent.infiniband.plan_cabling import CODE, NamedCable, port_number, rows

COLUMNS = ("a_node", "a_port", "b_node", "b_port", "width", "speed")
WIDTHS = ("", "1x", "2x", "4x", "8x", "12x")
SPEEDS = ("", "SDR", "DDR", "QDR", "FDR", "EDR", "HDR", "NDR", "XDR")
_NUMBERS = re.compile(r"[0-9\[\],/-]{1,80}")


def read_csv(text: str, path: Path, errors: list[IntentError]) -> Iterator[NamedCable]:
    """Cables as written. Faults go to ``errors``."""
    for line, (a_node, a_port, b_node, b_port, width, speed) in rows(text, COLUMNS, str(path), errors):
        where = f"{path}:{line}"
        if width not in WIDTHS or speed not in SPEEDS:
            problem = f"{f'{width} {speed}'[:40]!r} is not a width and speed like 4x and HDR, or nothing"
            errors.append(make("FD-INT-009", problem, where=where))
            continue
        try:
            if not _NUMBERS.fullmatch(a_port) or not _NUMBERS.fullmatch(b_port):
                raise ValueError(f"{a_port[:20]!r} and {b_port[:20]!r} are not two ports")  # noqa: TRY301
            pairs = list(pair_ends((a_node, a_port), (b_node, b_port)))
        except ValueError as error:
            errors.append(make("FD-INT-011", str(error), where=where))
            continue
        for near, near_port, far, far_port in pairs:
            ports = port_number(near_port), port_number(far_port)
            if ports[0] is None or ports[1] is None:
                errors.append(make(CODE, f"{near_port} or {far_port} is no port of 1 to 254", where=where))
            else:
                yield NamedCable(((near, ports[0]), (far, ports[1])), width, speed, line)
