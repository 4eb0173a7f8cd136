"""opensm.conf: ``key value`` a line. OpenSM warns of faults on its standard output only, so none may pass here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fabric_drift.platforms.opensm.partitions import Fault
from fabric_drift.state.opensm_options import OPTIONS, SECRETS, defaults
from fabric_drift.state.values import ABSENT, Leaf, Missing

LONGEST_VALUE = 2000


@dataclass(slots=True)
class OptionFile:
    """Effective options (defaults filled in), and every line that OpenSM would not take as written."""

    options: dict[str, Leaf | Missing] = field(default_factory=defaults)
    faults: list[Fault] = field(default_factory=list)


def parse(text: str) -> OptionFile:
    """The file, or what ``dump_conf`` of the console prints. Never raises."""
    result = OptionFile()
    seen: set[str] = set()
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.split("#", 1)[0].strip()
        if not line:
            continue
        name, _, value = line.partition(" ")
        shown = f"{name} ..." if name in SECRETS else line[:200]
        if name not in OPTIONS:
            result.faults.append(Fault(number, shown, f"{name[:60]!r} is no option of OpenSM 3.3: it is ignored"))
            continue
        if name in seen:
            result.faults.append(Fault(number, shown, f"{name} is written twice: the last one wins"))
        seen.add(name)
        try:
            result.options[name] = OPTIONS[name].value(value[:LONGEST_VALUE])
        except ValueError as error:
            result.faults.append(Fault(number, shown, f"{name}: {error}; OpenSM takes what it likes instead"))
    return result


def render(options: Mapping[str, Leaf | Missing]) -> str:
    """Only the options that the intent says, in the order of OpenSM's own table.

    Keys (m_key, ...) become placeholders ``@m_key@``: the node's role puts the vault's value there.
    """
    lines = ["# Options of OpenSM. Written by fabric_drift: changes by hand are drift."]
    said = (name for name in OPTIONS if name in options and not (name in SECRETS and options[name] == "default"))
    lines += [f"{name} {written(name, options[name])}" for name in said]
    return "\n".join(lines) + "\n"


def written(name: str, value: Leaf | Missing) -> str:
    """One value as OpenSM writes it."""
    if name in SECRETS:
        return f"@{name}@"
    if value is ABSENT:
        return "(null)"
    return str(value).upper() if isinstance(value, bool) else str(value)
