"""The lab with the intent of ibpod pushed to its SM nodes, and a check of what it says."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from fabric_drift.diff import diff
from fabric_drift.expect.infiniband import expect
from fabric_drift.finding import Layer, Verdict
from fabric_drift.intent.infiniband import IbFabric
from fabric_drift.lab.infiniband.lab import InfinibandLab
from fabric_drift.lab.infiniband.node import SmNode
from fabric_drift.platform import Output, Reading, Target
from fabric_drift.platforms import opensm
from fabric_drift.platforms.opensm import PLATFORM
from fabric_drift.platforms.opensm.commands import PROGRAMS

INTENT = Path(__file__).parents[3] / "intent" / "ibpod" / "infiniband"

Facts = set[tuple[str, str]]
"""(layer, path below ``infiniband``) of what drifted."""


@dataclass
class Subnet:
    """One lab under one intent."""

    lab: InfinibandLab
    fabric: IbFabric

    def node(self, name: str) -> SmNode:
        return self.lab.sm_nodes[name]

    def install(self) -> None:
        """Files and readers, as the role would put them there."""
        for name, node in self.lab.sm_nodes.items():
            node.prepare()
            target = Target(name, "3.3.23")
            for file in PLATFORM.render(PLATFORM.localise(expect(self.fabric, name), target), target):
                node.path(f"/etc/opensm/{file.name}").write_text(file.text)
            folder = node.path("/usr/local/libexec/fabric_drift")
            folder.mkdir(exist_ok=True)
            for program in PROGRAMS:
                shutil.copy(Path(opensm.__file__).parent / program, folder / program)

    def read(self, name: str = "sm1") -> Reading:
        outputs: dict[str, Output] = {}
        while commands := PLATFORM.commands(outputs):
            for command in commands:
                answer = self.node(name).run(command.wire)
                outputs[command.text] = Output(answer.stdout, answer.stderr, answer.exit_status)
        return PLATFORM.parse(outputs)

    def drifted(self, name: str = "sm1") -> Facts:
        return self.judged(name, Verdict.DRIFT)

    def unobserved(self, name: str = "sm1") -> Facts:
        return self.judged(name, Verdict.UNOBSERVED)

    def judged(self, name: str, verdict: Verdict) -> Facts:
        result = diff(expect(self.fabric, name), self.read(name).states)
        return {
            (layer.value, "/".join(item.path).removeprefix("infiniband/"))
            for layer, item in result.differences
            if item.verdict is verdict
        }

    def key(self, name: str, port: int = 1) -> str:
        """Key of a port, by the name of its node."""
        return f"{self.lab.fabric.node(name).guid:#018x}/{port}"


def hardware(*paths: str) -> Facts:
    return {(Layer.HARDWARE.value, f"subnet/{path}") for path in paths}
