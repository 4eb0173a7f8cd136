"""Writes the intent of a large leaf-spine fabric: policy and hardware of pod1, topology of any size.

python benchmarks/generate_intent.py DIRECTORY            2,000 switches, 64,000 links
python benchmarks/generate_intent.py DIRECTORY --measure  and the time and memory of load + expect
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

POD1 = Path(__file__).resolve().parent.parent / "intent" / "pod1"
LEAVES, SPINES, UPLINKS, LINKS, RAILS = 1360, 640, 30, 64_000, 8


def generate(directory: Path) -> None:
    """2,000 switches: 1,360 leaves with 30 uplinks each, 640 spines; 2,900 hosts of 8 rails fill up to 64,000 links."""
    directory.mkdir(parents=True, exist_ok=True)
    for name in ("fabric.yml", "hardware.yml"):
        (directory / name).write_text((POD1 / name).read_text())
    hosts = (LINKS - LEAVES * UPLINKS) // RAILS
    (directory / "topology.yml").write_text(_topology(hosts))
    (directory / "cables.csv").write_text("\n".join(_cables(hosts)) + "\n")


def _topology(hosts: int) -> str:
    half_leaves, half_spines = LEAVES // 2, SPINES // 2
    return f"""\
devices:
  leaf[1-{half_leaves}]:
    {{role: leaf, platform: sonic, hardware: Arista-7060X6-64PE,
     ports: {{"Ethernet[0-152/8]": to_host, "Ethernet[160-392/8]": to_fabric}}}}
  leaf[{half_leaves + 1}-{LEAVES}]:
    {{role: leaf, platform: eos, hardware: DCS-7060DX5-64S,
     ports: {{"Ethernet[1-20]/1": to_host, "Ethernet[21-50]/1": to_fabric}}}}
  spine[1-{half_spines}]:
    {{role: spine, platform: sonic, hardware: Mellanox-SN5600, ports: {{"Ethernet[0-504/8]": to_fabric}}}}
  spine[{half_spines + 1}-{SPINES}]:
    {{role: spine, platform: eos, hardware: DCS-7060DX5-64S, ports: {{"Ethernet[1-64]/1": to_fabric}}}}
  gpu[1-{hosts}]:
    {{role: gpu_host, hardware: HGX-H100, ports: {{"rail:[1-8]": rail}}}}
settings: {{speed: 400G, cable: 40 m}}
cable_plans: [cables.csv]
"""


def _cables(hosts: int) -> list[str]:
    rows = ["a_device,a_port,b_device,b_port,speed,cable"]
    for link in range(hosts * RAILS):
        leaf, port = link % LEAVES, link // LEAVES
        host, rail = divmod(link, RAILS)
        rows.append(f"gpu{host + 1},rail:{rail + 1},leaf{leaf + 1},{_port(leaf < LEAVES // 2, port)},400G,40 m")
    for link in range(LEAVES * UPLINKS):
        leaf, uplink = divmod(link, UPLINKS)
        spine, port = link % SPINES, link // SPINES
        a_port, b_port = _port(leaf < LEAVES // 2, 20 + uplink), _port(spine < SPINES // 2, port)
        rows.append(f"leaf{leaf + 1},{a_port},spine{spine + 1},{b_port},400G,40 m")
    return rows


def _port(is_sonic: bool, index: int) -> str:
    return f"Ethernet{8 * index}" if is_sonic else f"Ethernet{index + 1}/1"


def measure(directory: Path) -> None:
    from fabric_drift.expect import expect  # noqa: PLC0415 - generating needs no installed project
    from fabric_drift.intent import load  # noqa: PLC0415

    start = time.perf_counter()
    fabric = load(directory)
    loaded = time.perf_counter()
    ports = 0
    for name in fabric.devices:
        expect(fabric, name)
        ports += len(fabric.devices[name].ports)
    done = time.perf_counter()
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(fabric.devices)} devices, {len(fabric.links)} links, {ports} managed ports")
    print(f"load {loaded - start:.1f} s, expect {done - loaded:.1f} s, peak memory {peak_mib:.0f} MiB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--measure", action="store_true")
    given = parser.parse_args()
    generate(given.directory)
    if given.measure:
        measure(given.directory)
