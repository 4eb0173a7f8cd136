"""Names for the objects that a rendered configuration needs: adopted ones first.

Renaming a map that ports refer to is dangerous (GCU empties the old one while it is in use), so the name that
a role has on the device stays with the role, whatever becomes of the content.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabric_drift.platforms.sonic.adopt import content_key


class Allocation:
    """Content -> name, as few names per table as the adopted ones allow."""

    def __init__(self, adopted: Mapping[str, str]) -> None:
        self._adopted = adopted
        self._names: dict[str, str] = {}
        self.rows: dict[str, dict[str, dict[str, str]]] = {}

    def name(self, table: str, role: str, content: dict[str, str], default: str) -> str:
        """The name of ``content``, with its row in ``rows``.

        An object of this very content that exists is taken as it is, first the one that the ``role``
        ("queue/3") has: nothing has to be written. Else the role's name gets the content; where another
        content has it already, or there is none, the default is numbered on.
        """
        rows = self.rows.setdefault(table, {})
        key = content_key(table, content)
        by_role = self._adopted.get(f"{table}/{role}" if role else table, default)
        known = self._adopted.get(key)
        alike = [name for name in known.split(",") if rows.get(name, content) == content] if known else []
        if by_role in alike:
            name = by_role
        elif alike:
            name = alike[0]
        elif key in self._names:
            name = self._names[key]
        else:
            name = by_role if by_role not in rows else self._free(rows, default)
        rows[name] = content
        self._names.setdefault(key, name)
        return name

    @staticmethod
    def _free(rows: Mapping[str, Any], default: str) -> str:
        number = 1
        name = default
        while name in rows:
            number += 1
            name = f"{default}_{number}"
        return name
