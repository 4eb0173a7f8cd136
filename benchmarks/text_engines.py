"""The same EOS configurations through the text engines that operators use today."""

from __future__ import annotations

from collections.abc import Callable

from hier_config import Platform, WorkflowRemediation, get_hconfig
from netutils.config.compliance import diff_network_config

from benchmarks.clock import Clock
from benchmarks.fleet import devices, fleet

TEXTS = ("show running-config", "show startup-config")


def eos_hier_config(count: int) -> tuple[int, Clock, str]:
    return _measure(count, _remediation)


def eos_netutils(count: int) -> tuple[int, Clock, str]:
    return _measure(count, lambda running, intended: diff_network_config(intended, running, "arista_eos"))


def _remediation(running: str, intended: str) -> str:
    workflow = WorkflowRemediation(
        get_hconfig(Platform.ARISTA_EOS, running), get_hconfig(Platform.ARISTA_EOS, intended)
    )
    return "\n".join(line.cisco_style_text() for line in workflow.remediation_config.all_children_sorted())


def _measure(count: int, engine: Callable[[str, str], str]) -> tuple[int, Clock, str]:
    """Both texts against the intended one; that of a device that is in sync is what was intended."""
    clock, drifted, source = Clock(), 0, fleet("eos")
    engine(source.outputs[TEXTS[0]].stdout, source.outputs[TEXTS[0]].stdout)  # warm-up, as ours has one
    for outputs in devices(source, count):
        texts = [outputs[name].stdout for name in TEXTS]
        intended = texts[0].replace("mtu 9000", "mtu 9100")
        with clock.running():
            found = [engine(text, intended) for text in texts]
        drifted += any(item.strip() for item in found)
    assert drifted == (count + 3) // 4, f"{drifted} of {count} drifted"
    lines = sum(text.count("\n") for text in texts)
    return count, clock, f"{lines} lines, {drifted} with drift"
