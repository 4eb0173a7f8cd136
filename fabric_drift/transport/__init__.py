"""The only room with sockets: reads devices over SSH, or from recordings on disk."""

from fabric_drift.transport.limits import Limits
from fabric_drift.transport.recording import Recording

__all__ = ["Limits", "Recording"]
