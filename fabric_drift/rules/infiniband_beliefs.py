"""Rules over what the subnet manager believes: where the hardware holds something else, and which paths it gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fabric_drift.finding import Finding, Layer, Verdict
from fabric_drift.rules.infiniband_rule import Rule, SmNodeView, Views, finding
from fabric_drift.state.infiniband import Arbitration, FabricPort, Infiniband, Subnet
from fabric_drift.state.values import Path, Unobserved, is_said

REPAIR = (
    "OpenSM compares with its own copy, so sweeps don't repair it. Observed to repair it (3.3.23): a restart of the "
    "subnet manager (failover, routes are computed anew); P_Keys also a link bounce of that port (its traffic is lost)"
)

Contradiction = tuple[Path, Any, Any]
"""(path below ``infiniband/subnet``, what is believed, what is held)."""


def behind_the_back(views: Views, rule: Rule) -> Iterator[Finding]:
    """The subnet manager believes one thing; the hardware holds another."""
    for device, view in views.items():
        nos, subnet = view.layer(Layer.NOS), view.subnet
        if nos is None or subnet is None:
            continue
        found = [*_tables(nos, subnet), *_lanes(nos, subnet), *_exits(nos)]
        for path, believed, held in sorted(found, key=lambda item: item[0]):
            message = (
                f"the subnet manager believes {_words(believed)}, {path[1]} holds {_words(held)}: "
                "a write behind its back, or a lost one"
            )
            yield finding(rule, device, ("infiniband", "subnet", *path), message, Layer.HARDWARE,
                          expected=believed, actual=held)  # fmt: skip


def _port(subnet: Subnet, key: str) -> FabricPort | None:
    found = subnet.ports.get(key) if isinstance(subnet.ports, Mapping) else None
    return found if isinstance(found, FabricPort) else None


def _tables(nos: Infiniband, subnet: Subnet) -> Iterator[Contradiction]:
    """P_Keys and weights, port by port."""
    if isinstance(nos.believed_pkeys, Mapping):
        for key, believed in nos.believed_pkeys.items():
            port = _port(subnet, key)
            if port and isinstance(port.pkeys, Mapping) and dict(port.pkeys) != dict(believed):
                yield ("ports", key, "pkeys"), dict(believed), dict(port.pkeys)
    if isinstance(nos.believed_arbitration, Mapping):
        for key, weights in nos.believed_arbitration.items():
            port = _port(subnet, key)
            for name in ("high", "low") if port and isinstance(port.arbitration, Arbitration) else ():
                believed, held = getattr(weights, name), getattr(port.arbitration, name)  # type: ignore[union-attr]
                if believed != held:
                    yield ("ports", key, "arbitration", name), believed, held


def _lanes(nos: Infiniband, subnet: Subnet) -> Iterator[Contradiction]:
    """Rows of the SL-to-VL tables: the usual one of a port, and those that are told apart."""
    if not isinstance(nos.believed_lanes, Mapping):
        return
    for key, rows in nos.believed_lanes.items():
        port = _port(subnet, key)
        if port is None or not isinstance(port.sl2vl, tuple):
            continue
        exceptions = port.sl2vl_exceptions if isinstance(port.sl2vl_exceptions, Mapping) else {}
        for entry, believed in rows.items():
            held = exceptions.get(entry, port.sl2vl)
            if held != believed:
                name = ("sl2vl_exceptions", entry) if entry in exceptions else ("sl2vl",)
                yield ("ports", key, *name), believed, held


def _exits(nos: Infiniband) -> Iterator[Contradiction]:
    """Entries of forwarding tables."""
    if isinstance(nos.misbelieved_exits, Mapping):
        for switch, exits in nos.misbelieved_exits.items():
            believed = {f"LID {lid}": f"by port {one}" for lid, (one, _) in exits.items()}
            held = {f"LID {lid}": f"by port {other}" for lid, (_, other) in exits.items()}
            yield ("routing", switch), believed, held


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {item}" for key, item in sorted(value.items())) or "nothing"
    return ", ".join(":".join(map(str, item)) if isinstance(item, tuple) else str(item) for item in value) or "nothing"


def crossing_paths(views: Views, rule: Rule) -> Iterator[Finding]:
    """A path between ports that share no partition of the intent.

    "No path" counts only from a port that got a path to somebody it must reach: an SA that answers nobody, or not us,
    says "none" too. Without such a control, the question stays open.
    """
    for device, view in views.items():
        nos = view.layer(Layer.NOS)
        paths = nos.believed_paths if nos else None
        if isinstance(paths, Unobserved):
            yield _open(rule, device, (), f"no path across tenants was asked for: {paths.reason}")
        elif isinstance(paths, Mapping):
            for source, answers in _by_source(paths).items():
                yield from _judged(rule, device, view, source, answers)


def _by_source(paths: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for name, answer in sorted(paths.items()):
        source, _, target = name.partition(" to ")
        found.setdefault(source, {})[target] = answer
    return found


def _judged(rule: Rule, device: str, view: SmNodeView, source: str, answers: Mapping[str, Any]) -> Iterator[Finding]:
    planned = view.planned
    ports = {key: _port(planned, key) for key in (source, *answers)} if planned else {}
    own = ports.get(source)
    if own is None or not isinstance(own.pkeys, Mapping):
        return
    reachable = {target: _reaches(own.pkeys, port.pkeys) for target, port in ports.items() if port and target != source}
    strangers = [target for target, is_friend in reachable.items() if is_friend is False]
    is_controlled = any(is_friend and _is_path(answers[target]) for target, is_friend in reachable.items())
    unanswered = 0
    for target in strangers:
        answer = answers[target]
        if _is_path(answer):
            if not getattr(own.pkeys, "tolerates", lambda _key: False)(answer):
                name = f"{source} to {target}"
                yield finding(rule, device, ("infiniband", "believed_paths", name), f"there is a path from {source} "
                              f"to {target}, on P_Key {answer}", Layer.NOS, expected="none", actual=answer)  # fmt: skip
        elif isinstance(answer, Unobserved) or not is_controlled:
            unanswered += 1
    if unanswered:
        why = "an answer is missing" if is_controlled else "there is none to a port that it must reach either"
        yield _open(rule, device, (source,), f"{unanswered} questions for paths from {source} across tenants count "
                    f"nothing: {why}")  # fmt: skip


def _open(rule: Rule, device: str, path: Path, message: str) -> Finding:
    return finding(rule, device, ("infiniband", "believed_paths", *path), message, Layer.NOS,
                   verdict=Verdict.UNOBSERVED, expected="none", actual=Unobserved("no control passed"))  # fmt: skip


def _is_path(answer: Any) -> bool:
    return isinstance(answer, str) and answer != "none"


def _reaches(one: Any, other: Any) -> bool | None:
    """Whether two ports share a partition of which one is a full member; None where one isn't planned."""
    if not is_said(other):
        return None
    return any("limited" not in {one[key], other[key]} or one[key] != other[key] for key in one.keys() & other.keys())
