"""What a rule over SM nodes is, and what it looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fabric_drift.finding import Finding, Layer, Severity, Verdict
from fabric_drift.state.device import DeviceState
from fabric_drift.state.infiniband import Infiniband, Subnet
from fabric_drift.state.values import Path


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
        return _subnet(self.layer(Layer.HARDWARE))

    @property
    def planned(self) -> Subnet | None:
        """The subnet as intended, if this node is the intended master."""
        found = self.expected.infiniband
        return _subnet(found if isinstance(found, Infiniband) else None)


def _subnet(found: Infiniband | None) -> Subnet | None:
    return found.subnet if found and isinstance(found.subnet, Subnet) else None


Views = Mapping[str, SmNodeView]


@dataclass(frozen=True, slots=True)
class Rule:
    """``check`` gives findings; ``fix`` is what a human does.

    ``counts``: no fact is compared for it, so its findings are verdicts of their own; else they name the cause of
    findings that are there already, and are information beside them.
    """

    id: str
    severity: Severity
    title: str
    why: str
    fix: str
    check: Callable[[Views, Rule], Iterator[Finding]]
    counts: bool = False


def finding(rule: Rule, device: str, path: Path, message: str, layer: Layer, **more: Any) -> Finding:
    """A finding of ``rule``; drift unless ``verdict`` says otherwise."""
    return Finding(
        device=device, path=path, layer=layer, verdict=more.get("verdict", Verdict.DRIFT),
        expected=more.get("expected", ""), actual=more.get("actual", ""), rule=rule.id, severity=rule.severity,
        message=f"{message}. {rule.fix}",
    )  # fmt: skip
