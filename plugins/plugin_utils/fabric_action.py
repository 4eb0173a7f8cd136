"""What the actions of the collection share: a guarded import, arguments, and errors as results."""

from __future__ import annotations

import sys
import traceback
from typing import Any, ClassVar

from ansible.plugins.action import ActionBase

try:
    from fabric_drift.errors import FabricDriftError

    MISSING = ""
except ImportError:
    MISSING = traceback.format_exc(limit=1)

PARTS = [
    *("add_on_switches", "add_on_hosts", "add_to_jobs"),
    *("remove_from_jobs", "remove_from_hosts", "remove_from_switches"),
]
NAMES = {"type": "list", "elements": "str", "default": []}
BASE = {
    "intent": {"type": "path", "required": True},
    "command_timeout": {"type": "float", "default": 60.0},
    "device_timeout": {"type": "float", "default": 600.0},
}
FLEET = {"concurrency": {"type": "int", "default": 64}}
CONSENT = {"allow": NAMES, "drained": NAMES, "unseen": NAMES}
CHANGE = {"run_log": {"type": "path", "required": True}, "poll": {"type": "float", "default": 5.0}}
"""The argument specifications of plugins/doc_fragments/fabric.py."""
LOGGED = ("commands", "before", "after", "diff")
"""Native lines and facts that the run log has: not printed when a device failed."""


class FabricAction(ActionBase):  # type: ignore[misc]  # Ansible is untyped
    """Runs in the Python of ansible-playbook. A subclass has ARGUMENTS and tells its result."""

    _requires_connection = False
    ARGUMENTS: ClassVar[dict[str, Any]]
    EXCLUSIVE: ClassVar[list[list[str]]] = []
    ON_ERROR: ClassVar[dict[str, Any]] = {}

    @classmethod
    def all_arguments(cls) -> dict[str, Any]:
        """Its argument specification."""
        return BASE | cls.ARGUMENTS

    def told(self, arguments: dict[str, Any], variables: dict[str, Any]) -> dict[str, Any]:
        """The result of the action. May raise FabricDriftError."""
        raise NotImplementedError

    def run(self, tmp: Any = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """What the action tells; an error of ours becomes the message of a failed task."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        if MISSING:
            remedy = f"{sys.executable} -m pip install fabric-drift"
            return {**result, "failed": True, "msg": f"Python package missing: run {remedy}", "exception": MISSING}
        _, arguments = self.validate_argument_spec(self.all_arguments(), mutually_exclusive=self.EXCLUSIVE)
        try:
            return {**result, **self.told(arguments, task_vars or {})}
        except FabricDriftError as error:
            return {**result, "failed": True, "msg": error.text(), **self.ON_ERROR}


class ChangeAction(FabricAction):
    """Changes one device, or says how it was left."""

    ON_ERROR: ClassVar[dict[str, Any]] = {"status": "refused", "changed": False}

    def ended(self, arguments: dict[str, Any], variables: dict[str, Any]) -> dict[str, Any]:
        """What the workflow says of the device. May raise FabricDriftError."""
        raise NotImplementedError

    def told(self, arguments: dict[str, Any], variables: dict[str, Any]) -> dict[str, Any]:
        """How the device ended; in check mode, what would be done to it."""
        ended = self.ended({**arguments, "check_mode": self._task.check_mode}, variables)
        hidden = () if ended["ok"] else LOGGED
        if not self._task.diff:
            hidden = (*hidden, "diff")
        shown = {key: value for key, value in ended.items() if key not in hidden}
        return {**shown, "failed": not ended["ok"], "msg": ended["message"]}
