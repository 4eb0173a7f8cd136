"""preview: what would change on which device, how disruptive it is, how it is undone, in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fabric_drift.registry import platform as registered
from fabric_drift.workflow.access import Access
from fabric_drift.workflow.expectations import Expectations
from fabric_drift.workflow.outcome import Consent, PreviewResult
from fabric_drift.workflow.sources import PlatformOf

BATCH = 8


def preview(
    expectations: Expectations,
    access: Access,
    *,
    only: Sequence[str] = (),
    consent: Consent = Consent(),  # noqa: B008  frozen
    batch: int = BATCH,
    platform: PlatformOf = registered,
    progress: Callable[[str], None] = lambda _: None,
) -> PreviewResult:
    """Reads the devices and plans; writes nothing, on no device and on no disk.

    Raises IntentError for an unknown name in ``only``; whatever happens to a device is in the result.
    """
    raise NotImplementedError
