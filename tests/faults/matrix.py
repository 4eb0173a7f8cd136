"""The fault matrix as a table: ``python -m tests.faults.matrix [platform ...]``.

Exit status 1 where a cell isn't in an allowed end state.
"""
# ruff: noqa: T201  it prints a table

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.faults.bench import CANNOT_HAVE, NAMES
from tests.faults.bench import bench as make_bench
from tests.faults.run import missing, run
from tests.faults.table import FAULTS, Fault


def cell(name: str, fault: Fault) -> tuple[str, tuple[str, ...]]:
    """(what is printed, why it isn't allowed)."""
    with tempfile.TemporaryDirectory() as directory:
        bench = make_bench(name, Path(directory))
        if missing(bench, fault):
            return "-", ()
        result = run(bench, fault, Path(directory))
        return ("" if not result.problems else "NOT ") + result.outcome.status.value, result.problems


def main(names: list[str]) -> int:
    """Prints the table, then everything that isn't allowed, then the count."""
    chosen = names or list(NAMES)
    width = max(len(fault.name) for fault in FAULTS)
    print("fault".ljust(width), *(name.ljust(24) for name in chosen))
    bad: list[str] = []
    cells = 0
    for fault in FAULTS:
        row = []
        for name in chosen:
            text, problems = cell(name, fault)
            row.append(text.ljust(24))
            cells += text != "-"
            bad += [f"{name}, {fault.name}: {problem}" for problem in problems]
        print(fault.name.ljust(width), *row, flush=True)
    print(*(f"- {name}, {hurt}: {why}" for name in chosen for hurt, why in CANNOT_HAVE[name].items()), sep="\n")
    print(*bad, sep="\n", end="\n" if bad else "")
    print(f"{cells} cells, {len({line.split(':')[0] for line in bad})} not in an allowed end state")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
