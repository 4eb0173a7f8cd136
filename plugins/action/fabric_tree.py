"""fabric_tree: reads a directory of the controller; the module of the same name writes it on the host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.plugins.action import ActionBase

ARGUMENTS = {
    "src": {"type": "path", "required": True},
    "dest": {"type": "path", "required": True},
}
SKIPPED = "__pycache__"


class ActionModule(ActionBase):  # type: ignore[misc]  # Ansible is untyped
    """One transfer for all files. In check mode nothing is written."""

    @classmethod
    def all_arguments(cls) -> dict[str, Any]:
        """Its argument specification."""
        return ARGUMENTS

    def run(self, tmp: Any = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Whether something differed, and what. Fails for a file that isn't UTF-8 text."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        _, arguments = self.validate_argument_spec(self.all_arguments())
        source = Path(arguments["src"])
        paths = sorted(path for path in source.rglob("*") if path.is_file() and SKIPPED not in path.parts)
        if not paths:
            return {**result, "failed": True, "msg": f"{source} is not a directory of the controller with files"}
        try:
            files = {str(path.relative_to(source)): self._file(path) for path in paths}
        except (OSError, UnicodeDecodeError) as error:
            return {**result, "failed": True, "msg": f"{source}: {error}"}
        told: dict[str, Any] = self._execute_module(
            "fabric_drift.fabric.fabric_tree",
            module_args={"dest": arguments["dest"], "files": files},
            task_vars=task_vars,
        )
        told.pop("invocation", None)  # the files once more
        return {**result, **told}

    @staticmethod
    def _file(path: Path) -> list[str]:
        """Mode and text."""
        return ["0755" if path.stat().st_mode & 0o100 else "0644", path.read_text(encoding="utf-8")]
