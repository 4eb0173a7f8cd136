"""The JSON of ``ib_status.py`` -> the layers saved, running and nos of one SM node."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fabric_drift.finding import Layer
from fabric_drift.platforms.opensm import options, partitions, qos_policy
from fabric_drift.platforms.opensm.localise import GUID_FILES
from fabric_drift.platforms.opensm.partitions import Fault, PartitionFile
from fabric_drift.platforms.opensm.qos_policy import PolicyFile
from fabric_drift.state.device import Identity
from fabric_drift.state.infiniband import Infiniband, Manager
from fabric_drift.state.values import UNSAID, Path, Unobserved

SCHEMA = 1
OLD_READER = "the programs on the node are older than this check: install them anew"
NO_CONSOLE = "the console of OpenSM did not answer on loopback"
COMPLAINTS: Mapping[str, tuple[str, ...]] = {
    "partitions": ("PARSE ERROR", "Partition configuration in error", "retrying with default config"),
    "routing engine": ("cannot find or setup routing engine", "Failed to setup routing engine"),
    "routing": ("cannot build lid matrices", "No routing engine able to successfully configure", "ERR AA02"),
    "qos policy": ("ERR AC03", "ERR AC04", "ERR AC05", "ERR AC11", "ERR AC12", "ERR AC14"),
}
"""Words in lines of level 0x01 after which OpenSM goes on with something else than was asked for (3.3.23)."""
NOT_AN_ENGINE = "no_fallback"  # OpenSM complains of this word although it has just obeyed it

_STATUS = re.compile(r"^ {1,8}(SM State|SM Priority|Routing Engine|OpenSM Version) {0,20}: (.{0,80}?) *$", re.MULTILINE)


@dataclass(slots=True)
class StatusReading:
    """What the node says, layer by layer; faults as (layer, file, path, fault)."""

    identity: Identity
    saved: Infiniband
    running: Infiniband
    nos: Infiniband
    faults: list[tuple[Layer, str, Path, Fault]] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    owned_by_ufm: bool = False
    files: Mapping[str, str | None] = field(default_factory=dict)


def parse(text: str) -> StatusReading:
    """The document. Raises ValueError for what ``ib_status.py`` can't have written."""
    try:
        document = json.loads(text)
        if document["schema"] != SCHEMA:
            raise ValueError(f"schema {document['schema']!r} is not {SCHEMA}")
        return _reading(document)
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"not a document of ib_status: {type(error).__name__}: {error}") from error


def _reading(document: dict[str, Any]) -> StatusReading:
    faults: list[tuple[Layer, str, Path, Fault]] = []
    saved = _saved(document["files"], document["unread"], faults)
    console = document["console"]
    dumped = (console or {}).get("dump_conf")
    running: Any = Unobserved(NO_CONSOLE)
    if dumped:
        found = options.parse(dumped)
        running = found.options
        faults += [(Layer.RUNNING, "dump_conf", ("infiniband", "options"), fault) for fault in found.faults]
    status = dict(_STATUS.findall((console or {}).get("status", "")))
    return StatusReading(
        identity=Identity(
            hostname=document["hostname"], release=document["version"] or Unobserved("opensm did not say its version")
        ),
        saved=saved,
        running=Infiniband(options=running),
        nos=Infiniband(manager=_manager(status, document["log"])),
        faults=faults,
        notes=("UFM owns the files of this node",) if document["owned_by_ufm"] else (),
        owned_by_ufm=bool(document["owned_by_ufm"]),
        files=document["files"],
    )


def _saved(
    files: Mapping[str, str | None], unread: Mapping[str, str], faults: list[tuple[Layer, str, Path, Fault]]
) -> Infiniband:
    def take(name: str, path: str, found: list[Fault]) -> None:
        faults.extend((Layer.SAVED, name, ("infiniband", path), fault) for fault in found)

    option_file = options.parse(files["options"] or "")
    take("opensm.conf", "options", option_file.faults)
    partition_file = partitions.parse(files["partitions"])
    take("partitions.conf", "partitions", partition_file.faults)
    policy = qos_policy.parse(files["qos_policy"] or "")
    take("qos-policy.conf", "qos_policy", [*policy.faults, *_undefined(policy, partition_file)])
    guid_files: dict[str, tuple[str, ...]] = {}
    for name in GUID_FILES:
        if name not in files:
            unread = {**unread, name: OLD_READER}
        guids, found = guid_file(files.get(name) or "")
        take(f"{name} GUIDs", "guid_files", found)
        if guids:  # an empty file says nothing
            guid_files[name] = guids
    blind = {name: Unobserved(f"the file can't be read: {why}") for name, why in sorted(unread.items())}
    return Infiniband(
        options=blind.get("options", option_file.options),
        partitions=blind.get("partitions", partition_file.partitions),
        qos_policy=blind.get("qos_policy", tuple(policy.lines)),
        guid_files=next((blind[name] for name in GUID_FILES if name in blind), guid_files),
    )


def guid_file(text: str) -> tuple[tuple[str, ...], list[Fault]]:
    """Sorted GUIDs, one a line, and every line that is none."""
    guids: list[str] = []
    faults: list[Fault] = []
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.split("#", 1)[0].strip()
        guid = partitions.guid_text(line) if line else None
        if guid:
            guids.append(guid)
        elif line:
            faults.append(Fault(number, line[:80], "not a GUID"))
    return tuple(sorted(set(guids))), faults


def _undefined(policy: PolicyFile, found: PartitionFile) -> list[Fault]:
    """Rules on P_Keys that no partition has: OpenSM logs ERR AC14."""
    return [
        Fault(number, key, f"no partition has {key}: OpenSM drops the rule (ERR AC14)")
        for number, key in policy.pkeys
        if f"0x{int(key, 16) & 0x7FFF:04x}" not in found.partitions
    ]


def _manager(status: Mapping[str, str], log: list[str] | None) -> Manager:
    if "SM State" not in status:
        return Manager(Unobserved(NO_CONSOLE), Unobserved(NO_CONSOLE), UNSAID, _complaints(log))
    state = status["SM State"].lower()
    priority = status.get("SM Priority", "")
    return Manager(
        state=state,
        priority=int(priority) if re.fullmatch("[0-9]{1,2}", priority) else Unobserved("no priority in the status"),
        routing_engine=status.get("Routing Engine", UNSAID) if state == "master" else UNSAID,
        complaints=_complaints(log),
    )


def _complaints(log: list[str] | None) -> Any:
    if log is None:
        return Unobserved("the log can't be read")
    found: dict[str, str] = {}
    for line in log:
        if " 0x01 -> " not in line or f"'{NOT_AN_ENGINE}'" in line:
            continue
        for kind, words in COMPLAINTS.items():
            if any(word in line for word in words):
                found.setdefault(kind, line.split(" 0x01 -> ", 1)[1][:200])
    return found
