"""One result with everything in it, for every report."""

from __future__ import annotations

from typing import Any

from fabric_drift.finding import Evidence, Finding, Layer, Severity, Source, Verdict
from fabric_drift.result import CheckResult, DeviceResult, DeviceStatus
from fabric_drift.state import ABSENT, UNSAID, Unobserved

HOSTILE = "\x1b[31m</td><script>alert(1)</script>|`rm -rf`\x00\u202e[x](javascript:1)"


def finding(device: str, port: str, *tail: str, **details: Any) -> Finding:
    values: dict[str, Any] = {
        "layer": Layer.RUNNING,
        "verdict": Verdict.DRIFT,
        "expected": (3,),
        "actual": (),
        "rule": "FD-PFC-001",
        "severity": Severity.CRITICAL,
        "message": "PFC is on for other priorities",
        "sources": (Source("intent/pod1/fabric.yml", 14),),
        "evidence": (Evidence("show running-config", ("   no priority-flow-control",), 120),),
        **details,
    }
    return Finding(device, ("ports", port, *tail), **values)


def pfc(device: str, number: int) -> Finding:
    return finding(device, f"Ethernet{number}", "qos", "pfc", "priorities")


def counts(**facts: int) -> dict[Verdict, int]:
    return {verdict: facts.get(verdict.value, 0) for verdict in Verdict}


DRIFTED = [pfc(device, number) for device in ("leaf1", "leaf2") for number in (0, 8, 16)]
EXTRA = finding(
    "leaf2", "Ethernet0", "qos", "maps", "dscp_to_tc", "34",
    expected=ABSENT, actual=3, rule="FD-QOS-002", severity=Severity.HIGH, message="A DSCP of another class",
)  # fmt: skip
UNSEEN = finding(
    "leaf2", "Ethernet0", "mtu_bytes",
    verdict=Verdict.UNOBSERVED, expected=9100, actual=Unobserved("no layer carries it"), layer=None,
    rule="FD-SEE-002", severity=Severity.HIGH, message="Nothing that was read says it", evidence=(),
)  # fmt: skip
SAVED = [
    finding(device, "Ethernet8", "fec", layer=layer, expected="rs", actual="none", rule="FD-PORT-005",
            severity=Severity.MEDIUM, message="A port's FEC differs",
            evidence=(Evidence(f"show {layer.value}", ("   fec none",), 7),))
    for device in ("leaf1", "leaf2") for layer in (Layer.SAVED, Layer.RUNNING)
]  # fmt: skip
WAIVED = finding("leaf1", "Ethernet0", "fec", verdict=Verdict.WAIVED, rule="FD-PORT-005", message="waived until ...")
FOREIGN = finding(
    "leaf1", "Ethernet99", verdict=Verdict.INFORMATION, expected=UNSAID, actual="mtu 1500", severity=Severity.INFO,
    rule="FD-SEE-003", message="Outside the managed scope", sources=(), evidence=(),
)  # fmt: skip
WRONG = Finding("leaf3", (), None, Verdict.ERROR, UNSAID, UNSAID, rule="FD-SSH-001", message="no answer")

RESULT = CheckResult(
    "pod1",
    (
        DeviceResult(
            "leaf1", "eos", DeviceStatus.CHECKED, release="4.32.2F", notes=("LLDP is off",),

            findings=(*DRIFTED[:3], *SAVED[:2], WAIVED, FOREIGN),
            facts=counts(match=1200, drift=5, waived=1, information=1),
        ),
        DeviceResult(
            "leaf2", "eos", DeviceStatus.INCOMPLETE, findings=(*DRIFTED[3:], *SAVED[2:], EXTRA, UNSEEN),
            facts=counts(match=34, drift=6, unobserved=1), refused=("show x: exit status 1",),
        ),
        DeviceResult(
            "leaf3", "eos", DeviceStatus.UNREACHABLE, problem="leaf3: no answer. Look. [FD-SSH-001]",
            findings=(WRONG,), facts=counts(error=700),
        ),
        DeviceResult("leaf4", "eos", DeviceStatus.EXPECTED_DOWN, lifecycle="spare", facts=counts()),
    ),
    ("waivers.yml:3: waiver of net expires in 3 d",),
)  # fmt: skip
CLEAN = CheckResult("pod1", (DeviceResult("leaf1", "eos", DeviceStatus.CHECKED, facts=counts(match=7)),))


def hostile(text: str) -> CheckResult:
    """A result with ``text`` wherever a device can put one."""
    shown = (
        finding("leaf1", "Ethernet0", "fec", actual=text, evidence=(Evidence(text, (text,), 1),)),
        finding("leaf1", text, "fec", actual={text: text}, message=text, sources=(Source(text, 1),)),
    )
    read = DeviceResult("leaf1", "eos", DeviceStatus.INCOMPLETE, notes=(text,), refused=(text,), findings=shown)
    return CheckResult("pod1", (read, DeviceResult(text, "eos", DeviceStatus.UNPARSED, problem=text)), (text,))


NASTY = hostile(HOSTILE)
