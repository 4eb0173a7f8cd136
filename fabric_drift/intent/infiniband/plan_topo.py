"""A plan as topology file of ibdm and ibdiagnet (``-w``): sections of systems, a line per cabled port.

Format: man ibdm-topo-file (ibutils 1.5.7), width and speed as its parser takes them: ``P1 -4x-50G-> TYPE NAME P2``.
The type names a description of the system (IBNL) that says which chip is behind which panel name. Without those, a
plain switch (``P7``) and HCAs of a host (``mlx5_0/P1``, or ``P1`` of a system with one node) can be told; the boards of
a director can't, and are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from fabric_drift.errors import IntentError
from fabric_drift.intent.faults import make
from fabric_drift.intent.infiniband.plan_cabling import CODE, NamedCable, port_number

SPEEDS = {
    "": "", "2.5": "SDR", "5": "DDR", "10": "QDR", "14": "FDR", "25": "EDR", "50": "HDR", "100": "NDR", "200": "XDR",
}  # fmt: skip
"""Gb/s of a lane, as written -> speed."""
_WORD = r"[^\s/]{1,80}"
_SYSTEM = re.compile(rf"\s{{0,20}}{_WORD}\s{{1,20}}({_WORD})\s{{0,20}}")
_CONFIGURED = re.compile(rf"\s{{0,20}}{_WORD}\s{{1,20}}({_WORD})\s{{1,20}}CFG:.*")
_PORT = re.compile(
    rf"\s{{1,20}}(\S{{1,80}})\s{{1,20}}-(?:([0-9]{{1,2}})[xX]-)?(?:([0-9.]{{1,4}})G-)?>"
    rf"\s{{1,20}}{_WORD}\s{{1,20}}({_WORD})\s{{1,20}}(\S{{1,80}})\s{{0,20}}"
)
_PANEL = re.compile(r"(?:([A-Za-z0-9_.-]{1,60})/)?P([0-9]{1,3})")
_WIDTHS = ("1", "2", "4", "8", "12")


def read_topo(text: str, path: Path, errors: list[IntentError]) -> Iterator[NamedCable]:
    """Cables as written. Faults go to ``errors``."""
    system = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("#"):
            continue
        if not line.strip():
            system = ""
            continue
        found = _PORT.fullmatch(line)
        if found:
            cable = _cable(system, found, number)
            if isinstance(cable, NamedCable):
                yield cable
            else:
                errors.append(make(CODE, cable, where=f"{path}:{number}", remedy="Write the cable in a CSV plan"))
        elif named := _SYSTEM.fullmatch(line):
            system = named[1]
        elif _CONFIGURED.fullmatch(line):
            problem = "a system with boards (CFG) can't be resolved without its IBNL"
            errors.append(make(CODE, problem, where=f"{path}:{number}", remedy="Take the plan with ibnetdiscover"))
            system = ""
        else:
            problem = f"{line.strip()[:60]!r} is no line of a topology file"
            errors.append(make(CODE, problem, where=f"{path}:{number}", remedy="Correct the line"))


def _cable(system: str, found: re.Match[str], line: int) -> NamedCable | str:
    """The cable, or what is wrong."""
    if not system:
        return "a port before its system"
    panel, width, speed, far, far_panel = found.groups()
    ends = _end(system, panel), _end(far, far_panel)
    if ends[0] is None or ends[1] is None:
        return f"{panel if ends[0] is None else far_panel!r} is no panel name like P1 or mlx5_0/P1"
    if (width or "4") not in _WIDTHS or (speed or "") not in SPEEDS:
        return f"{width}x {speed}G is no width and speed of InfiniBand"
    return NamedCable((ends[0], ends[1]), f"{width}x" if width else "", SPEEDS[speed or ""], line)


def _end(system: str, panel: str) -> tuple[str, int] | None:
    found = _PANEL.fullmatch(panel)
    port = port_number(found[2]) if found else None
    if found is None or port is None:
        return None
    return (f"{system} {found[1]}" if found[1] else system), port
