"""Two revisions of the intent -> what changes, where, and how risky that is. No device, no credential.

``review`` and ``command`` are imported when they are asked for: ``--help`` must not wait for pydantic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fabric_drift.review.cli import command
    from fabric_drift.review.revisions import review

__all__ = ["command", "review"]


def __getattr__(name: str) -> Any:
    if name == "command":
        from fabric_drift.review.cli import command  # noqa: PLC0415 - see above

        return command
    if name == "review":
        from fabric_drift.review.revisions import review  # noqa: PLC0415 - see above

        return review
    raise AttributeError(name)
