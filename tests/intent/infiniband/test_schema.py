"""Editors get the schema that the loader uses."""

from __future__ import annotations

import json
from pathlib import Path

from fabric_drift.intent.infiniband import json_schema

WRITTEN = Path(__file__).parents[3] / "intent" / "infiniband.schema.json"


def test_the_published_schema_is_the_one_of_the_loader() -> None:
    assert json.loads(WRITTEN.read_text()) == json.loads(json.dumps(json_schema()))
