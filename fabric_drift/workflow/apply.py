"""apply: one part of one device's plan, by the stages of design law 6, to one of the ends of ``Status``."""

from __future__ import annotations

from pathlib import Path as FilePath

from fabric_drift.registry import platform as registered
from fabric_drift.workflow.access import Access
from fabric_drift.workflow.expectations import Expectations
from fabric_drift.workflow.outcome import Approval, Consent, Outcome, Part
from fabric_drift.workflow.sources import PlatformOf


def apply(
    expectations: Expectations,
    access: Access,
    device: str,
    *,
    run_log: FilePath,
    part: Part | None = None,
    approval: Approval | None = None,
    consent: Consent = Consent(),  # noqa: B008  frozen
    platform: PlatformOf = registered,
) -> Outcome:
    """Reads, plans, refuses or walks the stages; never raises for what happens to the device.

    ``part``: only these steps; None: all, for a device alone (a change by hand that is put right). ``approval``:
    of the preview; where anything has moved since, the device is refused. ``run_log``: directory, made 0700.
    """
    raise NotImplementedError
