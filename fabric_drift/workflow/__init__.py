"""The product in a few functions; the CLI and the Ansible plugins call these and nothing deeper."""

from fabric_drift.result import CheckResult, DeviceResult, DeviceStatus
from fabric_drift.workflow.capture import capture
from fabric_drift.workflow.check import check
from fabric_drift.workflow.exit_code import exit_code
from fabric_drift.workflow.expectations import Expectations

__all__ = ["CheckResult", "DeviceResult", "DeviceStatus", "Expectations", "capture", "check", "exit_code"]
