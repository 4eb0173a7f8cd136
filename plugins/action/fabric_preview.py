"""fabric_preview: arguments to the workflow, its result to Ansible. All work is done by the package fabric-drift."""

from __future__ import annotations

from typing import Any, ClassVar

from ansible_collections.fabric_drift.fabric.plugins.plugin_utils.fabric_action import CONSENT, FLEET, FabricAction


class ActionModule(FabricAction):
    """Runs once for all hosts of the play."""

    ARGUMENTS: ClassVar[dict[str, Any]] = {
        **FLEET,
        **CONSENT,
        "batch": {"type": "int", "default": 8},
        "plan": {"type": "path"},
        "run_log": {"type": "path"},
    }

    def told(self, arguments: dict[str, Any], variables: dict[str, Any]) -> dict[str, Any]:
        """Plans per host, by shape and in waves; never changes anything, so check mode makes no difference."""
        from fabric_drift.workflow.play_change import preview_hosts  # noqa: PLC0415  the package may be missing

        hosts, groups = variables["ansible_play_hosts_all"], variables["groups"]
        told = preview_hosts(variables["hostvars"], hosts, groups["all"], arguments)
        return {**told, "planned": told["changed"], "changed": False}
