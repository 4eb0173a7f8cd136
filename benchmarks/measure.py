"""Runs one measure in this process and prints its result as JSON on the last line."""

from __future__ import annotations

import importlib
import json
import resource
import sys
from collections.abc import Callable
from dataclasses import asdict

from benchmarks.clock import Clock
from benchmarks.run import Result

WHERE = {
    "eos": "parse_diff",
    "eos_hier_config": "text_engines",
    "eos_netutils": "text_engines",
    "sonic": "parse_diff",
    "sonic_json": "parse_diff",
    "live": "live",
    "live_bare": "live",
    "scale": "scale",
}


def peak_mib() -> float:
    """Peak resident memory of this process. Linux counts in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(name: str, count: int) -> None:
    function: Callable[[int], tuple[int, Clock, str]]
    function = getattr(importlib.import_module(f"benchmarks.{WHERE[name]}"), name)
    done, clock, note = function(count)
    print(json.dumps(asdict(Result(done, clock.seconds, clock.cpu_seconds, peak_mib(), note))))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
