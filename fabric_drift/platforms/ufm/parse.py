"""Answers of a UFM -> a Reading. What it says is its belief: nothing here was read from a port."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from fabric_drift.finding import Evidence, Layer
from fabric_drift.platform import Output, Reading
from fabric_drift.platforms.ufm import answers, pkeys, smconf
from fabric_drift.platforms.ufm.commands import KEYS, MEMBERS, QOS, SMCONF, VERSION, one
from fabric_drift.state.device import DeviceState, Identity
from fabric_drift.state.infiniband import Infiniband, Manager
from fabric_drift.state.values import Path, Unobserved

NO_HARDWARE = (
    "UFM's REST says what UFM believes, not what ports hold: read the ports elsewhere, "
    "or say `hardware: off` of this manager"
)
NO_ROLE = "UFM's REST doesn't say who is master"
UNPROVEN = "nothing proves that this is the UFM that was asked for: its certificate was not verified"
EXPERIMENTAL = "experimental: written from NVIDIA's documentation, never run against a real UFM"
HARDWARE_UNREAD = "P_Key tables, links, lanes and forwarding tables were not read: UFM's REST doesn't carry them"


def parse(outputs: Mapping[str, Output]) -> Reading:
    """What UFM said. Never raises."""
    name, is_verified = answers.peer(outputs.get(VERSION.text))
    identity = Identity(
        hostname=name or Unobserved("no answer came"),
        release=_seen(lambda: _release(answers.document(outputs.get(VERSION.text)))),
    )
    partitions = _seen(lambda: _partitions(outputs))
    believed = Infiniband(
        manager=Manager(
            state=Unobserved(NO_ROLE),
            routing_engine=_seen(lambda: smconf.engine(answers.document(outputs.get(SMCONF.text)))),
        ),
        options=_seen(lambda: smconf.options(answers.document(outputs.get(SMCONF.text)))),
        partitions=partitions,
        subnet=Unobserved(NO_HARDWARE),
    )
    names = {} if isinstance(partitions, Unobserved) else {key: item.name for key, item in partitions.items()}
    return Reading(
        states={Layer.NOS: DeviceState(identity=identity, infiniband=believed)},
        notes=(EXPERIMENTAL, HARDWARE_UNREAD, *(() if is_verified else (UNPROVEN,))),
        evidence=partial(_evidence, outputs),
        names={key: item for key, item in names.items() if isinstance(item, str)},
    )


def _seen(read: Callable[[], Any]) -> Any:
    """What ``read`` finds, or why it couldn't."""
    try:
        return read()
    except ValueError as error:
        return Unobserved(str(error)[:300])


def _release(value: Any) -> Any:
    found = answers.fields(value, "the version").get("ufm_release_version")
    return found if isinstance(found, str) and found else Unobserved("UFM does not say ufm_release_version")


def _partitions(outputs: Mapping[str, Output]) -> dict[str, Any]:
    """All partitions. Raises ValueError with the first reason why the view isn't whole."""
    written = pkeys.written(answers.document(outputs.get(KEYS.text)))
    listed = pkeys.listed(answers.document(outputs.get(MEMBERS.text)))
    qos = _seen(lambda: _rows(answers.document(outputs.get(QOS.text))))
    lists: dict[str, Iterable[str]] = {KEYS.text: written, MEMBERS.text: listed}
    pkeys.agree(lists if isinstance(qos, Unobserved) else {**lists, QOS.text: qos})
    for key, text in sorted(written.items()):
        alone = pkeys.one(key, answers.document(outputs.get(one(text).text)))
        pkeys.agrees(key, listed[key], alone)
    return {
        key: pkeys.partition(key, found, qos if isinstance(qos, Unobserved) else qos[key])
        for key, found in sorted(listed.items())
    }


def _rows(value: Any) -> dict[str, Any]:
    rows = answers.fields(value, "the list of QoS")
    return {key: rows[text] for key, text in pkeys.written(rows).items()}


def _evidence(outputs: Mapping[str, Output], _layer: Layer, path: Path) -> tuple[Evidence, ...]:
    if path[:1] != ("infiniband",) or len(path) < 3:  # noqa: PLR2004
        return ()
    if path[1] in ("options", "manager"):
        name = smconf.ENGINE if path[1] == "manager" else path[2]
        return _shown(SMCONF.text, _record(outputs.get(SMCONF.text)), name)
    if path[1] != "partitions":
        return ()
    is_qos = path[3:4] in (("mtu_bytes",), ("rate_code",), ("service_level",))
    command = QOS.text if is_qos else MEMBERS.text
    rows = _record(outputs.get(command))
    row = next((item for text, item in rows.items() if _same_pkey(text, path[2])), None)
    if row is None:
        return (Evidence(command, (f"{path[2]}: not in the answer",)),)
    if path[3:4] == ("members",) and len(path) > 4:  # noqa: PLR2004
        return (Evidence(command, (_member(path[2], row, path[4]),)),)
    return (Evidence(command, (f"{path[2]}: {_compact(row)}",)),)


def _record(output: Output | None) -> dict[str, Any]:
    found = _seen(lambda: answers.document(output))
    return found if isinstance(found, dict) else {}


def _shown(command: str, rows: Mapping[str, Any], name: str) -> tuple[Evidence, ...]:
    line = f'"{name}": {_compact(rows[name])}' if name in rows else f"{name}: not in the answer"
    return (Evidence(command, (line,)),)


def _same_pkey(text: str, key: str) -> bool:
    return pkeys.key_text(text) == key


def _member(key: str, row: Any, guid: str) -> str:
    if guid == "ALL":
        return f'{key}: "membership": {_compact(row.get("membership"))}'
    digits = guid.removeprefix("0x").lstrip("0")
    for entry in row.get("guids", ()):
        if str(entry.get("guid", "")).removeprefix("0x").lower().lstrip("0") == digits:
            return f"{key}: {_compact(entry)}"
    return f"{key}: {guid} is not among {len(row.get('guids', ()))} members"


def _compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True)[:300]
