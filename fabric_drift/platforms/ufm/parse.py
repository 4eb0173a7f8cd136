"""Answers of a UFM -> a Reading. What it says is its belief: nothing here was read from a port."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fabric_drift.finding import Layer
from fabric_drift.platform import Output, Reading
from fabric_drift.platforms.ufm import answers, pkeys, smconf
from fabric_drift.platforms.ufm.answers import Answers
from fabric_drift.platforms.ufm.commands import KEYS, MEMBERS, QOS, SMCONF, VERSION, one
from fabric_drift.platforms.ufm.witness import Witness
from fabric_drift.state.device import DeviceState, Identity
from fabric_drift.state.infiniband import Infiniband, Manager
from fabric_drift.state.values import Unobserved

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
    said = Answers(outputs)
    name, is_verified = answers.peer(outputs.get(VERSION.text))
    identity = Identity(
        hostname=name or Unobserved("no answer came"),
        release=_seen(lambda: _release(said.document(VERSION.text))),
    )
    partitions = _seen(lambda: _partitions(said))
    options = _seen(lambda: smconf.options(said.document(SMCONF.text)))
    believed = Infiniband(
        manager=Manager(
            state=Unobserved(NO_ROLE),
            routing_engine=_seen(lambda: smconf.engine(said.document(SMCONF.text))),
        ),
        options=options,
        partitions=partitions,
        subnet=Unobserved(NO_HARDWARE),
    )
    names = {} if isinstance(partitions, Unobserved) else {key: item.name for key, item in partitions.items()}
    return Reading(
        states={Layer.NOS: DeviceState(identity=identity, infiniband=believed)},
        notes=(EXPERIMENTAL, HARDWARE_UNREAD, *(() if is_verified else (UNPROVEN,)), *smconf.open_doors(options)),
        evidence=Witness(said).lines,
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


def _partitions(said: Answers) -> dict[str, Any]:
    """All partitions. Raises ValueError with the first reason why the view isn't whole."""
    written = pkeys.written(said.document(KEYS.text))
    listed = pkeys.listed(said.document(MEMBERS.text))
    qos = _seen(lambda: _rows(said.document(QOS.text)))
    lists: dict[str, Iterable[str]] = {KEYS.text: written, MEMBERS.text: listed}
    pkeys.agree(lists if isinstance(qos, Unobserved) else {**lists, QOS.text: qos})
    for key, text in sorted(written.items()):
        alone = pkeys.one(key, said.document(one(text).text))
        pkeys.agrees(key, listed[key], alone)
    return {
        key: pkeys.partition(key, found, qos if isinstance(qos, Unobserved) else qos[key])
        for key, found in sorted(listed.items())
    }


def _rows(value: Any) -> dict[str, Any]:
    rows = answers.fields(value, "the list of QoS")
    return {key: rows[text] for key, text in pkeys.written(rows).items()}
