"""Cost of a check of a large subnet on the simulator: ``python benchmarks/infiniband.py --hcas 10240``.

MADs are counted, so that the cost on a real fabric can be estimated. Times are of this machine and of ibsim.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from fabric_drift.diff import diff
from fabric_drift.expect.infiniband import expect
from fabric_drift.intent.infiniband import IbFabric, load
from fabric_drift.lab.infiniband.fabric import Size
from fabric_drift.lab.infiniband.ibpod import large
from fabric_drift.lab.infiniband.lab import InfinibandLab
from fabric_drift.lab.infiniband.netfile import net_file
from fabric_drift.lab.infiniband.node import SmNode
from fabric_drift.platform import Output, Target
from fabric_drift.platforms.opensm import PLATFORM
from fabric_drift.platforms.opensm.commands import STATUS, SUBNET
from fabric_drift.rules import infiniband as rules
from fabric_drift.rules.infiniband import SmNodeView
from fabric_drift.state.device import DeviceState

RELEASE = "3.3.23"
SMALL = 64

INTENT = """
name: bench
flavour: upstream-3.3
plan: fabric.topo
managers:
  sm1: {{guid: "{sm1}", priority: 15, options: {{console_port: 10001}}}}
  sm2: {{guid: "{sm2}", priority: 14, options: {{console_port: 10002}}}}
switches: {{spine: ["spine-[1-{spines}]"]}}
rails: {{{rails}}}
link: {{width: 4x, speed: HDR}}
routing: {{engine: {engine}, roots: spine}}
error_budgets: {{symbol_errors: 10, link_downed: 0, receive_errors: 10}}
options: {{console: loopback, force_log_flush: true, max_wire_smps: 32, sweep_interval: 0}}
partitions:
"""


def intent(folder: Path, lab: InfinibandLab, tenants: int, engine: str) -> None:
    fabric = lab.fabric
    guids = {f"sm{n}": f"{fabric.node(f'sm{n} mlx5_0').port_guid:#018x}" for n in (1, 2)}
    rails = ", ".join(f"mlx5_{rail}: {rail + 1}" for rail in range(lab.size.rails))
    text = INTENT.format(**guids, spines=lab.size.spines, rails=rails, engine=engine)
    digits = max(3, len(str(lab.size.hosts)))
    per_tenant = max(1, lab.size.hosts // tenants)
    for number in range(tenants):
        first, last = number * per_tenant + 1, (number + 1) * per_tenant
        if last > lab.size.hosts:
            break
        span = f"gpu[{first:0{digits}}-{last:0{digits}}]"
        text += f'  tenant_{number}: {{pkey: "{0x100 + number:#06x}", members: [{{hosts: ["{span}"]}}]}}\n'
    folder.mkdir()
    (folder / "subnet.yml").write_text(text)
    (folder / "fabric.topo").write_text(net_file(fabric))


def timed(name: str, what: Callable[[], Any], limit_s: float | None = None) -> Any:
    """Wall time, and processor time of this process and the commands it ran: the machine may be busy with others."""
    started, worked = time.perf_counter(), processor_s()
    value = what()
    took, worked = time.perf_counter() - started, processor_s() - worked
    verdict = "" if limit_s is None else f"  (goal {limit_s:g} s: {'met' if took <= limit_s else 'MISSED'})"
    print(f"{name:<44} {took:8.2f} s, {worked:6.2f} s of processor{verdict}", flush=True)
    return value


def processor_s() -> float:
    """Of this process, and of its children that ended."""
    kinds = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in kinds)


def processes_s(lab: InfinibandLab) -> float:
    """Processor time so far of the simulator and the first subnet manager, which are a real fabric's work."""
    files = (lab.simulator.pid_file, lab.sm_nodes["sm1"].pid_file)
    stats = (Path(f"/proc/{file.read_text().strip()}/stat").read_text().rpartition(")")[2].split() for file in files)
    return sum(int(stat[11]) + int(stat[12]) for stat in stats) / os.sysconf("SC_CLK_TCK")


def push(lab: InfinibandLab, fabric: IbFabric) -> None:
    for name, node in lab.sm_nodes.items():
        node.prepare()
        for file in PLATFORM.render(expect(fabric, name), Target(name, RELEASE)):
            node.path(f"/etc/opensm/{file.name}").write_text(file.text)


