"""The product in a few functions; the CLI and the Ansible plugins call these and nothing deeper."""

from fabric_drift.workflow.capture import capture
from fabric_drift.workflow.check import check
from fabric_drift.workflow.expectations import Expectations
from fabric_drift.workflow.result import CheckResult, DeviceResult, DeviceStatus, exit_code

__all__ = ["CheckResult", "DeviceResult", "DeviceStatus", "Expectations", "capture", "check", "exit_code"]
