"""Evidence: the part of an answer that decided a fact, on one line."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from fabric_drift.finding import Evidence, Layer
from fabric_drift.platforms.ufm import pkeys, smconf
from fabric_drift.platforms.ufm.answers import Answers
from fabric_drift.platforms.ufm.commands import MEMBERS, QOS, SMCONF
from fabric_drift.state.values import Path

QOS_FACTS = ("mtu_bytes", "rate_code", "service_level")
LONGEST = 300


class Witness:
    """Finds lines in answers, which may be anything; a member of thousands is found without a search."""

    def __init__(self, said: Answers) -> None:
        self._said = said
        self._member = cache(self._members_of)

    def lines(self, _layer: Layer, path: Path) -> tuple[Evidence, ...]:
        """See ``Reading.evidence``."""
        if path[:1] != ("infiniband",) or len(path) < 3:  # noqa: PLR2004 - a section as a whole has no one line
            return ()
        if path[1] in ("options", "manager"):
            return self._configured(smconf.ENGINE if path[1] == "manager" else path[2])
        return self._partition(path[2:]) if path[1] == "partitions" else ()

    def _configured(self, name: str) -> tuple[Evidence, ...]:
        rows = self._said.record(SMCONF.text)
        line = f'"{name}": {compact(rows[name])}' if name in rows else f"{name}: not in the answer"
        return (Evidence(SMCONF.text, (line,)),)

    def _partition(self, path: Path) -> tuple[Evidence, ...]:
        pkey, fact = path[0], path[1] if len(path) > 1 else ""
        command = QOS.text if fact in QOS_FACTS else MEMBERS.text
        row = self._row(command, pkey)
        if row is None:
            return (Evidence(command, (f"{pkey}: not in the answer",)),)
        if fact == "members" and len(path) > 2:  # noqa: PLR2004
            return (Evidence(command, (f"{pkey}: {self._of_member(pkey, row, path[2])}",)),)
        return (Evidence(command, (f"{pkey}: {compact(row)}",)),)

    def _row(self, command: str, pkey: str) -> Any:
        return next((row for text, row in self._said.record(command).items() if pkeys.key_text(text) == pkey), None)

    def _of_member(self, pkey: str, row: Any, guid: str) -> str:
        if guid == "ALL":
            return f'"membership": {compact(row.get("membership") if isinstance(row, dict) else None)}'
        members = self._member(pkey)
        return compact(members[guid]) if guid in members else f"{guid} is not among {len(members)} members"

    def _members_of(self, pkey: str) -> dict[str, Any]:
        row = self._row(MEMBERS.text, pkey)
        rows = row.get("guids") if isinstance(row, dict) else None
        found = {}
        for entry in rows if isinstance(rows, list) else ():
            try:
                found[pkeys.guid_text(entry["guid"])] = entry
            except (ValueError, KeyError, TypeError):
                continue  # the view is unknown then, and says why
        return found


def compact(value: Any) -> str:
    """On one line, cut."""
    return json.dumps(value, sort_keys=True)[:LONGEST]
