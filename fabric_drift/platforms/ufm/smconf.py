"""``/app/smconf`` -> options of the subnet manager, and the routing engine that is at work."""

from __future__ import annotations

from typing import Any

from fabric_drift.platforms.ufm.answers import fields
from fabric_drift.state.opensm_options import OPTIONS, SECRETS
from fabric_drift.state.values import ABSENT, Unobserved

ENGINE = "routing_engine_active"
SCRUBBED = "<scrubbed>"
"""What the transport leaves of a key that isn't at its open default."""
LONGEST = 2000


class Seen(dict[str, Any]):
    """Options that UFM gave. One that it didn't give is not seen: nobody knows whether it isn't set."""

    def missing(self, *_asked: object) -> Unobserved:
        """What ``diff`` takes for an option that isn't here."""
        return Unobserved("UFM's answer doesn't have it")


def open_doors(found: Any) -> tuple[str, ...]:
    """Notes on what leaves the subnet open, whatever the intent asks: keys at their defaults."""
    if not isinstance(found, Seen):
        return ()
    keys = sorted(name for name in SECRETS if found.get(name) == "default")
    notes = [f"open: {', '.join(keys)} at the default that everybody knows"] if keys else []
    shared = "open: m_key_per_port is off: one key opens every port"
    return (*notes, *([shared] if found.get("m_key_per_port") is False else []))


def engine(value: Any) -> Any:
    """The engine at work. Raises ValueError for what is no object."""
    found = fields(value, "the configuration").get(ENGINE)
    return found if isinstance(found, str) and found else Unobserved(f"UFM does not say {ENGINE}")


def options(value: Any) -> Seen:
    """Every option by its name, typed as OpenSM's own table says where it has it. Raises ValueError as above."""
    rows = sorted(fields(value, "the configuration").items())
    return Seen({name: _option(name, item) for name, item in rows if name != ENGINE})


def _option(name: str, value: Any) -> Any:
    if name in SECRETS and value == SCRUBBED:
        return "set"
    if value is None or value == "(null)":
        return ABSENT
    if not isinstance(value, bool | int | str):
        return Unobserved("UFM gives more than one value")
    if name not in OPTIONS:
        return value[:LONGEST] if isinstance(value, str) else value
    text = str(value).upper() if isinstance(value, bool) else str(value)
    try:
        return OPTIONS[name].value(text[:LONGEST])
    except ValueError as error:
        return Unobserved(str(error)[:160])
