"""What the reader heard from the subnet manager -> the facts of its belief, beside what the hardware holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabric_drift.platforms.opensm.tables import arbitration, lanes, pkeys
from fabric_drift.state.values import Unobserved

NO_ANSWER = "the subnet manager's SA did not answer"
NO_MASTER = "no master answers in the subnet"


def believed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Field of ``Infiniband`` -> value, for what was asked. Raises KeyError and ValueError on what can't be."""
    what = set(document["what"])
    has_master = any(sm["state"] == "master" for sm in document["sms"])
    found: dict[str, Any] = {}
    if "beliefs" in what:
        found = {
            "believed_pkeys": _pkeys(document["beliefs"]),
            "believed_lanes": {key: _rows(rows) for key, rows in sorted(document["believed_lanes"].items())},
            "believed_arbitration": {key: arbitration(t) for key, t in sorted(document["believed_weights"].items())},
            "misbelieved_exits": _exits(document["believed_lfts"], document["lfts"]),
        }
        found = {name: value for name, value in found.items() if value}
    if "paths" in what:
        paths = {f"{source} to {target}": _path(answer) for source, target, answer in document["paths"]}
        found["believed_paths"] = dict(sorted(paths.items())) if has_master else Unobserved(NO_MASTER)
    return found


def _pkeys(beliefs: Mapping[str, str]) -> dict[str, Mapping[str, str]]:
    """Equal tables are one object."""
    tables = {text: pkeys(text)[0] for text in sorted(set(beliefs.values()))}
    return {key: tables[text] for key, text in sorted(beliefs.items())}


def _rows(rows: Mapping[str, str]) -> dict[str, tuple[int, ...]]:
    return {entry: lanes(row) for entry, row in sorted(rows.items())}


def _exits(tables: Mapping[str, str], held: Mapping[str, str]) -> dict[str, dict[str, tuple[int, int]]]:
    """Only what differs: the reader leaves a table empty that is the same."""
    found = {}
    for switch, text in sorted(tables.items()):
        if text:
            pairs = enumerate(zip(bytes.fromhex(text), bytes.fromhex(held[switch]), strict=True))
            found[switch] = {str(lid): (one, other) for lid, (one, other) in pairs if one != other}
    return found


def _path(answer: str | None) -> str | Unobserved:
    if answer is None:
        return Unobserved(NO_ANSWER)
    pkey = int(answer, 16) & 0x7FFF
    return f"0x{pkey:04x}" if pkey else "none"
