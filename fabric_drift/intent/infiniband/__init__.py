"""The intent of an InfiniBand subnet: ``<intent>/infiniband/*.yml`` and the plan of its cabling."""

from fabric_drift.intent.infiniband.document import json_schema
from fabric_drift.intent.infiniband.fabric import IbFabric, SmDevice
from fabric_drift.intent.infiniband.load import FOLDER, load

__all__ = ["FOLDER", "IbFabric", "SmDevice", "json_schema", "load"]
