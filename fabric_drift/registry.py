"""Finds platforms: every folder in ``fabric_drift.platforms`` and the entry points ``fabric_drift.platforms``."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points

from fabric_drift.errors import Unsupported
from fabric_drift.platform import Platform

FOLDER = "fabric_drift.platforms"


@cache
def platforms() -> dict[str, Platform]:
    """Every known platform by name. Two of one name are an error: nobody could tell which one answered."""
    found: dict[str, Platform] = {}
    folder = importlib.import_module(FOLDER)
    modules = [importlib.import_module(f"{FOLDER}.{item.name}") for item in pkgutil.iter_modules(folder.__path__)]
    candidates = [module.PLATFORM for module in modules]
    candidates += [point.load() for point in entry_points(group=FOLDER)]
    for platform in candidates:
        if platform.name in found:
            raise Unsupported(
                f"two platforms are named {platform.name}", remedy="Uninstall one of them", code="FD-PLT-001"
            )
        found[platform.name] = platform
    return dict(sorted(found.items()))


def platform(name: str) -> Platform:
    """The platform ``name``; raises Unsupported naming those that exist."""
    known = platforms()
    if name not in known:
        raise Unsupported(f"{name!r} is not a platform", remedy=f"Use one of {', '.join(known)}", code="FD-PLT-002")
    return known[name]
