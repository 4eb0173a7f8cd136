"""Measures the promises about speed and prints one table: `python benchmarks/run.py [--quick] [NAME ...]`.

Every measure runs in a process of its own, one after the other, so that peak memory is its own and ratios
are of one run on one machine. Numbers of other machines aren't comparable; the ratios roughly are.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Measure:
    """``count``: how often in a full run; ``unit``: of what; ``group``: compared within; ``goal`` is for people."""

    name: str
    title: str
    count: int
    unit: str
    group: str
    goal: str = ""
    quick: int = 10
    clock: str = "cpu_seconds"
    """By which the rate and the ratio are told."""

    def rate(self, result: Result) -> float:
        """How many a second."""
        return float(result.count / getattr(result, self.clock))


MEASURES = (
    Measure(
        "eos", "EOS, 64 ports, 3,000 lines, running and saved: parse + diff", 1000, "devices", "eos", ">= 100/s, >= 3x"
    ),
    Measure("eos_hier_config", "  the same two texts: hier_config remediation", 20, "devices", "eos", quick=3),
    Measure("eos_netutils", "  the same two texts: netutils diff_network_config", 40, "devices", "eos", quick=3),
    Measure(
        "sonic", "SONiC, 64 ports, 3,000 lines, all four layers: parse + diff", 1000, "devices", "sonic", ">= 100/s"
    ),
    Measure("sonic_json", "  the same documents: json.loads alone", 1000, "devices", "sonic"),
    Measure(
        "live",
        "live check of 200 devices over SSH",
        200,
        "devices",
        "live",
        "<= 1.5x the bare loop",
        quick=20,
        clock="seconds",
    ),
    Measure("live_bare", "  the same commands: bare asyncssh loop", 200, "devices", "live", quick=20, clock="seconds"),
    Measure(
        "scale",
        "load + expect + render, 2,000 switches, 64,000 links",
        2000,
        "devices",
        "scale",
        "<= 20 s",
        quick=40,
        clock="seconds",
    ),
)


@dataclass(frozen=True, slots=True)
class Result:
    """What one process measured: of the measured part alone, without making the input.

    ``cpu_seconds`` without those of other processes: for "live" without the emulated devices'.
    """

    count: int
    seconds: float
    cpu_seconds: float
    peak_mib: float
    note: str = ""


def run(measure: Measure, count: int) -> Result:
    """Runs one measure in its own process; raises CalledProcessError with its traceback on the terminal."""
    command = [sys.executable, "-m", "benchmarks.measure", measure.name, str(count)]
    done = subprocess.run(command, cwd=REPO, check=True, stdout=subprocess.PIPE, text=True)
    return Result(**json.loads(done.stdout.splitlines()[-1]))


def machine() -> str:
    """The machine, as far as it decides the numbers."""
    cpu = next((line.split(":")[1].strip() for line in _cpuinfo() if line.startswith("model name")), platform.machine())
    return (
        f"{cpu}, {os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()} {platform.release()}"
    )


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def table(results: dict[str, Result]) -> str:
    """One row per measure, with how many times as fast the first of its group is."""
    done = [measure for measure in MEASURES if measure.name in results]
    first = {measure.group: measure.rate(results[measure.name]) for measure in reversed(done)}
    rows = [("measure", "measured", "wall s", "CPU s", "rate", "first is", "peak MiB", "goal")]
    for measure in done:
        found = results[measure.name]
        rate = measure.rate(found)
        rows.append(
            (
                measure.title,
                f"{found.count} {measure.unit}",
                f"{found.seconds:.2f}",
                f"{found.cpu_seconds:.2f}",
                f"{rate:.1f}/s" + (" CPU" if measure.clock == "cpu_seconds" else ""),
                f"{first[measure.group] / rate:.2f}x as fast",
                f"{found.peak_mib:.0f}",
                measure.goal + (f" ({found.note})" if found.note else ""),
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(measure.name for measure in MEASURES))
    parser.add_argument("--quick", action="store_true", help="few devices: shows that it runs, not how fast it is")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - {measure.name for measure in MEASURES}
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    results: dict[str, Result] = {}
    for measure in MEASURES:
        if not arguments.names or measure.name in arguments.names:
            print(f"{measure.title.strip()} ...", file=sys.stderr)
            results[measure.name] = run(measure, measure.quick if arguments.quick else measure.count)
    print(f"machine: {machine()}")
    print(table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
