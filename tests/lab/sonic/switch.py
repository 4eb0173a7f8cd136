"""An emulated switch in the hand: no SSH, just the core."""

from __future__ import annotations

import copy
import json
from typing import Any

from fabric_drift.lab import fabrics
from fabric_drift.lab.emulator import Answer
from fabric_drift.lab.sonic import EMULATOR

POD = {device.name: device for device in fabrics.pod1()}
Flat = dict[str, str]


class Switch:
    def __init__(self, name: str = "leaf1") -> None:
        self.store = EMULATOR.start(POD[name])

    def answer(self, command: str) -> Answer:
        return EMULATOR.run(self.store, command)

    def run(self, *commands: str) -> str:
        """Standard output of the last command; all have to succeed."""
        output = ""
        for command in commands:
            answer = self.answer(command)
            assert answer.exit_status == 0, (command, answer)
            output = answer.stdout
        return output

    def refused(self, command: str) -> str:
        """What the switch says to a command that it refuses, and that changed nothing."""
        before = copy.deepcopy(self.store)
        answer = self.answer(command)
        assert answer.exit_status != 0, answer
        assert self.store == before
        return answer.stderr

    def config(self) -> dict[str, dict[str, dict[str, str]]]:
        config: dict[str, dict[str, dict[str, str]]] = json.loads(self.run("sonic-cfggen -d --print-data"))
        return config

    def saved(self) -> dict[str, Any]:
        saved: dict[str, Any] = json.loads(self.run("sudo -n cat /etc/sonic/config_db.json"))
        return saved

    def dump(self, database: str, pattern: str = r"\*") -> dict[str, dict[str, str]]:
        plain = json.loads(self.run(f"sudo -n sonic-db-dump -n {database} -k {pattern} -y"))
        return {key: row["value"] for key, row in plain.items()}

    def port(self, port: str = "Ethernet0") -> dict[str, str]:
        """Attributes of the ASIC's port object, found as a collector finds it."""
        oid = self.dump("COUNTERS_DB")["COUNTERS_PORT_NAME_MAP"][port]
        return self.dump("ASIC_DB")[f"ASIC_STATE:SAI_OBJECT_TYPE_PORT:{oid}"]

    def group_profile(self, group: str) -> dict[str, str]:
        """Attributes of the buffer profile of a priority group, e.g. ``Ethernet0:3``; {} for none."""
        asic = self.dump("ASIC_DB")
        oid = self.dump("COUNTERS_DB")["COUNTERS_PG_NAME_MAP"][group]
        attributes = asic[f"ASIC_STATE:SAI_OBJECT_TYPE_INGRESS_PRIORITY_GROUP:{oid}"]
        profile = attributes["SAI_INGRESS_PRIORITY_GROUP_ATTR_BUFFER_PROFILE"]
        return asic.get(f"ASIC_STATE:SAI_OBJECT_TYPE_BUFFER_PROFILE:{profile}", {})

    def queue_wred(self, queue: str) -> dict[str, str]:
        """Attributes of the WRED object of a queue, e.g. ``Ethernet0:3``; {} for none."""
        asic = self.dump("ASIC_DB")
        oid = self.dump("COUNTERS_DB")["COUNTERS_QUEUE_NAME_MAP"][queue]
        wred = asic[f"ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:{oid}"]["SAI_QUEUE_ATTR_WRED_PROFILE_ID"]
        return asic.get(f"ASIC_STATE:SAI_OBJECT_TYPE_WRED:{wred}", {})

    def qos_map(self, kind: str, port: str = "Ethernet0") -> dict[int, int]:
        """A map of a port as the ASIC has it: SAI name of the kind, e.g. ``DSCP_TO_TC``; {} for none."""
        names = {"DSCP_TO_TC": ("dscp", "tc"), "TC_TO_QUEUE": ("tc", "qidx")}[kind]
        oid = self.port(port)[f"SAI_PORT_ATTR_QOS_{kind}_MAP"]
        if oid == "oid:0x0":
            return {}
        attributes = self.dump("ASIC_DB")[f"ASIC_STATE:SAI_OBJECT_TYPE_QOS_MAP:{oid}"]
        assert attributes["SAI_QOS_MAP_ATTR_TYPE"] == f"SAI_QOS_MAP_TYPE_{kind}"
        listed = json.loads(attributes["SAI_QOS_MAP_ATTR_MAP_TO_VALUE_LIST"])
        assert listed["count"] == len(listed["list"])
        return {item["key"][names[0]]: item["value"][names[1]] for item in listed["list"]}


def flat(config: dict[str, dict[str, dict[str, str]]]) -> Flat:
    """``TABLE|KEY|field`` -> value; a row without fields counts as ``TABLE|KEY|``."""
    return {
        f"{table}|{key}|{field}": value
        for table, rows in config.items()
        for key, fields in rows.items()
        for field, value in (fields or {"": ""}).items()
    }


def changed(before: Flat, after: Flat) -> set[str]:
    """The fields that differ, came or went."""
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
