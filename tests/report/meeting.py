"""Whether a document meets its JSON Schema, with no key that the schema doesn't name."""

from __future__ import annotations

from typing import Any

import jsonschema


def meets(document: Any, schema: dict[str, Any]) -> None:
    """Raises ValidationError. The schema itself must be valid too."""
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(closed(schema)).validate(document)


def closed(schema: Any) -> Any:
    """``schema`` without room for keys of later versions."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    items = {key: closed(value) for key, value in schema.items()}
    return (
        {**items, "additionalProperties": False} if schema.get("type") == "object" and "properties" in schema else items
    )
