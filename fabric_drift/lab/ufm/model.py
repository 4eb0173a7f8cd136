"""What a UFM remembers, and how its resources change it: REST API guide 6.19, "PKey GUIDs" and "SM Configuration".

Its traps, as NVIDIA's own client and mock describe them: POST makes every new member full whatever ``memberships``
says; PUT sets a whole partition and makes it where it isn't; a partition goes with its last member; what isn't there
is an empty object with status 200; a list with both queries has no members.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MANAGEMENT = 0x7FFF
LARGEST = 0x7FFE
MEMBERSHIPS = ("full", "limited")
RATES = (2.5, 5, 10, 14, 20, 25, 28, 30, 40, 50, 56, 60, 80, 100, 112, 120, 168, 200, 300)
MTUS = (2, 4)
SMCONF: dict[str, Any] = {
    "subnet_prefix": "0xfe80000000000000",
    "m_key": "0x0",
    "sm_key": "0x1",
    "sa_key": "0x1",
    "m_key_per_port": False,
    "m_key_lease_period": 60,
    "vl_stall_count": "0x7",
    "leaf_vl_stall_count": "0x7",
    "sm_priority": 15,
    "sminfo_polling_timeout": 5000,
    "polling_retry_number": 4,
    "honor_guid2lid_file": False,
    "max_wire_smps": 8,
    "max_op_vls": 5,
    "transaction_timeout": 200,
    "sa_db_file": "(null)",
    "exit_on_fatal": True,
    "routing_engine_active": "minhop",
}
GUID = re.compile(r"(0x)?[0-9a-f]{16}")
QOS = {"mtu_limit": 2, "rate_limit": 2.5, "service_level": 0}


class BadRequestError(Exception):
    """What UFM answers with status 400."""


class MissingError(Exception):
    """What UFM answers with status 404."""


def _management() -> dict[str, Any]:
    return {"name": "management", "ip_over_ib": True, "guids": {}, "qos": dict(QOS)}


@dataclass
class Model:
    """The state of one UFM; ``file``: where it is kept between runs."""

    file: Path | None = None
    release: str = "6.19.3"
    default_membership: str = "limited"
    partitions: dict[int, dict[str, Any]] = field(default_factory=lambda: {MANAGEMENT: _management()})
    smconf: dict[str, Any] = field(default_factory=lambda: dict(SMCONF))

    def load(self) -> None:
        """What an earlier run left behind."""
        if self.file is not None and self.file.exists():
            kept = json.loads(self.file.read_text())
            self.release, self.default_membership = kept["release"], kept["default_membership"]
            self.smconf = kept["smconf"]
            self.partitions = {int(key): row for key, row in kept["partitions"].items()}

    def save(self) -> None:
        """Kept whole or not at all."""
        if self.file is None:
            return
        fresh = self.file.with_suffix(".new")
        kept = {"release": self.release, "default_membership": self.default_membership, "smconf": self.smconf,
                "partitions": {str(key): row for key, row in self.partitions.items()}}  # fmt: skip
        fresh.write_text(json.dumps(kept, indent=1))
        os.replace(fresh, self.file)  # noqa: PTH105

    def listed(self, query: Mapping[str, str]) -> Any:
        """All partitions. Without a query it is a list of P_Keys."""
        wants_qos, wants_members = query.get("qos_conf") == "true", query.get("guids_data") == "true"
        if not wants_qos and not wants_members:
            return [f"{key:#x}" for key in sorted(self.partitions)]
        cut = int(query["max_ports"]) if query.get("max_ports", "").isdigit() else None
        rows = {}
        for key in sorted(self.partitions):
            rows[f"{key:#x}"] = self._row(key, members=wants_members and not wants_qos, qos=wants_qos, cut=cut)
        return rows

    def one(self, text: str, query: Mapping[str, str]) -> dict[str, Any]:
        """One partition, or {}."""
        key = _key(text)
        if key not in self.partitions:
            return {}
        members, qos = query.get("guids_data") == "true", query.get("qos_conf") == "true"
        return self._row(key, members=members, qos=qos, cut=None)

    def _row(self, key: int, *, members: bool, qos: bool, cut: int | None) -> dict[str, Any]:
        kept = self.partitions[key]
        row: dict[str, Any] = {"partition": kept["name"], "ip_over_ib": kept["ip_over_ib"]}
        if qos:
            row["qos_conf"] = dict(kept["qos"])
        if members:
            rows = [{"guid": guid, **entry} for guid, entry in sorted(kept["guids"].items())]
            row["guids"] = rows[:cut]
            if key == MANAGEMENT:
                row["index0"] = False
                row |= {"membership": self.default_membership} if _minor(self.release) >= 19 else {}  # noqa: PLR2004
        return row

    def create(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """POST /pkeys/add: a partition without members."""
        key = _writable(body)
        if key in self.partitions:
            raise BadRequestError(f"{key:#x} exists")
        self.partitions[key] = self._new(key, body)
        self._qos(key, body)
        return {}

    def add(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """POST /pkeys/: more members, all with one membership. ``memberships`` is read by nobody."""
        key = _writable(body)
        membership = body.get("membership", "full")
        entries = _entries(body, [membership] * len(body.get("guids", ())))
        self.partitions.setdefault(key, self._new(key, body))["guids"] |= entries
        return {}

    def put(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """PUT /pkeys/: exactly these members."""
        key = _writable(body)
        guids = body.get("guids", ())
        entries = _entries(body, body.get("memberships") or [body.get("membership", "full")] * len(guids))
        kept = self.partitions.get(key, self._new(key, body))
        self.partitions[key] = {**kept, "ip_over_ib": bool(body.get("ip_over_ib", True)), "guids": entries}
        return {}

    def set_qos(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """PUT /pkeys/qos_conf."""
        key = _writable(body)
        if key not in self.partitions:
            raise MissingError(f"{key:#x}")
        self._qos(key, body)
        return {}

    def remove(self, text: str, guids: str) -> dict[str, Any]:
        """DELETE /pkeys/<pkey>/guids/<guids>: the partition goes with its last member."""
        key = self._there(text)
        kept = self.partitions[key]["guids"]
        for guid in guids.split(","):
            kept.pop(_guid(guid), None)
        if not kept:
            del self.partitions[key]
        return {}

    def delete(self, text: str) -> dict[str, Any]:
        """DELETE /pkeys/<pkey>."""
        del self.partitions[self._there(text)]
        return {}

    def _there(self, text: str) -> int:
        key = _writable({"pkey": text})
        if key not in self.partitions:
            raise MissingError(text)
        return key

    def _new(self, key: int, body: Mapping[str, Any]) -> dict[str, Any]:
        named = body.get("partition_name") if _minor(self.release) >= 22 else None  # noqa: PLR2004
        name = named or f"api_pkey_{key:#x}"
        return {"name": name, "ip_over_ib": bool(body.get("ip_over_ib", True)), "guids": {}, "qos": dict(QOS)}

    def _qos(self, key: int, body: Mapping[str, Any]) -> None:
        asked = {name: body.get(name, self.partitions[key]["qos"][name]) for name in QOS}
        level = asked["service_level"]
        if asked["mtu_limit"] not in MTUS or asked["rate_limit"] not in RATES or level not in range(16):
            raise BadRequestError(f"QoS {asked}")
        self.partitions[key]["qos"] = asked


def _minor(release: str) -> int:
    return int(release.split(".")[1])


def _key(text: Any) -> int:
    if not isinstance(text, str) or not re.fullmatch(r"0x[0-9a-fA-F]{1,4}", text):
        raise BadRequestError(f"pkey {text!r}")
    return int(text, 16)


def _writable(body: Mapping[str, Any]) -> int:
    key = _key(body.get("pkey"))
    if not 1 <= key <= LARGEST:
        raise BadRequestError(f"pkey {key:#x} is not between 0x0 and 0x7fff exclusive")
    return key


def _guid(text: Any) -> str:
    if not isinstance(text, str) or not GUID.fullmatch(text.lower()):
        raise BadRequestError(f"guid {text!r}")
    return text.lower().removeprefix("0x")


def _entries(body: Mapping[str, Any], memberships: list[str]) -> dict[str, Any]:
    guids = [_guid(text) for text in body.get("guids", ())]
    if not guids:
        raise BadRequestError("guids are mandatory")
    if len(memberships) != len(guids) or not set(memberships) <= set(MEMBERSHIPS):
        raise BadRequestError(f"memberships {memberships}")
    first = bool(body.get("index0", False))
    return {guid: {"membership": kind, "index0": first} for guid, kind in zip(guids, memberships, strict=True)}
