"""Damaged answers of devices with and without drift, judged as a check judges them.

Two laws: no fault of ours (no traceback), and no match where information was lost: what the whole answers showed to be
wrong or unseen must still be told in some way when part of them was lost, or the device as a whole is an error.
"""

# ruff: noqa: T201  counts are for people
from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache

from fabric_drift.finding import Finding, Verdict
from fabric_drift.platform import Output
from fabric_drift.result import READ, DeviceResult, DeviceStatus
from tests.fuzz.damage import Damage, damage
from tests.fuzz.devices import DEVICES, small
from tests.mutations.fabric import judged

TOLD = (Verdict.DRIFT, Verdict.UNOBSERVED, Verdict.ERROR)
UNCHANGED = ""
CHUNK = 5_000
"""Cases of one seed: as many of these as it takes run side by side, and give the same results on any machine."""


@dataclass
class Tally:
    """Counts of one platform, and what broke a law."""

    platform: str
    cases: int = 0
    lossy: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, other: Tally) -> None:
        """Counts what another seed gave."""
        self.cases += other.cases
        self.lossy += other.lossy
        self.kinds += other.kinds
        self.statuses += other.statuses
        self.broken += other.broken
        self.seconds += other.seconds

    def __str__(self) -> str:
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(self.kinds.items()))
        statuses = ", ".join(f"{status} {count}" for status, count in sorted(self.statuses.items()))
        return (
            f"{self.platform}: {self.cases} damaged, {self.seconds:.0f} s of work ({kinds}); results: {statuses}; "
            f"{self.lossy} lost something; laws broken: {len(self.broken)}"
        )


@cache
def _whole(platform: str, change: str) -> tuple[Mapping[str, Output], tuple[Finding, ...], int]:
    """(answers, what is wrong, matches) of the device after one change by hand, nothing damaged."""
    device = small(platform)
    if change != UNCHANGED:
        device = device.changed(device.emulator.mutations(device.store)[change])
    outputs = device.outputs()
    result = judged(device, outputs)
    assert result.status in READ, result.problem
    return outputs, tuple(f for f in result.findings if f.verdict in TOLD), result.facts[Verdict.MATCH]


def fuzz(platform: str, cases: int, seed: int = 1) -> Tally:
    """``cases`` damaged answers of one platform."""
    chance = random.Random(f"{platform} {seed}")
    device = small(platform)
    changes = [UNCHANGED, *sorted(device.emulator.mutations(device.store))]
    tally = Tally(platform)
    start = time.monotonic()
    for _ in range(cases):
        change = chance.choice(changes)
        outputs, wrong, matches = _whole(platform, change)
        case = damage(chance, outputs)
        result = judged(device, case.outputs)
        tally.cases += 1
        tally.lossy += case.is_loss
        tally.kinds[case.kind] += 1
        tally.statuses[result.status.value] += 1
        problem = fault(case, result, wrong, matches)
        if problem:
            tally.broken.append(f"{change or 'unchanged'}, {case.kind} `{case.command}`: {problem}")
    tally.seconds = time.monotonic() - start
    return tally


def fuzz_in_chunks(platform: str, cases: int) -> Tally:
    """``cases`` damaged answers of one platform, on all cores; progress goes to standard error."""
    sizes = [min(CHUNK, cases - done) for done in range(0, cases, CHUNK)]
    total = Tally(platform)
    with ProcessPoolExecutor() as pool:
        for tally in pool.map(fuzz, [platform] * len(sizes), sizes, range(1, len(sizes) + 1)):
            total.add(tally)
            print(
                f"{platform}: {total.cases} of {cases}, laws broken: {len(total.broken)}", file=sys.stderr, flush=True
            )
    return total


def fault(case: Damage, result: DeviceResult, wrong: tuple[Finding, ...], matches: int) -> str:
    """Which law a result breaks, or nothing."""
    if result.status is DeviceStatus.INTERNAL_ERROR:
        return result.problem
    if not case.is_loss or result.status not in READ:
        return ""
    told = [finding for finding in result.findings if finding.verdict in TOLD]
    silent = next((finding for finding in wrong if not any(_speaks_of(item, finding) for item in told)), None)
    if silent is not None:
        layer = silent.layer.value if silent.layer else "-"
        return f"{'/'.join(silent.path)} in {layer} is {silent.actual}, and nothing tells"
    more = result.facts[Verdict.MATCH] - matches
    return f"{more} more matches than the whole answers have" if more > 0 else ""


def _speaks_of(finding: Finding, silent: Finding) -> bool:
    """Whether a finding covers what ``silent`` was about: that fact, something around it or something in it."""
    if finding.layer not in (silent.layer, None):
        return False
    if silent.path[:1] == ("untranslated",):  # a line that no fact stands for: any doubt about the layer covers it
        return True
    path = silent.path[: silent.path.index("neighbour") + 1] if "neighbour" in silent.path else silent.path
    length = min(len(finding.path), len(path))  # the port of a neighbour that is another device follows from that
    return finding.path[:length] == path[:length]


def main() -> int:
    """``python -m tests.fuzz.run [cases [platform ...]]``: prints the counts; 1 where a law was broken."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    broken = 0
    for platform in sys.argv[2:] or DEVICES:
        tally = fuzz_in_chunks(platform, cases)
        print(tally, flush=True)
        for problem in tally.broken[:20]:
            print(f"  {problem}")
        broken += len(tally.broken)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
