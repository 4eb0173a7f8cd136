"""fabric_preview: arguments to the workflow, its result to Ansible. All work is done by the package fabric-drift."""

from __future__ import annotations

import sys
import traceback
from typing import Any

from ansible.plugins.action import ActionBase

try:
    from fabric_drift.errors import FabricDriftError
    from fabric_drift.workflow.play_change import preview_hosts

    MISSING = ""
except ImportError:
    MISSING = traceback.format_exc(limit=1)

ARGUMENTS = {
    "intent": {"type": "path", "required": True},
    "allow": {"type": "list", "elements": "str", "default": []},
    "drained": {"type": "list", "elements": "str", "default": []},
    "unseen": {"type": "list", "elements": "str", "default": []},
    "batch": {"type": "int", "default": 8},
    "plan": {"type": "path"},
    "run_log": {"type": "path"},
    "concurrency": {"type": "int", "default": 64},
    "command_timeout": {"type": "float", "default": 60.0},
    "device_timeout": {"type": "float", "default": 600.0},
}


class ActionModule(ActionBase):  # type: ignore[misc]  # Ansible is untyped
    """Runs once for all hosts of the play, in the Python of ansible-playbook."""

    _requires_connection = False

    def run(self, tmp: Any = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Plans per host, by shape and in waves; never changes anything, so check mode makes no difference."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        if MISSING:
            remedy = f"{sys.executable} -m pip install fabric-drift"
            return {**result, "failed": True, "msg": f"Python package missing: run {remedy}", "exception": MISSING}
        _, arguments = self.validate_argument_spec(argument_spec=ARGUMENTS)
        variables = task_vars or {}
        try:
            told = preview_hosts(
                variables["hostvars"], variables["ansible_play_hosts_all"], variables["groups"]["all"], arguments
            )
        except FabricDriftError as error:
            return {**result, "failed": True, "msg": error.text()}
        return {**result, **told, "planned": told["changed"], "changed": False}
