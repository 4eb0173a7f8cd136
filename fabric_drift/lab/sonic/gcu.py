"""The generic config updater: ``config apply-patch|replace|checkpoint|rollback`` (sonic-utilities).

Simulates the patch, asks the validators and YANG about the *whole* configuration, sorts the changes, applies one after
the other and compares at the end. A change of a port's QUEUE, PORT_QOS_MAP or BUFFER rows is put between
``admin_status: down`` and ``up`` of the port. It isn't atomic: what failed half-way stays half-way.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Sequence

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.sonic import badday, files, yang
from fabric_drift.lab.sonic.answers import RefusedError, as_json, usage
from fabric_drift.lab.sonic.configdb import Config, config
from fabric_drift.lab.sonic.gcu_patch import Change, PatchError, differences, parse_patch, patched
from fabric_drift.lab.sonic.gcu_rules import VALIDATOR, refused_table

PORT_CRITICAL = frozenset(
    {
        "BUFFER_PG",
        "BUFFER_PORT_EGRESS_PROFILE_LIST",
        "BUFFER_PORT_INGRESS_PROFILE_LIST",
        "BUFFER_QUEUE",
        "PORT_QOS_MAP",
        "QUEUE",
    }
)
UNVERIFIED = ("BUFFER_PG", "BUFFER_PROFILE", "FLEX_COUNTER_TABLE")
"""backend_tables: what buffermgrd writes too isn't compared at the end."""
CHECKPOINTS = "/etc/sonic/checkpoints"
Follow = Callable[[str], None]


def gcu_command(store: Store, words: Sequence[str], follow: Follow) -> Answer:
    """One of the updater's commands; ``follow`` lets the managers take up a change."""
    verb, *rest = words
    flags = {word for word in rest if word.startswith("-")}
    plain = [word for word in rest if not word.startswith("-")]
    dry = bool(flags & {"-d", "--dry-run"})
    match verb, plain:
        case "apply-patch", [path]:
            return _apply_patch(store, path, follow, dry=dry)
        case "replace", [path]:
            return _replace(store, _file(store, path), follow, dry=dry)
        case "rollback", [name]:
            return _replace(store, _checkpoint(store, name), follow, dry=dry)
        case "checkpoint", [name]:
            files.write(store, f"{CHECKPOINTS}/{name}.cp.json", as_json(config(store)), "config")
            return Answer("Config Rollbacker: Config checkpoint completed.\nCheckpoint created successfully.\n")
        case "delete-checkpoint", [name]:
            _checkpoint(store, name)
            del store["files"][f"{CHECKPOINTS}/{name}.cp.json"]
            return Answer("Checkpoint deleted successfully.\n")
        case "list-checkpoints", []:
            names = [path for path in store["files"] if path.startswith(f"{CHECKPOINTS}/")]
            return Answer(as_json([path.rpartition("/")[2].removesuffix(".cp.json") for path in names]))
    raise usage(f"config {verb}", "Missing argument or no such option.")


def _file(store: Store, path: str) -> str:
    text = files.read(store, path)
    if text is None:
        raise RefusedError(f"Error: [Errno 2] No such file or directory: '{path}'")
    return text


def _checkpoint(store: Store, name: str) -> str:
    text = files.read(store, f"{CHECKPOINTS}/{name}.cp.json")
    if text is None:
        raise RefusedError(f"Error: Failed to rollback config\nCheckpoint '{name}' does not exist")
    return text


def _apply_patch(store: Store, path: str, follow: Follow, *, dry: bool) -> Answer:
    try:
        target = patched(config(store), parse_patch(_file(store, path)))
    except PatchError as error:
        raise RefusedError(f"Error: Failed to apply patch due to: {error}") from error
    return _to(store, target, follow, dry=dry, done="Patch applied successfully.")


def _replace(store: Store, text: str, follow: Follow, *, dry: bool) -> Answer:
    target: Config = json.loads(text)
    return _to(store, target, follow, dry=dry, done="Config replaced successfully.")


