"""Files on flash: saved configurations, and replacing the running configuration by one of them."""

from __future__ import annotations

import re
from copy import deepcopy

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.eos import links, tree
from fabric_drift.lab.eos.show_text import configuration

NAME = re.compile(r"flash:/?([A-Za-z0-9._-]{1,100})", re.ASCII)
NO_SPACE = "% Error copying {source} to {target} (No space left on device)"
COPIED = "Copy completed successfully."


def copy(store: Store, source: str, target: str) -> str:
    """``copy SOURCE TARGET`` between running-config, startup-config and flash. Answers what the switch says."""
    root = _read(store, source)
    if root is None:
        return f"% Error copying {source} to {target} (No such file or directory)"
    if store.get("flash_full"):
        return NO_SPACE.format(source=source, target=target)
    name = NAME.fullmatch(target)
    if target == "startup-config":
        store["startup"] = deepcopy(root)
    elif name:
        files(store)[name[1]] = deepcopy(root)
    else:
        return f"% Invalid input (at token 2: '{target}')"
    return COPIED


def _read(store: Store, source: str) -> tree.Section | None:
    name = NAME.fullmatch(source)
    if name:
        return files(store).get(name[1])
    return {"running-config": store["running"], "startup-config": store["startup"]}.get(source)


def files(store: Store) -> dict[str, tree.Section]:
    """Configurations on flash, by name."""
    found: dict[str, tree.Section] = store.setdefault("flash", {})
    return found


def delete(store: Store, path: str) -> str:
    """``delete flash:NAME``."""
    name = NAME.fullmatch(path)
    if not name or name[1] not in files(store):
        return f"% Error deleting {path} (No such file or directory)"
    del files(store)[name[1]]
    return ""


def listing(store: Store, path: str) -> str:
    """``dir flash:`` or ``dir flash:NAME``."""
    name = NAME.fullmatch(path)
    names = sorted(files(store)) if path in {"flash:", "flash:/"} else [name[1]] if name else []
    if any(item not in files(store) for item in names) or not (name or path in {"flash:", "flash:/"}):
        return f"% Error listing directory {path} (No such file or directory)"
    rows = [
        f"       -rwx  {len(configuration(store, files(store)[item], '')):>11}  Nov 29 12:00  {item}" for item in names
    ]
    return "\n".join([f"Directory of {path}", "", *rows, "", "7602176000 bytes total (5452595200 bytes free)"])


def replace(store: Store, path: str) -> str:
    """``configure replace flash:NAME``: the whole running configuration."""
    name = NAME.fullmatch(path)
    if not name or name[1] not in files(store):
        return f"% Error: {path}: No such file or directory"
    if store.get("commit_timer"):
        return f"% Session {store['commit_timer']['session']} has a commit timer pending"
    links.replace_running(store, deepcopy(files(store)[name[1]]))
    return ""