def checked(lab: InfinibandLab, node: SmNode, expected: DeviceState) -> None:
    started, ours, theirs = time.perf_counter(), processor_s(), processes_s(lab)
    outputs: dict[str, Output] = {}
    for command in (STATUS, SUBNET):
        text = f"{command.text} --rate 0" if command is SUBNET else command.text
        answer = timed(f"  {command.text.split('/')[-1]}", partial(node.run, text, timeout_s=900))
        outputs[command.text] = Output(answer.stdout, answer.stderr, answer.exit_status)
    document = json.loads(outputs[SUBNET.text].stdout)
    size = len(outputs[SUBNET.text].stdout) >> 20
    print(f"  {document['mads']} MADs ({document['count']}), seconds {document['seconds']}, {size} MiB of JSON")
    reading = timed("  parsed, routes walked", lambda: PLATFORM.parse(outputs))
    result = timed("  compared", lambda: diff(expected, reading.states))
    causes = timed("  rules", lambda: rules.check({"sm1": SmNodeView(expected, reading.states)}))
    print("  ", *sorted({f"{item.rule} {item.verdict.value}" for item in causes}), *reading.notes, sep="; ")
    took = time.perf_counter() - started
    ours, theirs = processor_s() - ours, processes_s(lab) - theirs
    print(f"processor time of reader and checker {ours:.2f} s, of ibsim and OpenSM meanwhile {theirs:.2f} s")
    print(f"full check {took:.2f} s (goal 20 s): {result.matches} facts match, {len(result.differences)} differ")
    for _, item in result.differences[:3]:
        print("  ", "/".join(item.path), item.verdict.value, str(item.expected)[:60], str(item.actual)[:60])


def compared(node: SmNode) -> None:
    """The one question that all can answer: whether nodes, cables and links are as they were (there) or as planned."""
    cabling = f"{SUBNET.text} --what ports --rate 0 >/dev/null"
    for name, command in (
        ("cabling by our reader", cabling),
        ("ibnetdiscover", "ibnetdiscover >/dev/null"),
        ("iblinkinfo", "iblinkinfo >/dev/null"),
        ("ibnetdiscover --cache", "ibnetdiscover --cache /tmp/cache >/dev/null"),
        ("ibnetdiscover --diff", "ibnetdiscover --diff /tmp/cache >/dev/null"),
        ("iblinkinfo --diff", "iblinkinfo --diff /tmp/cache >/dev/null"),
    ):
        timed(name, partial(node.run, command, timeout_s=600))


def run(lab: InfinibandLab, folder: Path, arguments: argparse.Namespace) -> None:
    intent(folder / "intent", lab, arguments.tenants, arguments.engine)
    fabric = timed("intent loaded", lambda: load(folder / "intent"))
    expected = timed("expected state", lambda: expect(fabric, "sm1"))
    target = Target("sm1", RELEASE)
    rendered = f"files rendered ({arguments.tenants} tenants)"
    timed(rendered, lambda: PLATFORM.render(PLATFORM.localise(expected, target), target), 5)
    push(lab, fabric)
    timed("simulator and subnet managers up", lambda: lab.up(timeout_s=900))
    node = lab.sm_nodes["sm1"]
    reading = f"{SUBNET.text} --what ports,pkeys --rate 0"
    answer = timed("topology and all P_Keys read", lambda: node.run(reading, timeout_s=600))
    document = json.loads(answer.stdout)
    seconds, count = document["seconds"]["pkeys"], document["count"]["pkeys"]
    print(f"  {document['mads']} MADs; P_Keys alone {seconds:.2f} s for {count} MADs (goal 2 s)")
    checked(lab, node, expected)
    checker, reader = (
        resource.getrusage(who).ru_maxrss >> 10 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    print(f"load of the machine (1, 5, 15 minutes): {os.getloadavg()}")
    print(f"memory of the checker {checker} MiB, of the reader at most {reader} MiB (goal 1024)")
    if arguments.compare:
        smpquery = "for lid in $(seq 1 100); do smpquery pkeys $lid; done >/dev/null"
        timed("smpquery pkeys, one process per LID, 100 LIDs", lambda: node.run(smpquery))
        compared(node)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hcas", type=int, default=10240)
    parser.add_argument("--tenants", type=int, default=100)
    parser.add_argument("--engine", default="updn")
    parser.add_argument("--compare", action="store_true", help="measure smpquery, ibnetdiscover and iblinkinfo too")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="ib-bench-"))
    lab = InfinibandLab(folder / "lab", large(arguments.hcas) if arguments.hcas > SMALL else Size())
    try:
        run(lab, folder, arguments)
    finally:
        lab.down()
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
