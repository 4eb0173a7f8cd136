"""fabric_apply: arguments to the workflow, its result to Ansible. All work is done by the package fabric-drift."""

from __future__ import annotations

from typing import Any, ClassVar

from ansible_collections.fabric_drift.fabric.plugins.plugin_utils.fabric_action import (
    CHANGE,
    CONSENT,
    PARTS,
    ChangeAction,
)


class ActionModule(ChangeAction):
    """Runs for one host."""

    ARGUMENTS: ClassVar[dict[str, Any]] = {
        **CONSENT,
        **CHANGE,
        "part": {"type": "str", "choices": PARTS},
        "approval": {"type": "dict"},
        "plan": {"type": "path"},
    }
    EXCLUSIVE: ClassVar[list[list[str]]] = [["approval", "plan"]]

    def ended(self, arguments: dict[str, Any], variables: dict[str, Any]) -> dict[str, Any]:
        """How the device was brought to its intent, or left as it was."""
        from fabric_drift.workflow.play_change import apply_host  # noqa: PLC0415  the package may be missing

        host, groups = variables["inventory_hostname"], variables["groups"]
        return dict(apply_host(host, variables["hostvars"], groups["all"], arguments))
