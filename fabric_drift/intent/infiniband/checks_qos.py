"""QoS that OpenSM would drop or override without a word: rules on what isn't defined, levels whose lane drops."""

from __future__ import annotations

from collections.abc import Iterator

from fabric_drift.intent.faults import Faults
from fabric_drift.intent.infiniband.document import Qos, QosMatch
from fabric_drift.intent.infiniband.fabric import IbFabric
from fabric_drift.intent.infiniband.job import service_level

CODE = "FD-INT-063"
SERVICE_LEVELS = 16
DROPS = 15
FEWEST_FULL_MEMBERS = 2
DEFAULT_LEVEL = "DEFAULT"


def qos(fabric: IbFabric, faults: Faults) -> None:
    """All faults of QoS."""
    wanted = fabric.document.qos
    if wanted is None:
        _without(fabric, faults)
        return
    for kind in ("hca", "switch"):
        lanes = getattr(wanted, kind).sl2vl
        if len(lanes) != SERVICE_LEVELS:
            faults.add(CODE, ("qos", kind, "sl2vl"), f"{len(lanes)} lanes for 16 service levels")
            continue
        for level in sorted(_used(fabric, wanted)):
            if lanes[level] == DROPS or lanes[level] >= wanted.max_vls:
                problem = f"service level {level} is used, and {kind} ports put it on VL {lanes[level]}: dropped"
                faults.add(CODE, ("qos", kind, "sl2vl"), problem)
    _ulps(fabric, wanted, faults)
    _levels(fabric, wanted, faults)
    for index, rule in enumerate(wanted.matches):
        _match(fabric, wanted, index, rule, faults)


def _without(fabric: IbFabric, faults: Faults) -> None:
    for name, part in fabric.document.partitions.items():
        if part.ipoib and part.ipoib.service_level:
            problem = f"service level {part.ipoib.service_level} without qos: OpenSM overrides it to 0"
            faults.add(CODE, ("partitions", name, "ipoib", "service_level"), problem)
        if part.job and part.job.service_level:
            problem = f"service level {part.job.service_level} without qos: all of them share one lane"
            faults.add(CODE, ("partitions", name, "job", "service_level"), problem)


def _used(fabric: IbFabric, wanted: Qos) -> Iterator[int]:
    """Every service level that something of the intent gives to traffic."""
    groups = [part.ipoib for part in fabric.document.partitions.values()] + [fabric.document.default_partition.ipoib]
    found = {group.service_level for group in groups if group} | {rule.service_level for rule in wanted.ulps}
    found |= {level.service_level for level in wanted.levels.values()}
    found |= {service_level(fabric.document, host.partition) for host in fabric.hosts.values()}
    if wanted.ulps or wanted.levels:
        found.add(wanted.default_service_level)
    return iter(found)


def _ulps(fabric: IbFabric, wanted: Qos, faults: Faults) -> None:
    for index, rule in enumerate(wanted.ulps):
        path = ("qos", "ulps", index)
        if rule.partition is not None and rule.partition not in fabric.partitions:
            problem = f"no partition is called {rule.partition}: OpenSM would drop the rule (ERR AC14)"
            faults.add(CODE, (*path, "partition"), problem)
        elif rule.ulp == "ipoib":
            members = (
                fabric.partitions[rule.partition].members.values()
                if rule.partition
                else ["full"] * len(fabric.default_full)
            )
            if sum(1 for membership in members if membership != "limited") < FEWEST_FULL_MEMBERS:
                problem = "an ipoib rule needs two full members: OpenSM would drop the whole QoS policy (ERR AC05)"
                faults.add(CODE, path, problem)


def _levels(fabric: IbFabric, wanted: Qos, faults: Faults) -> None:
    for name, level in wanted.levels.items():
        path = ("qos", "levels", name)
        if name.upper() == DEFAULT_LEVEL:
            faults.add(CODE, path, f"{name} is the level of everything else", "Say qos.default_service_level")
        if level.partition is not None and level.partition not in fabric.partitions:
            faults.add(CODE, (*path, "partition"), f"no partition is called {level.partition}")


def _match(fabric: IbFabric, wanted: Qos, index: int, rule: QosMatch, faults: Faults) -> None:
    path = ("qos", "matches", index)
    level = wanted.levels.get(rule.level)
    if level is None:
        problem = f"no level is called {rule.level}: OpenSM would drop the whole QoS policy"
        faults.add(CODE, (*path, "level"), problem, "Define it under qos.levels")
    if rule.partition is not None and rule.partition not in fabric.partitions:
        problem = f"no partition is called {rule.partition}: OpenSM would drop the rule (ERR AC14)"
        faults.add(CODE, (*path, "partition"), problem)
    elif level is not None and rule.partition and level.partition in fabric.partitions.keys() - {rule.partition}:
        problem = f"the level {rule.level} is for {level.partition}, and the rule for {rule.partition}"
        faults.add(CODE, (*path, "partition"), problem)
    for side in ("source", "destination"):
        group = getattr(rule, side)
        if group is not None and group not in wanted.groups:
            faults.add(CODE, (*path, side), f"no group is called {group}", "Define it under qos.groups")
    says = (rule.partition, rule.source, rule.destination, rule.qos_class, rule.service_id)
    if not any(says) and index < len(wanted.matches) - 1:
        faults.add(CODE, path, "a rule without a condition matches everything: those after it never do")
