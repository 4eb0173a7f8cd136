"""``dcb ... show``: text and JSON as iproute2 6.1 prints them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from fabric_drift.lab.linux_host.nic import Nic

Values = dict[str, Any]

DSCP_NAMES = {
    0: "CS0",
    **{8 * n: f"CS{n}" for n in range(1, 8)},
    **{8 * c + 2 * d: f"AF{c}{d}" for c in range(1, 5) for d in range(1, 4)},
    44: "VOICE-ADMIT",
    46: "EF",
}
COUNTERS = ("requests", "indications")
UNITS = ((10**9, "Gbit"), (10**6, "Mbit"), (10**3, "Kbit"))


def pfc(nic: Nic, *, statistics: bool) -> Values:
    """Keys of ``dcb pfc show``."""
    values = {"pfc_cap": 8, "macsec_bypass": False, "delay": nic["dcb"]["delay"], "prio_pfc": nic["dcb"]["pfc"]}
    return values | ({name: [0] * 8 for name in COUNTERS} if statistics else {})


def ets(nic: Nic) -> Values:
    """Keys of ``dcb ets show``."""
    dcb = nic["dcb"]
    return {
        "willing": False,
        "ets_cap": 8,
        "cbs": False,
        "tc_bw": dcb["tc_bw"],
        "pg_bw": [0] * 8,
        "tc_tsa": dcb["tc_tsa"],
        "prio_tc": dcb["priority_to_tc"],
        "reco_tc_bw": [0] * 8,
        "reco_tc_tsa": ["strict"] * 8,
        "reco_prio_tc": [0] * 8,
    }


def app(nic: Nic) -> Values:
    """Keys of ``dcb app show``; an empty table has none."""
    priorities = nic["dcb"]["dscp_to_priority"]
    entries = [[dscp, priorities[dscp]] for dscp in nic["dcb"]["dscp_entries"]]
    return {"dscp_prio": entries} if entries else {}


def buffer(nic: Nic) -> Values:
    """Keys of ``dcb buffer show``."""
    dcb = nic["dcb"]
    return {
        "prio_buffer": dcb["priority_to_buffer"],
        "buffer_size": dcb["buffer_bytes"],
        "total_size": dcb["total_bytes"],
    }


def maxrate(nic: Nic) -> Values:
    """Keys of ``dcb maxrate show``: the kernel's kbit/s, taken for bytes/s (iproute2 before e7d4c060, 2025-10)."""
    return {"tc_maxrate": nic["dcb"]["maxrate_kbps"]}


def dcbx(nic: Nic) -> Values:
    """Keys of ``dcb dcbx show``: only flags that are set; none where the firmware negotiates."""
    return {"host": True, "ieee": True} if nic["dcb"]["dcbx"] == "os" else {}


SHOWN: dict[str, Callable[[Nic], Values]] = {
    "ets": ets,
    "app": app,
    "buffer": buffer,
    "maxrate": maxrate,
    "dcbx": dcbx,
}


def as_json(values: Values) -> str:
    """One line of JSON, without blanks."""
    return json.dumps(values, separators=(",", ":")) + "\n"


def _word(value: Any) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _rate(bytes_per_second: int) -> str:
    bits = bytes_per_second * 8
    for factor, unit in UNITS:
        if bits >= factor and bits % factor == 0:
            return f"{bits // factor}{unit}"
    return f"{bits}bit"


def _row(name: str, entries: Sequence[Any], form: Callable[[Any], str] = _word) -> str:
    return f"{name.replace('_', '-')} " + "".join(f"{index}:{form(entry)} " for index, entry in enumerate(entries))


def as_text(kind: str, values: Values) -> str:
    """What ``dcb`` prints without ``-j``; every line ends in a blank."""
    if kind == "dcbx":
        return "".join(f"{flag} " for flag in values) + "\n"
    if kind == "app":
        entries = values.get("dscp_prio", [])
        row = "".join(f"{DSCP_NAMES.get(dscp, dscp)}:{priority} " for dscp, priority in entries)
        return f"dscp-prio {row}\n" if entries else ""
    single = {name: value for name, value in values.items() if not isinstance(value, list)}
    form = {"buffer": lambda size: f"{size}b", "maxrate": _rate}
    lines = []
    if single and kind != "buffer":
        lines.append("".join(f"{name.replace('_', '-')} {_word(value)} " for name, value in single.items()))
    for name, value in values.items():
        if isinstance(value, list):
            lines.append(_row(name, value, form.get(kind, _word) if name != "prio_buffer" else _word))
    if kind == "buffer":
        lines.append(f"total-size {values['total_size']}b ")
    return "\n".join(lines) + "\n"
