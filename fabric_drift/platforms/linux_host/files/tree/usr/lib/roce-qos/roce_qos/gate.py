"""Whether links may go down now: the site's drain gate, and the queue pairs that processes hold."""

from __future__ import annotations

import json

from roce_qos.host import GATE, Failed, Host

GATE_SECONDS = 60
REFUSED = 4


def require_drained(host: Host) -> None:
    """Raises Failed (4) unless the gate says yes in time and no process holds a queue pair on any NIC."""
    status, out, err = host.run([GATE], timeout=GATE_SECONDS)
    if status == 127:  # noqa: PLR2004 - no such command
        raise Failed(f"no drain gate: put a program at {GATE} (examples in /usr/share/roce-qos)", REFUSED)
    if status:
        told = (err or out).strip()[:300]
        raise Failed(f"the drain gate refuses (exit status {status}): {told}", REFUSED)
    require_no_queue_pairs(host, "")


def require_no_queue_pairs(host: Host, device: str) -> None:
    """Raises Failed (4) while a process holds a queue pair of ``device`` ("": of any); unreadable counts as held.

    Queue pairs that a GPU or a process made through DevX aren't in this list: only the gate knows of them.
    """
    status, out, err = host.run(["rdma", "-j", "resource", "show", "qp"])
    blind = "can't tell whether queue pairs are in use: `rdma -j resource show qp`"
    if status:
        raise Failed(f"{blind}: {err.strip()[:200]}", REFUSED)
    try:
        rows = [row for row in json.loads(out or "[]") if "pid" in row]  # the kernel's own have no pid
        held = sorted({(row["pid"], row.get("comm", "?")) for row in rows if device in ("", row["ifname"])})
    except (ValueError, TypeError, KeyError) as error:
        raise Failed(f"{blind}: {error}", REFUSED) from error
    if held:
        names = ", ".join(f"{comm} (pid {pid})" for pid, comm in held[:5])
        raise Failed(f"queue pairs are in use by {names}: drain the host first", REFUSED)
