"""``sonic-db-cli``, ``redis-cli``, ``sonic-db-dump`` and ``redis-dump``.

Formats: sonic-swss-common (sonic-db-cli prints a hash as a Python dict), redis-dump-load behind the dumps.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.sonic import databases
from fabric_drift.lab.sonic.answers import RefusedError
from fabric_drift.lab.sonic.configdb import delete_fields, delete_row, set_fields

_SEPARATOR = "|"


def sonic_db_cli(store: Store, words: Sequence[str]) -> Answer:
    """``sonic-db-cli DATABASE COMMAND ARGUMENTS``."""
    if not words or words[0] not in databases.NAMES:
        raise RefusedError(f"Invalid database name input : '{words[0] if words else ''}'")
    return Answer(_redis(store, words[0], words[1:], pythonic=True))


def redis_cli(store: Store, words: Sequence[str]) -> Answer:
    """``redis-cli -n NUMBER [--raw] COMMAND ARGUMENTS``: a hash is a line per field and a line per value."""
    rest = [word for word in words if word != "--raw"]
    if len(rest) < 3 or rest[0] != "-n" or rest[1] not in databases.NUMBERS:  # noqa: PLR2004 - -n NUMBER COMMAND
        raise RefusedError("ERR DB index is out of range")
    return Answer(_redis(store, databases.NUMBERS[rest[1]], rest[2:], pythonic=False))


def _redis(store: Store, name: str, words: Sequence[str], *, pythonic: bool) -> str:
    verb, *arguments = (words[0].lower(), *words[1:]) if words else ("",)
    match verb, arguments:
        case "ping", []:
            return "PONG\n"
        case "hset", [key, *pairs] if pairs and len(pairs) % 2 == 0:
            return f"{_hset(store, name, key, dict(zip(pairs[::2], pairs[1::2], strict=True)))}\n"
        case "hdel", [key, *fields] if fields:
            return f"{_hdel(store, name, key, tuple(fields))}\n"
        case "del", [key]:
            return f"{_delete(store, name, key)}\n"
    return _read(store, name, [verb, *arguments], pythonic=pythonic)


def _read(store: Store, name: str, words: Sequence[str], *, pythonic: bool) -> str:
    match list(words):
        case ["keys", pattern]:
            return "".join(f"{key}\n" for key in databases.matching(store, name, pattern))
        case ["hgetall", key]:
            fields = databases.database(store, name).get(key, {})
            return f"{fields}\n" if pythonic else "".join(f"{one}\n{two}\n" for one, two in fields.items())
        case ["hget", key, field]:
            return databases.database(store, name).get(key, {}).get(field, "") + "\n"
        case ["exists", key]:
            return f"{int(key in databases.database(store, name))}\n"
    raise RefusedError(f"ERR unknown command or wrong number of arguments for '{words[0]}' command")


def _config_key(key: str) -> tuple[str, str]:
    table_name, separator, rest = key.partition(_SEPARATOR)
    if not separator:
        raise RefusedError(f"this lab keeps tables in CONFIG_DB, and {key!r} is none of a table's keys")
    return table_name, rest


def _hset(store: Store, name: str, key: str, fields: dict[str, str]) -> int:
    before = databases.database(store, name).get(key, {})
    if name == "CONFIG_DB":
        set_fields(store, *_config_key(key), fields)
    else:
        databases.override(store, name, key, dict(fields))
    return len(fields.keys() - before.keys())


def _hdel(store: Store, name: str, key: str, fields: tuple[str, ...]) -> int:
    if name == "CONFIG_DB":
        return delete_fields(store, *_config_key(key), fields)
    there = databases.database(store, name).get(key, {}).keys() & set(fields)
    databases.override(store, name, key, dict.fromkeys(sorted(there)))
    return len(there)


def _delete(store: Store, name: str, key: str) -> int:
    if name == "CONFIG_DB":
        return int(delete_row(store, *_config_key(key)))
    there = databases.database(store, name).get(key, {})
    databases.override(store, name, key, dict.fromkeys(there))
    return int(bool(there))


def sonic_db_dump(store: Store, words: Sequence[str]) -> Answer:
    """``sonic-db-dump -n DATABASE -k PATTERN -y``; ``redis-dump`` takes ``-d NUMBER`` instead."""
    name, pattern, pretty = "", "*", False
    rest = list(words)
    while rest:
        option = rest.pop(0)
        if option in {"-y", "--pretty"}:
            pretty = True
        elif option in {"-n", "--dbname", "-d", "-k", "--keys", "-t"} and rest:
            value = rest.pop(0)
            if option in {"-n", "--dbname", "-d"}:
                name = databases.NUMBERS.get(value, value)
            elif option in {"-k", "--keys"}:
                pattern = value
        else:
            raise RefusedError(f"Usage: sonic-db-dump [options]\n\nsonic-db-dump: error: no such option: {option}", 2)
    if name not in databases.NAMES:
        raise RefusedError(f"KeyError: '{name}' is not a valid database name")
    return Answer(databases.dump(store, name, pattern, pretty=pretty))
