"""fabric_apply: arguments to the workflow, its result to Ansible. All work is done by the package fabric-drift."""

from __future__ import annotations

import sys
import traceback
from typing import Any

from ansible.plugins.action import ActionBase

try:
    from fabric_drift.errors import FabricDriftError
    from fabric_drift.workflow.play_change import apply_host

    MISSING = ""
except ImportError:
    MISSING = traceback.format_exc(limit=1)

PARTS = ["add_on_switches", "add_on_hosts", "add_to_jobs",
         "remove_from_jobs", "remove_from_hosts", "remove_from_switches"]  # fmt: skip
ARGUMENTS = {
    "intent": {"type": "path", "required": True},
    "part": {"type": "str", "choices": PARTS},
    "approval": {"type": "dict"},
    "plan": {"type": "path"},
    "run_log": {"type": "path", "required": True},
    "allow": {"type": "list", "elements": "str", "default": []},
    "drained": {"type": "list", "elements": "str", "default": []},
    "unseen": {"type": "list", "elements": "str", "default": []},
    "poll": {"type": "float", "default": 5.0},
    "command_timeout": {"type": "float", "default": 60.0},
    "device_timeout": {"type": "float", "default": 600.0},
}


class ActionModule(ActionBase):  # type: ignore[misc]  # Ansible is untyped
    """Runs for one host, in the Python of ansible-playbook."""

    _requires_connection = False

    def run(self, tmp: Any = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """How the device ended; in check mode, what would be done to it."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        if MISSING:
            remedy = f"{sys.executable} -m pip install fabric-drift"
            return {**result, "failed": True, "msg": f"Python package missing: run {remedy}", "exception": MISSING}
        _, arguments = self.validate_argument_spec(ARGUMENTS, mutually_exclusive=[["approval", "plan"]])
        arguments["check_mode"] = self._task.check_mode
        variables = task_vars or {}
        try:
            told = apply_host(
                variables["inventory_hostname"], variables["hostvars"], variables["groups"]["all"], arguments
            )
        except FabricDriftError as error:
            return {**result, "failed": True, "msg": error.text(), "status": "refused", "changed": False}
        if not told["ok"]:  # Ansible prints all of it; the native lines are in the run log
            told = {key: value for key, value in told.items() if key not in ("commands", "before", "after", "diff")}
        elif not self._task.diff:
            told.pop("diff")
        return {**result, **told, "failed": not told["ok"], "msg": told["message"]}
