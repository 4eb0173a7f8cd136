"""``scontrol`` and ``squeue`` as far as a drain gate asks them; hands say ``lab slurm STATE``. Layout: Slurm 23."""

from __future__ import annotations

from collections.abc import Sequence

from fabric_drift.lab.emulator import Answer, Store

STATES = {"idle": "IDLE", "allocated": "ALLOCATED", "drained": "IDLE+DRAIN", "draining": "ALLOCATED+DRAIN"}
JOB = "4711"
ABSENT = Answer(stderr="bash: line 1: scontrol: command not found\n", exit_status=127)


def scontrol(store: Store, args: Sequence[str], _root: bool) -> Answer:
    """``scontrol --oneliner show node NAME``."""
    state = store.get("slurm")
    if not state:
        return ABSENT
    match [word for word in args if not word.startswith("-")]:
        case ["show", "node", name] if name == store["hostname"]:
            return Answer(f"NodeName={name} Arch=x86_64 CoresPerSocket=56 State={STATES[state]} ThreadsPerCore=1 \n")
        case ["show", "node", name]:
            return Answer(stderr=f"Node {name} not found\n", exit_status=1)
        case _:
            return Answer(stderr="scontrol: only show node is emulated\n", exit_status=1)


def squeue(store: Store, args: Sequence[str], _root: bool) -> Answer:
    """``squeue --noheader --nodelist=NAME --format=%A``."""
    state = store.get("slurm")
    if not state:
        return Answer(stderr=ABSENT.stderr.replace("scontrol", "squeue"), exit_status=ABSENT.exit_status)
    if set(args) != {"--noheader", f"--nodelist={store['hostname']}", "--format=%A"}:
        return Answer(stderr="squeue: only the jobs of this node are emulated\n", exit_status=1)
    return Answer(f"{JOB}\n" if STATES[state].startswith("ALLOCATED") else "")
