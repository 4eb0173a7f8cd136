"""Intent + device -> expected ``DeviceState``, and why: pure, vendor-neutral, shared objects for shared policies."""

from fabric_drift.expect.device import expect
from fabric_drift.expect.explain import explain, sources
from fabric_drift.expect.steps import Step

__all__ = ["Step", "expect", "explain", "sources"]
