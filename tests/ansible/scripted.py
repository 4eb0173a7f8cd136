"""The playbooks that change devices, with an engine that answers by a script: what the plays make of its answers."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPO = Path(__file__).parents[2]
BENCH = Path(__file__).parent / "bench"
INVENTORY = "leaf1,leaf2,spine1,spine2,ntp"
SWITCHES, REMOVE = "add_on_switches", "remove_from_switches"


def device(status: str = "planned", parts: Sequence[str] = (SWITCHES,), **more: Any) -> dict[str, Any]:
    """One device of a preview."""
    approval = {"intent": "i", "rendered": "r", "steps": {part: ["s"] for part in parts}}
    return {"status": status, "parts": list(parts), "problems": [], "refusals": [], "approval": approval, **more}


DEVICES = {
    "leaf1": device(parts=(SWITCHES, REMOVE)),
    "leaf2": device(),
    "spine1": device(),
    "spine2": device("unchanged", ()),
}
PARTS = {
    SWITCHES: {"devices": ["spine1", "leaf2", "leaf1"], "serial": [1, 2]},
    REMOVE: {"devices": ["leaf1"], "serial": [1]},
    "add_on_hosts": {"devices": [], "serial": []},
}
SHAPES = [{"shape": "5a", "devices": ["leaf1", "leaf2"], "disruption": "reorder", "diff": "+ lossless\n"}]


def preview(
    devices: Mapping[str, Any] = DEVICES, parts: Mapping[str, Any] = PARTS, *, ok: bool = True
) -> dict[str, Any]:
    """What ``preview_hosts`` says."""
    told = {"summary": ["1 shape: leaf1, leaf2"], "devices": devices, "shapes": SHAPES, "waves": [], "parts": parts}
    return {**told, "ok": ok, "changed": bool(parts)}


@dataclass(frozen=True)
class Played:
    """A finished run of the playbook."""

    exit_status: int
    text: str
    calls: list[dict[str, Any]]

    @property
    def applied(self) -> list[tuple[str, str]]:
        """(host, part) in the order in which the engine was asked."""
        return [(call["host"], call["arguments"]["part"]) for call in self.calls if call["verb"] == "apply"]

    def recap(self, count: str) -> dict[str, int]:
        """A column of the recap by host, zeros left out."""
        rows = re.findall(rf"^(\S+) +: .*\b{count}=(\d+)", self.text, re.MULTILINE)
        return {host: int(number) for host, number in rows if int(number)}

    def ended(self) -> list[str]:
        """The lines that tell how the devices ended."""
        return re.findall(r'"msg": "(\d+ [a-z_]+: [^"]*)"', self.text)


def played(
    folder: Path,
    script: Mapping[str, Any],
    *arguments: str,
    inventory: str = INVENTORY,
    playbook: str = "roce_lossless",
) -> Played:
    """Runs the playbook from another directory than the repository's."""
    file = folder / "script.json"
    file.write_text(json.dumps(script), encoding="utf-8")
    command = [str(Path(sys.executable).parent / "ansible-playbook"), "-i", inventory]
    command += [str(REPO / "playbooks" / f"{playbook}.yml"), "-e", "intent=/intent/pod1", *arguments]
    environment = {**os.environ, "PYTHONPATH": f"{BENCH}{os.pathsep}{REPO}", "SCRIPT": str(file)}
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, check=False, timeout=120, cwd=folder
    )
    calls = file.with_suffix(".calls")
    lines = calls.read_text(encoding="utf-8").splitlines() if calls.exists() else []
    calls.unlink(missing_ok=True)
    return Played(done.returncode, done.stdout + done.stderr, [json.loads(line) for line in lines])
