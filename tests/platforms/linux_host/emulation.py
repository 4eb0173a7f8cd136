"""What a host would answer that booted with rendered files, and what dcb would show of a policy. Test code only."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from fabric_drift.platform import Output, Rendered
from fabric_drift.platforms.linux_host.commands import JOB_FILES, ROCE_QOS
from fabric_drift.state.device import PortQos
from tests.platforms.linux_host.sessions import capture

INSTALLED = {"nccl.conf": "/etc/nccl.conf", "ucx.conf": "/etc/ucx/ucx.conf"}


def saved_outputs(files: Iterable[Rendered]) -> dict[str, Output]:
    """Answers of the two greps about files, as GNU grep gives them."""
    texts = {file.name: file.text for file in files}
    ports = {f"/etc/{name}": text for name, text in sorted(texts.items()) if name.startswith("roce-qos/")}
    jobs = {path: texts[name] for name, path in INSTALLED.items() if name in texts}
    missing = [path for name, path in INSTALLED.items() if name not in texts]
    complaints = "".join(f"grep: {path}: No such file or directory\n" for path in missing)
    return {
        ROCE_QOS: Output(_numbered(ports)),
        JOB_FILES: Output(_numbered(jobs), complaints, 2 if missing else 0),
    }


def _numbered(texts: dict[str, str]) -> str:
    rows = (
        (path, number, line) for path, text in texts.items() for number, line in enumerate(text.split("\n"), start=1)
    )
    return "".join(f"{path}:{number}:{line}\n" for path, number, line in rows if line)


def dcb_outputs(qos: PortQos, netdev: str) -> dict[str, Output]:
    """``dcb -j`` of a port that holds a localised policy, in the shapes of iproute2 6.1."""
    facts: Any = qos
    shares = dict(facts.scheduling)
    total = sum(share for share in shares.values() if isinstance(share, int)) or 1
    maps, eight = facts.maps, range(8)
    percents = {tc: share * 100 // total for tc, share in shares.items() if isinstance(share, int)}
    shown: dict[str, Any] = {
        "pfc": {
            "pfc_cap": 8,
            "macsec_bypass": False,
            "delay": facts.cable_length_m,
            "prio_pfc": [priority in facts.pfc.priorities for priority in eight],
        },
        "ets": {
            "willing": False,
            "ets_cap": 8,
            "cbs": False,
            "tc_bw": [percents.get(tc, 0) for tc in eight],
            "pg_bw": [0] * 8,
            "tc_tsa": [shares[tc] if isinstance(shares.get(tc), str) else "ets" for tc in eight],
            "prio_tc": [maps.priority_to_tc[priority] for priority in eight],
            "reco_tc_bw": [0] * 8,
            "reco_tc_tsa": ["strict"] * 8,
            "reco_prio_tc": [0] * 8,
        },
        "app": {"dscp_prio": [[dscp, priority] for dscp, priority in sorted(maps.dscp_to_priority.items())]},
        "buffer": {
            "prio_buffer": [maps.priority_to_buffer[priority] for priority in eight],
            "buffer_size": [facts.receive_buffers_bytes[buffer] for buffer in eight],
            "total_size": 262016,
        },
        "dcbx": {"host": True, "ieee": True} if facts.dcbx == "off" else {"cee": True, "ieee": True},
    }
    pause = "on" if facts.global_pause else "off"
    text = f"Pause parameters for {netdev}:\nAutonegotiate:\toff\nRX:\t\t{pause}\nTX:\t\t{pause}\n\n"
    answers = {f"dcb -j {kind} show dev {netdev}": Output(json.dumps(value) + "\n") for kind, value in shown.items()}
    return {**answers, f"ethtool -a {netdev}": Output(text)}


def all_outputs(changes: dict[str, Output]) -> dict[str, Output]:
    """The whole host of the capture, with some answers changed."""
    return {**capture("gpu1"), **changes}
