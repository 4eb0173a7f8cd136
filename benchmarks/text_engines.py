"""The same EOS configurations through the text engines that operators use today."""

from __future__ import annotations

import time
from collections.abc import Callable

from hier_config import Platform, WorkflowRemediation, get_hconfig
from netutils.config.compliance import diff_network_config

from benchmarks.fleet import devices, fleet

RUNNING = "show running-config"


def eos_hier_config(count: int) -> tuple[int, float, str]:
    return _measure(count, _remediation)


def eos_netutils(count: int) -> tuple[int, float, str]:
    return _measure(count, lambda running, intended: diff_network_config(intended, running, "arista_eos"))


def _remediation(running: str, intended: str) -> str:
    workflow = WorkflowRemediation(
        get_hconfig(Platform.ARISTA_EOS, running), get_hconfig(Platform.ARISTA_EOS, intended)
    )
    return "\n".join(line.cisco_style_text() for line in workflow.remediation_config.all_children_sorted())


def _measure(count: int, engine: Callable[[str, str], str]) -> tuple[int, float, str]:
    """Running against intended configuration; that of a device that is in sync is what was intended."""
    seconds, drifted = 0.0, 0
    for outputs in devices(fleet("eos"), count):
        running = outputs[RUNNING].stdout
        intended = running.replace("mtu 9000", "mtu 9100")
        start = time.perf_counter()
        found = engine(running, intended)
        seconds += time.perf_counter() - start
        drifted += bool(found.strip())
    assert drifted == (count + 3) // 4, f"{drifted} of {count} drifted"
    return count, seconds, f"{running.count(chr(10))} lines, {drifted} with drift"
