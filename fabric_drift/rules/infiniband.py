"""Rules over the SM nodes of one subnet: what no single fact says. Pure; each rule is one function.

Input is what a check has anyway: per SM node the expected state and the reading. A rule never repeats a fact's own
finding; it names the cause of several, or what the intent itself leaves open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fabric_drift.finding import Finding, Layer, Severity, Verdict
from fabric_drift.state.device import DeviceState
from fabric_drift.state.infiniband import FabricPort, Infiniband, Link, Subnet
from fabric_drift.state.values import Path, is_said

OPEN_KEYS = ("m_key", "sa_key", "sm_key")
PER_NODE = frozenset({"guid", "sm_priority", "console_port", "log_file", "log_prefix"})
"""Options that are allowed to differ between SM nodes."""
DEFAULT_PKEY = "0x7fff"
REPAIR = (
    "OpenSM compares with its own copy, so sweeps don't repair it. Observed to repair it (3.3.23): a restart of the "
    "subnet manager (failover, routes are computed anew), or a link bounce of that port (its traffic is lost)"
)


@dataclass(frozen=True, slots=True)
class SmNodeView:
    """One SM node: what is expected, and what its layers say."""

    expected: DeviceState
    states: Mapping[Layer, DeviceState]

    def layer(self, layer: Layer) -> Infiniband | None:
        """What the layer says of InfiniBand, if anything."""
        state = self.states.get(layer)
        return state.infiniband if state and isinstance(state.infiniband, Infiniband) else None

    @property
    def subnet(self) -> Subnet | None:
        """The live subnet, if this node's answer has it."""
        found = self.layer(Layer.HARDWARE)
        return found.subnet if found and isinstance(found.subnet, Subnet) else None


Views = Mapping[str, SmNodeView]


@dataclass(frozen=True, slots=True)
class Rule:
    """``check`` gives findings; ``fix`` is what a human does."""

    id: str
    severity: Severity
    title: str
    why: str
    fix: str
    check: Callable[[Views, Rule], Iterator[Finding]]


def _finding(rule: Rule, device: str, path: Path, message: str, layer: Layer, **more: Any) -> Finding:
    return Finding(
        device=device, path=path, layer=layer, verdict=more.get("verdict", Verdict.DRIFT),
        expected=more.get("expected", ""), actual=more.get("actual", ""), rule=rule.id, severity=rule.severity,
        message=f"{message}. {rule.fix}",
    )  # fmt: skip


def _swapped(views: Views, rule: Rule) -> Iterator[Finding]:
    """Two cables whose far ends were exchanged: a pair, not four strangers."""
    for device, view in views.items():
        wanted, found = _peers(_expected_subnet(view)), _peers(view.subnet)
        for port, peer in sorted(wanted.items()):
            actual = found.get(port)
            if actual is None or actual == peer:
                continue
            other = next((key for key, planned in wanted.items() if planned == actual), None)
            if other is not None and port < other and found.get(other) == peer:
                message = f"the cables of {port} and {other} are exchanged: {port} leads to {actual}, {other} to {peer}"
                yield _finding(rule, device, ("infiniband", "subnet", "ports", port, "link"), message, Layer.HARDWARE,
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


def _expected_subnet(view: SmNodeView) -> Subnet | None:
    found = view.expected.infiniband
    return found.subnet if isinstance(found, Infiniband) and isinstance(found.subnet, Subnet) else None


def _open_keys(views: Views, rule: Rule) -> Iterator[Finding]:
    for device, view in views.items():
        running = view.layer(Layer.RUNNING)
        if running and is_said(running.options):
            options: Mapping[str, Any] = running.options  # type: ignore[assignment]
            for key in OPEN_KEYS:
                if options.get(key) == "default":
                    yield _finding(rule, device, ("infiniband", "options", key), f"{key} has its open default",
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
            yield _finding(rule, device, ("infiniband", "partitions", DEFAULT_PKEY), f"{groups[0]} is a full member of "
                           "the default partition: every tenant reaches every other", Layer.SAVED)  # fmt: skip


def _one_master(views: Views, rule: Rule) -> Iterator[Finding]:
    for device, view in views.items():
        if view.subnet is None or not is_said(view.subnet.managers):
            continue
        managers: Mapping[str, Any] = view.subnet.managers  # type: ignore[assignment]
        masters = sorted(guid for guid, manager in managers.items() if manager.state == "master")
        if len(masters) != 1:
            names = ", ".join(masters) or "none"
            yield _finding(rule, device, ("infiniband", "subnet", "managers"),
                           f"{len(masters)} masters in one subnet: {names}", Layer.HARDWARE)  # fmt: skip


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
                yield _finding(rule, device, ("infiniband", name), f"{name} is other than on {first}: a failover "
                               "between the two changes the fabric", Layer.SAVED)  # fmt: skip


def _comparable(view: SmNodeView) -> dict[str, Any] | None:
    saved = view.layer(Layer.SAVED)
    if saved is None or not all(is_said(item) for item in (saved.options, saved.partitions, saved.guid_files)):
        return None
    options: Mapping[str, Any] = saved.options  # type: ignore[assignment]
    shared = {name: value for name, value in options.items() if name not in PER_NODE}
    return {"options": shared, "partitions": saved.partitions, "qos_policy": saved.qos_policy,
            "guid_files": saved.guid_files}  # fmt: skip


def _behind_the_back(views: Views, rule: Rule) -> Iterator[Finding]:
    """The subnet manager believes what was intended; the hardware holds something else."""
    for device, view in views.items():
        nos, subnet = view.layer(Layer.NOS), view.subnet
        if nos is None or not is_said(nos.believed_pkeys) or subnet is None or not is_said(subnet.ports):
            continue
        found: Mapping[str, Any] = subnet.ports  # type: ignore[assignment]
        for key, believed in sorted(nos.believed_pkeys.items()):  # type: ignore[union-attr]
            actual = getattr(found.get(key), "pkeys", None)
            if isinstance(actual, Mapping) and dict(actual) != dict(believed):
                message = (
                    f"the subnet manager believes {_words(believed)}, the port holds {_words(actual)}: "
                    "a write behind its back, or a lost one"
                )
                yield _finding(rule, device, ("infiniband", "subnet", "ports", key, "pkeys"), message, Layer.HARDWARE,
                               expected=dict(believed), actual=dict(actual))  # fmt: skip


def _words(pkeys: Any) -> str:
    return ", ".join(f"{key} {membership}" for key, membership in sorted(pkeys.items())) or "no P_Key"


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
         "Nobody will repair what nobody knows.", REPAIR, _behind_the_back),
)  # fmt: skip


def check(views: Views) -> tuple[Finding, ...]:
    """Findings of all rules, in a stable order."""
    found = [finding for rule in RULES for finding in rule.check(views, rule)]
    return tuple(sorted(found, key=lambda item: (item.rule, item.device, item.path)))
