"""The emulators of the lab by name, imported when first needed."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import cast

from fabric_drift.lab.emulator import Emulator

NAMES = ("eos", "linux_host", "opensm", "sonic")


class NoSuchEmulatorError(LookupError):
    """The lab has no emulator of that name."""


@cache
def emulator(name: str) -> Emulator:
    """The emulator ``name``: ``EMULATOR`` of the package ``fabric_drift.lab.<name>``.

    Raises NoSuchEmulatorError.
    """
    if name not in NAMES:
        raise NoSuchEmulatorError(f"{name!r} is no emulator of the lab; there are {', '.join(NAMES)}")
    package = f"{__package__}.{name}"
    try:
        module = import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise NoSuchEmulatorError(f"this build of the lab has no {name} emulator") from error
    return cast("Emulator", module.EMULATOR)


def has_emulator(name: str) -> bool:
    """Whether this build of the lab can run devices of that kind."""
    try:
        emulator(name)
    except NoSuchEmulatorError:
        return False
    return True