def _to(store: Store, target: Config, follow: Follow, *, dry: bool, done: str) -> Answer:
    changes = _checked(store, target)
    if dry:
        listed = "".join(f"  * {_as_text(change)}\n" for change in changes)
        return Answer(
            f"** DRY RUN EXECUTION **\nPatch Applier: The patch was converted into changes:\n{listed}{done}\n"
        )
    for number, change in enumerate(changes):
        _fail_if_told(store, number)
        store["running"] = _with(config(store), change)
        follow("config apply-patch")
    if _verified(config(store)) != _verified(target):
        problem = "After applying patch to config, there are still some parts not updated"
        raise RefusedError(f"Error: Failed to apply patch due to: {problem}")
    return Answer(f"Patch Applier: {len(changes)} changes applied.\n{done}\n")


def _as_text(change: Change) -> str:
    item = {"op": change.operation, "path": change.path}
    return json.dumps([item if change.value is None else {**item, "value": change.value}])


def _verified(whole: Config) -> Config:
    return {name: rows for name, rows in whole.items() if name not in UNVERIFIED}


def _checked(store: Store, target: Config) -> list[Change]:
    """The sorted changes, or RefusedError with the updater's words."""
    head = "Error: Failed to apply patch due to: "
    before = yang.complaint(store, config(store))
    if before:
        raise RefusedError(f"{head}Data Loading Failed\nrunning config: {before}")
    for change in differences(config(store), target):
        table = refused_table(store, change)
        if table:
            raise RefusedError(
                f"{head}Modification of {table} table is illegal- validating function {VALIDATOR} returned False"
            )
    empty = sorted(name for name, rows in target.items() if not rows)
    if empty:
        problem = "Given patch is not valid because it will result in empty tables which is not allowed in ConfigDb."
        raise RefusedError(f"{head}{problem} Table: {', '.join(empty)}")
    after = yang.complaint(store, target)
    if after:
        raise RefusedError(f"{head}Given patch will produce invalid config. Error: Data Loading Failed\n{after}")
    return list(_sorted(config(store), target))


def _sorted(old: Config, new: Config) -> Iterator[Change]:
    """Objects come before those that refer to them and go after them; each port's rows between down and up."""
    shared: list[Change] = []
    per_port: dict[str, list[Change]] = {}
    for change in differences(old, new):
        for part in _rowwise(change, old):
            port = part.parts[1].partition("|")[0] if part.parts[0] in PORT_CRITICAL else ""
            if port in new.get("PORT", {}):
                per_port.setdefault(port, []).append(part)
            else:
                shared.append(part)
    yield from (change for change in shared if change.operation != "remove")
    for port, changes in per_port.items():
        flaps = new["PORT"][port].get("admin_status") == "up"
        path = ("PORT", port, "admin_status")
        yield from [Change("replace", path, "down")] if flaps else []
        yield from sorted(changes, key=lambda change: change.operation != "remove")
        yield from [Change("replace", path, "up")] if flaps else []
    yield from (change for change in shared if change.operation == "remove")


def _rowwise(change: Change, old: Config) -> Iterator[Change]:
    """A change of a whole table as changes of its rows."""
    if len(change.parts) > 1:
        yield change
        return
    rows = old[change.parts[0]] if change.value is None else change.value
    for key in sorted(rows):
        yield Change(change.operation, (*change.parts, key), None if change.value is None else rows[key])


def _with(whole: Config, change: Change) -> Config:
    """``whole`` after one change; no trace of a table or row without content is left."""
    result = {**whole}
    table, key, *field = change.parts
    rows = {**result.get(table, {})}
    if not field:
        if change.value is None:
            rows.pop(key, None)
        else:
            rows[key] = copy.deepcopy(change.value)
    else:
        fields = {**rows.get(key, {})}
        if change.value is None:
            fields.pop(field[0], None)
        else:
            fields[field[0]] = change.value
        rows[key] = fields
    result[table] = rows
    if not rows:
        del result[table]
    return result


def _fail_if_told(store: Store, applied: int) -> None:
    limit = badday.trouble(store, "patch_fails_after")
    if limit is not None and applied >= int(limit or 0):
        badday.end(store, "patch_fails_after")
        raise RefusedError("Error: Failed to apply patch due to: Change Applier: service check failed")
