"""Rules over the SM nodes of one subnet: what no single fact says. Pure; each rule is one function.

Input is what a check has anyway: per SM node the expected state and the reading. A rule never repeats a fact's own
finding; it names the cause of several, or what the intent itself leaves open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fabric_drift.finding import Finding, Layer, Severity, Verdict
from fabric_drift.rules.infiniband_beliefs import REPAIR, behind_the_back, crossing_paths
from fabric_drift.rules.infiniband_rule import Rule, SmNodeView, Views, finding
from fabric_drift.state.infiniband import FabricPort, KnownManager, Link, Subnet
from fabric_drift.state.values import is_said

__all__ = ["COUNTING", "RULES", "SmNodeView", "check"]

OPEN_KEYS = ("m_key", "sa_key", "sm_key")
PER_NODE = frozenset({"guid", "sm_priority", "console_port", "log_file", "log_prefix"})
"""Options that are allowed to differ between SM nodes."""
DEFAULT_PKEY = "0x7fff"


def _swapped(views: Views, rule: Rule) -> Iterator[Finding]:
    """Two cables whose far ends were exchanged: a pair, not four strangers."""
    for device, view in views.items():
        wanted, found = _peers(view.planned), _peers(view.subnet)
        for port, peer in sorted(wanted.items()):
            actual = found.get(port)
            if actual is None or actual == peer:
                continue
            other = next((key for key, planned in wanted.items() if planned == actual), None)
            if other is not None and port < other and found.get(other) == peer:
                message = f"the cables of {port} and {other} are exchanged: {port} leads to {actual}, {other} to {peer}"
                yield finding(rule, device, ("infiniband", "subnet", "ports", port, "link"), message, Layer.HARDWARE,
                               expected=peer, actual=actual)  # fmt: skip


def _peers(subnet: Subnet | None) -> dict[str, str]:
    if subnet is None or not is_said(subnet.ports):
        return {}
    ports: Mapping[str, Any] = subnet.ports  # type: ignore[assignment]
    return {
        key: port.link.peer
        for key, port in ports.items()
        if isinstance(port, FabricPort) and isinstance(port.link, Link) and isinstance(port.link.peer, str)
    }


def _open_keys(views: Views, rule: Rule) -> Iterator[Finding]:
    for device, view in views.items():
        running = view.layer(Layer.RUNNING)
        if running and is_said(running.options):
            options: Mapping[str, Any] = running.options  # type: ignore[assignment]
            for key in OPEN_KEYS:
                if options.get(key) == "default":
                    yield finding(rule, device, ("infiniband", "options", key), f"{key} has its open default",
                                   Layer.RUNNING, verdict=Verdict.INFORMATION, actual="default")  # fmt: skip


def _open_default(views: Views, rule: Rule) -> Iterator[Finding]:
    for device, view in views.items():
        saved = view.layer(Layer.SAVED)
        if not saved or not is_said(saved.partitions):
            continue
        partitions: Mapping[str, Any] = saved.partitions  # type: ignore[assignment]
        members = partitions[DEFAULT_PKEY].members if DEFAULT_PKEY in partitions else {}
        groups = [group for group in ("ALL", "ALL_CAS") if members.get(group) in ("full", "both")]
        if groups:
            yield finding(rule, device, ("infiniband", "partitions", DEFAULT_PKEY), f"{groups[0]} is a full member of "
                           "the default partition: every tenant reaches every other", Layer.SAVED)  # fmt: skip


def _one_master(views: Views, rule: Rule) -> Iterator[Finding]:
    """Exactly one, and the intended one."""
    for device, view in views.items():
        found, wanted = _managers(view.subnet), _managers(view.planned)
        if found is None:
            continue
        masters = sorted(guid for guid, state in found.items() if state == "master")
        intended = next((guid for guid, state in (wanted or {}).items() if state == "master"), "")
        if len(masters) != 1:
            message = f"{len(masters)} masters in one subnet: {', '.join(masters) or 'none'}"
        elif intended and masters != [intended]:
            known = "a standby of the intent" if masters[0] in (wanted or {}) else "which the intent doesn't know"
            message = f"the master is {masters[0]}, {known}; {intended} is {found.get(intended, 'not there')}"
        else:
            continue
        yield finding(rule, device, ("infiniband", "subnet", "managers"), message, Layer.HARDWARE)


def _managers(subnet: Subnet | None) -> dict[str, Any] | None:
    """Port GUID -> state of every manager; None where that isn't known."""
    if subnet is None or not isinstance(subnet.managers, Mapping):
        return None
    return {guid: item.state if isinstance(item, KnownManager) else "silent" for guid, item in subnet.managers.items()}


def _same_files(views: Views, rule: Rule) -> Iterator[Finding]:
    """A standby with other files re-tenants the fabric when it takes over."""
    files = {device: _comparable(view) for device, view in sorted(views.items())}
    known = {device: found for device, found in files.items() if found is not None}
    if len(known) < 2:  # noqa: PLR2004 - nothing to compare with
        return
    first, *others = known
    for device in others:
        for name, value in known[first].items():
            if known[device][name] != value:
                yield finding(rule, device, ("infiniband", name), f"{name} is other than on {first}: a failover "
                               "between the two changes the fabric", Layer.SAVED)  # fmt: skip


def _comparable(view: SmNodeView) -> dict[str, Any] | None:
    saved = view.layer(Layer.SAVED)
    if saved is None or not all(is_said(item) for item in (saved.options, saved.partitions, saved.guid_files)):
        return None
    options: Mapping[str, Any] = saved.options  # type: ignore[assignment]
    shared = {name: value for name, value in options.items() if name not in PER_NODE}
    return {"options": shared, "partitions": saved.partitions, "qos_policy": saved.qos_policy,
            "guid_files": saved.guid_files}  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("FD-IB-101", Severity.HIGH, "Two cables are exchanged", "Rails end on the wrong switches.",
         "Exchange the two cables", _swapped),
    Rule("FD-IB-102", Severity.MEDIUM, "A key of the subnet manager is open",
         "Any root user of any host may write to every port, or ask for every partition.",
         "Name a variable of the vault under keys", _open_keys),
    Rule("FD-IB-103", Severity.CRITICAL, "The default partition is open", "There are no tenants.",
         "Make ALL a limited member", _open_default),
    Rule("FD-IB-104", Severity.CRITICAL, "Not exactly one master", "Two managers undo each other's work.",
         "Stop the manager that the intent doesn't know", _one_master),
    Rule("FD-IB-105", Severity.CRITICAL, "SM nodes have different files", "A failover changes the fabric.",
         "Push the intent to every SM node", _same_files),
    Rule("FD-IB-106", Severity.CRITICAL, "The hardware isn't what the subnet manager believes",
         "Nobody will repair what nobody knows.", REPAIR, behind_the_back),
    Rule("FD-IB-107", Severity.CRITICAL, "A path across tenants", "One tenant reaches another.",
         "Compare the partitions of the two ports, in the files and in the hardware", crossing_paths, counts=True),
)  # fmt: skip


COUNTING = frozenset(rule.id for rule in RULES if rule.counts)
"""Rules whose findings are verdicts of their own."""


def check(views: Views) -> tuple[Finding, ...]:
    """Findings of all rules, in a stable order."""
    found = [finding for rule in RULES for finding in rule.check(views, rule)]
    return tuple(sorted(found, key=lambda item: (item.rule, item.device, item.path)))
