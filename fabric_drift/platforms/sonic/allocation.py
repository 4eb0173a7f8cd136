"""Names for the objects that a rendered configuration needs: adopted ones first.

Renaming a map that ports refer to is dangerous (GCU empties the old one while it is in use), so the name that
a role has on the device stays with the role, whatever becomes of the content.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fabric_drift.platforms.sonic.adopt import content_key


class Allocation:
    """Content -> name, one name per distinct content of a table."""

    def __init__(self, adopted: Mapping[str, str]) -> None:
        self._adopted = adopted
        self._names: dict[tuple[str, str], str] = {}
        self.rows: dict[str, dict[str, dict[str, str]]] = {}

    def name(self, table: str, role: str, content: dict[str, str], default: str) -> str:
        """The name of ``content``, with its row in ``rows``.

        An object of this very content that exists is taken as it is: nothing has to be written. Else the
        ``role`` ("queue/3") finds the name; where another content has it already, or there is none, the
        default is numbered on.
        """
        key = (table, json.dumps(content, sort_keys=True))
        if key not in self._names:
            rows = self.rows.setdefault(table, {})
            by_role = self._adopted.get(f"{table}/{role}" if role else table, default)
            wanted = self._adopted.get(content_key(table, content), by_role)
            name = wanted if wanted not in rows else self._free(rows, default)
            rows[name] = content
            self._names[key] = name
        return self._names[key]

    @staticmethod
    def _free(rows: Mapping[str, Any], default: str) -> str:
        number = 1
        name = default
        while name in rows:
            number += 1
            name = f"{default}_{number}"
        return name
