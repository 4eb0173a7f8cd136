"""``sonic-cfggen``: CONFIG_DB as JSON, and JSON into CONFIG_DB."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.sonic.answers import RefusedError, as_json
from fabric_drift.lab.sonic.configdb import config, merge, table


def sonic_cfggen(store: Store, words: Sequence[str]) -> Answer:
    """The forms ``-d --print-data``, ``-d --var-json TABLE``, ``-a JSON --write-to-db``, ``-j FILE --write-to-db``."""
    match list(words):
        case ["-d", "--print-data"]:
            return Answer(as_json(config(store)))
        case ["-d", "--var-json", name]:
            return Answer(as_json(table(store, name)))
        case ["-a", text, "--write-to-db"]:
            merge(store, tables_of(text))
            return Answer()
        case ["-j", file, "--write-to-db"]:
            if file not in store["files"]:
                raise RefusedError(f"FileNotFoundError: [Errno 2] No such file or directory: '{file}'")
            merge(store, tables_of(store["files"][file]))
            return Answer()
    raise RefusedError("usage: sonic-cfggen [-h] [-d] [-j JSON] [-a ADDITIONAL_DATA] [--write-to-db] [--print-data]", 2)


def tables_of(text: str) -> dict[str, dict[str, dict[str, Any]]]:
    """Tables from JSON text. Raises RefusedError where it isn't {TABLE: {KEY: {field: value}}}."""
    try:
        tables = json.loads(text)
    except ValueError as error:
        raise RefusedError(f"json.decoder.JSONDecodeError: {error}") from error
    if not isinstance(tables, dict):
        raise RefusedError("AttributeError: the configuration is not an object of tables")
    for name, rows in tables.items():
        if not isinstance(rows, dict) or not all(isinstance(fields, dict) for fields in rows.values()):
            raise RefusedError(f"AttributeError: {name} is not an object of rows")
    return tables
