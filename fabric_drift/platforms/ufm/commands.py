"""The resources that are read, all of them documented for UFM Enterprise 6.12 to 6.24, or read by NVIDIA's own clients.

Without a query the list of partitions is another thing than with one, and with both queries it loses one of them, so
three lists are read. Each partition is read once more by itself: a list may be cut at a number of ports.
"""

from __future__ import annotations

from collections.abc import Mapping

from fabric_drift.finding import Layer
from fabric_drift.platform import Command, Output
from fabric_drift.platforms.ufm import answers, pkeys

_PKEYS = "GET /ufmRest/resources/pkeys"
VERSION = Command("GET /ufmRest/app/ufm_version", layer=Layer.NOS)
SMCONF = Command("GET /ufmRest/app/smconf", layer=Layer.NOS)
KEYS = Command(_PKEYS, layer=Layer.NOS)
MEMBERS = Command(f"{_PKEYS}?guids_data=true", layer=Layer.NOS)
QOS = Command(f"{_PKEYS}?qos_conf=true", layer=Layer.NOS)
ONE = Command(
    f"{_PKEYS}/0x7fff?guids_data=true", layer=Layer.NOS, pattern=rf"{_PKEYS}/0x[0-9a-fA-F]{{1,4}}\?guids_data=true"
)
FIRST = (VERSION, SMCONF, KEYS, MEMBERS, QOS)
FAMILIES = (*FIRST, ONE)


def one(key: str) -> Command:
    """The command for one partition, by its P_Key as UFM wrote it."""
    return Command(f"{_PKEYS}/{key}?guids_data=true", layer=Layer.NOS, pattern=ONE.pattern)


def commands(outputs: Mapping[str, Output]) -> tuple[Command, ...]:
    """The lists first, then every partition of the list of P_Keys."""
    if not outputs:
        return FIRST
    try:
        listed = pkeys.written(answers.document(outputs.get(KEYS.text)))
    except ValueError:
        return ()
    return tuple(one(text) for _, text in sorted(listed.items()))
