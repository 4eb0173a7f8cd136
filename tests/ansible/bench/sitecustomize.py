"""Put before the path of an ansible-playbook under test: its plugins then get their answers from a script.

``SCRIPT`` names a JSON file with what ``preview_hosts`` says and, by host, what ``apply_host`` says. Every call
is a line of ``SCRIPT``.calls, so a test sees what was asked, in which order.
"""

from __future__ import annotations

import json
import os
import sys
import time
import types
from pathlib import Path
from typing import Any

SCRIPT = Path(os.environ["SCRIPT"])


def _noted(**call: Any) -> None:
    line = json.dumps({**call, "at": time.monotonic()}) + "\n"
    with SCRIPT.with_suffix(".calls").open("a", encoding="utf-8") as file:
        file.write(line)


def preview_hosts(variables: Any, play_hosts: Any, inventory: Any, arguments: Any) -> dict[str, Any]:
    """The scripted preview."""
    users = {str(name): str(variables[name].get("ansible_user", "")) for name in play_hosts}
    _noted(verb="preview", hosts=sorted(users), users=users, arguments=dict(arguments), inventory=len(list(inventory)))
    told: dict[str, Any] = json.loads(SCRIPT.read_text(encoding="utf-8"))["preview"]
    return told


def apply_host(host: str, variables: Any, inventory: Any, arguments: Any) -> dict[str, Any]:
    """The scripted outcome of a host: changed, where the script says nothing."""
    _noted(verb="apply", host=str(host), arguments=dict(arguments), user=str(variables[host].get("ansible_user", "")))
    told: dict[str, Any] = json.loads(SCRIPT.read_text(encoding="utf-8")).get("apply", {}).get(host, {})
    fine = {"status": "changed", "ok": True, "changed": True, "message": "changed", "commands": [], "by_hand": ""}
    return {**fine, "diff": {"prepared": f"+ on {host}\n"}, **told}


def rollback_host(host: str, variables: Any, inventory: Any, arguments: Any) -> dict[str, Any]:
    """Takes the newest of the scripted runs of a host back; what was taken back is what was called for."""
    script = json.loads(SCRIPT.read_text(encoding="utf-8"))
    runs = script["runs"].get(host, [])
    calls = SCRIPT.with_suffix(".calls")
    done = [json.loads(line) for line in calls.read_text(encoding="utf-8").splitlines()] if calls.exists() else []
    runs = runs[sum(call["host"] == host and call["changed"] for call in done) :]
    mine = bool(runs) and arguments["part"] in (None, runs[0]["part"])
    told = {"status": "changed" if mine else "unchanged", "ok": True, "changed": mine, "message": ""}
    told |= script.get("apply", {}).get(host, {}) if not arguments["check_mode"] else {}
    taken = mine and told["ok"] and not arguments["check_mode"]
    _noted(verb="rollback", host=str(host), arguments=dict(arguments), changed=taken)
    return {**told, "runs": runs[1:] if taken else runs, "diff": {"prepared": ""}}


if Path(sys.argv[0]).name.startswith("ansible"):
    engine = types.ModuleType("fabric_drift.workflow.play_change")
    engine.preview_hosts = preview_hosts  # type: ignore[attr-defined]
    engine.apply_host = apply_host  # type: ignore[attr-defined]
    back = types.ModuleType("fabric_drift.workflow.play_rollback")
    back.rollback_host = rollback_host  # type: ignore[attr-defined]
    sys.modules |= {engine.__name__: engine, back.__name__: back}
