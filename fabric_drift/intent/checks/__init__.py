"""Contradictions: what is well written and still can't be true of one fabric. Each fault is said once."""

from fabric_drift.intent.checks.classes import check_classes_exist
from fabric_drift.intent.checks.everything import check

__all__ = ["check", "check_classes_exist"]
