"""What a human writes, read strictly: ``load(directory)`` gives a valid ``Fabric`` or every error at once."""

from fabric_drift.intent.document import json_schema
from fabric_drift.intent.fabric import Device, Fabric, Link, PortIntent
from fabric_drift.intent.load import load

__all__ = ["Device", "Fabric", "Link", "PortIntent", "json_schema", "load"]
