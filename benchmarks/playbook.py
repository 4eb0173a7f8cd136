"""The playbook on devices that are in sync, against a bare ansible.builtin.raw loop of as many round trips.

`python benchmarks/playbook.py --devices 40`. Both run in ansible-playbook with as many forks over real SSH on loopback
to one process that plays all devices. The loop sends every command that the playbook has sent, one task each: as many
round trips, and none of the reading, comparing and ordering.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]
FORKS = 16
PORTS = 16
TOPOLOGY = """\
devices:
  leaf[1-{odd}/2]:
    {{role: leaf, platform: sonic, hardware: Arista-7060X6-64PE, releases: ["202505"],
     ports: {{"Ethernet[0-{last}/8]": to_host}}}}
  leaf[2-{even}/2]:
    {{role: leaf, platform: eos, hardware: DCS-7060DX5-64S, releases: [4.32.2F],
     ports: {{"Ethernet[1-{ports}]/1": to_host}}}}
settings: {{speed: 400G, cable: 5 m}}
"""
BARE = """\
- hosts: all
  gather_facts: false
  strategy: free
  vars: {sent: "{{ lookup('file', 'sent.json') | from_json }}"}
  tasks:
    - ansible.builtin.raw: "{{ item }}"
      loop: "{{ sent[inventory_hostname] }}"
      changed_when: false
      failed_when: false
"""


@dataclass(frozen=True, slots=True)
class Time:
    """Of ansible-playbook and its children; the lab is another process."""

    seconds: float
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Lab:
    folder: Path

    @property
    def directory(self) -> Path:
        return self.folder / "lab"

    @property
    def intent(self) -> Path:
        return self.folder / "intent"

    def run(self, *words: str) -> None:
        command = [sys.executable, "-m", "fabric_drift", *words]
        subprocess.run(command, env=self.environment, check=True, stdout=subprocess.DEVNULL, cwd=REPO)

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {
            "FABRIC_DRIFT_LAB": str(self.directory),
            "FABRIC_DRIFT_INTENT": str(self.intent),
            "PYTHONPATH": str(REPO),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        }

    def sent(self) -> dict[str, list[str]]:
        """Every command so far, by device."""
        logs = self.directory.glob("*/commands.log")
        return {log.parent.name: [json.loads(line)["command"] for line in log.open()] for log in logs}

    def play(self, playbook: Path, *words: str) -> Time:
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        command = ["ansible-playbook", "-i", str(self.directory / "inventory.yml"), f"--forks={FORKS}", str(playbook)]
        done = subprocess.run(
            [*command, *words], env=self.environment, cwd=self.folder, stdout=subprocess.PIPE, text=True, check=False
        )
        seconds, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode or "changed=1" in done.stdout:
            raise SystemExit(f"{playbook.name} didn't end unchanged:\n{done.stdout[-3000:]}")
        return Time(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    def up(self, count: int) -> None:
        """Leaves of two kinds in turn, as intended."""
        self.intent.mkdir()
        for name in ("fabric.yml", "hardware.yml"):
            (self.intent / name).write_text((REPO / "intent" / "pod1" / name).read_text())
        sizes = {"odd": count - 1, "even": count, "ports": PORTS, "last": (PORTS - 1) * 8}
        (self.intent / "topology.yml").write_text(TOPOLOGY.format(**sizes))
        shape = ("--leaves", str(count), "--spines", "0", "--ports", str(PORTS))
        self.run("lab", "up", "--fabric", "leafspine", *shape, "--base-port", "0")
        self.run("render", "--output", str(self.folder / "rendered"))
        self.run("lab", "load", str(self.folder / "rendered"))


def measure(lab: Lab) -> tuple[Time, Time, int]:
    """(the playbook, the bare loop, round trips of each)."""
    before = lab.sent()
    told = {"intent": str(lab.intent), "run_log": str(lab.folder / "runs")}
    ours = lab.play(REPO / "playbooks" / "roce_lossless.yml", "-e", json.dumps(told))
    trips = {name: sent[len(before.get(name, ())) :] for name, sent in lab.sent().items()}
    (lab.folder / "sent.json").write_text(json.dumps(trips))
    (lab.folder / "bare.yml").write_text(BARE)
    bare = lab.play(lab.folder / "bare.yml")
    count, again = sum(map(len, trips.values())), sum(map(len, lab.sent().values()))
    assert again - count - sum(map(len, before.values())) == count, "the loop made other round trips"
    return ours, bare, count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", type=int, default=200, help="an even number (200)")
    count: int = parser.parse_args().devices
    if count < 2 or count % 2:  # noqa: PLR2004  one of each kind
        parser.error("an even number, please: half of the devices are of each kind")
    with tempfile.TemporaryDirectory(prefix="fabric-drift-benchmark-") as folder:
        lab = Lab(Path(folder))
        try:
            lab.up(count)
            ours, bare, trips = measure(lab)
        finally:
            lab.run("lab", "down")
    print(f"{count} devices in sync, {trips} round trips, {FORKS} forks")
    for name, time_ in (("roce_lossless.yml", ours), ("bare raw loop", bare)):
        rate = count / time_.seconds * 60
        print(f"{name:<18} {time_.seconds:7.1f} s  {time_.cpu_seconds:7.1f} s CPU  {rate:7.0f} devices/minute")
    print(f"ratio {ours.seconds / bare.seconds:.2f} (goal: 1.5 at most)")


if __name__ == "__main__":
    main()
