"""fabric_check: arguments to the workflow, its result to Ansible. All work is done by the package fabric-drift."""

from __future__ import annotations

from typing import Any, ClassVar

from ansible_collections.fabric_drift.fabric.plugins.plugin_utils.fabric_action import FLEET, FabricAction


class ActionModule(FabricAction):
    """Runs once for all hosts of the play."""

    ARGUMENTS: ClassVar[dict[str, Any]] = {
        **FLEET,
        "waivers": {"type": "path"},
        "captures": {"type": "path"},
        "output": {"type": "list", "elements": "str", "default": []},
        "fail_on": {"type": "str", "default": "low", "choices": ["info", "low", "medium", "high", "critical"]},
    }

    def told(self, arguments: dict[str, Any], variables: dict[str, Any]) -> dict[str, Any]:
        """Findings per host and a summary; never changes anything, so check mode makes no difference."""
        from fabric_drift.workflow.play import check_hosts  # noqa: PLC0415  the package may be missing

        hosts, groups = variables["ansible_play_hosts_all"], variables["groups"]
        return {**check_hosts(variables["hostvars"], hosts, groups["all"], arguments), "changed": False}
