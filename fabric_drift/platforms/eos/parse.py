"""Outputs of the commands -> Reading: three layers, unparsed lines, adopted names, evidence on demand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from fabric_drift.finding import Layer
from fabric_drift.platform import Output, UnparsedLine
from fabric_drift.platforms.eos.body import EMPTY
from fabric_drift.platforms.eos.commands import RUNNING_CONFIG, STARTUP_CONFIG
from fabric_drift.platforms.eos.config import read_config
from fabric_drift.platforms.eos.evidence import Finder
from fabric_drift.platforms.eos.lines import Settings, first
from fabric_drift.platforms.eos.reading import EosReading
from fabric_drift.platforms.eos.sections import Broken
from fabric_drift.platforms.eos.show import MISSING, identity, nos_state, why_not
from fabric_drift.platforms.eos.state import Effective, device_state, effective, unparsed
from fabric_drift.state import DeviceState, Identity, Unobserved

CONFIGS = {Layer.SAVED: STARTUP_CONFIG, Layer.RUNNING: RUNNING_CONFIG}


@dataclass(frozen=True, slots=True)
class Read:
    """One configuration as understood; ``below``: the text below its first comment lines, ``offset`` lines down."""

    below: str
    offset: int
    effective: Effective
    state: DeviceState


def parse(outputs: Mapping[str, Output]) -> EosReading:
    """What the switch said. Never raises on hostile or partial output."""
    who = identity(outputs)
    states = {Layer.NOS: nos_state(outputs, who)}
    configs: dict[Layer, Read] = {}
    for layer, command in CONFIGS.items():
        read = _read(outputs.get(command, MISSING), command, configs.get(Layer.SAVED))
        if isinstance(read, Read):
            configs[layer] = read
            states[layer] = replace(read.state, identity=who)
        else:
            states[layer] = _unread(read, who)
    lines = [
        line for layer, read in configs.items() for line in unparsed(read.effective, layer, CONFIGS[layer], read.offset)
    ]
    running = configs[Layer.RUNNING].effective if Layer.RUNNING in configs else None
    saved = configs.get(Layer.SAVED)
    return EosReading(
        states=states,
        unparsed=tuple(lines),
        aliases=dict(_aliases(running)) if running else {},
        notes=tuple(_notes(running, lines)) if running else (),
        evidence=Finder({layer: (read.effective, read.offset) for layer, read in configs.items()}, outputs).evidence,
        names=dict(_names(running)) if running else {},
        running=running,
        saved_is_running=saved is not None and running is not None and saved.below == configs[Layer.RUNNING].below,
    )


def _read(output: Output, command: str, other: Read | None) -> Read | Unobserved:
    """The configuration in ``output``; shares ``other``'s objects where both say the same below the first comments."""
    reason = why_not(output)
    if not reason:
        start, offset = _first_comments(output.stdout)
        below = output.stdout[start:]
        if other and below == other.below:
            return replace(other, offset=offset)
        try:
            found = effective(read_config(below))
            return Read(below, offset, found, device_state(found))
        except Broken as broken:
            reason = str(broken.args[0])
    return Unobserved(f"`{command}`: {reason}")


def _first_comments(text: str) -> tuple[int, int]:
    """(characters, lines) of the comments that a configuration starts with: command, time of saving, device."""
    start = lines = 0
    while text.startswith("!", start) and (end := text.find("\n", start)) >= 0:
        start, lines = end + 1, lines + 1
    return start, lines


def _unread(why: Unobserved, who: Identity) -> DeviceState:
    return DeviceState(identity=who, ports=why, watchdog=why, unreferenced=why)


def _aliases(running: Effective) -> Iterator[tuple[str, str]]:
    """``Et9/1``, as text answers and LLDP of neighbours abbreviate it."""
    return ((name.replace("Ethernet", "Et"), name) for name in running.ports())


def _names(running: Effective) -> Iterator[tuple[str, str]]:
    """Profiles that exist, profiles that are attached (``service-profile Ethernet9/1``), LAGs: kept as they are."""
    yield from ((f"qos profile {name}", name) for name in running.profiles)
    for port in running.ports():
        profile, channel = running.profile(port), running.channel(port)
        if profile:
            yield f"service-profile {port}", profile
        if channel:
            yield f"channel-group {port}", channel


def _notes(running: Effective, lines: list[UnparsedLine]) -> Iterator[str]:
    levels = {port: _levels(running, port) for port in running.ports()}
    watched = [port for port, settings in levels.items() if first(("wd_on",), *settings) is True]
    guaranteed = any(line.line.strip().startswith("bandwidth guaranteed") for line in lines)
    if watched and not guaranteed:
        yield (
            "The PFC watchdog is on, and no queue has guaranteed bandwidth: some EOS platforms watch only queues "
            "that have it (check `show priority-flow-control status`)"
        )
    slow = [port for port in watched if _polls_slowly(*levels[port])]
    if slow:
        yield (
            f"The PFC watchdog of {slow[0]} and {len(slow) - 1} more ports polls slower than half of detection or "
            "restoration: EOS may poll at an interval of its own (check `show priority-flow-control status`)"
        )


def _levels(running: Effective, port: str) -> tuple[Settings, Settings, Settings]:
    settings = running.interfaces[running.policy_interface(port)].settings
    profile = running.profiles.get(running.profile(port) or "", EMPTY)
    return settings, profile.settings, running.global_.settings


def _polls_slowly(*levels: Settings) -> bool:
    timers = [first((f"wd_{name}_ms",), *levels) for name in ("detect", "restore", "poll")]
    known = [value for value in timers if isinstance(value, int)]
    return len(known) == len(timers) and 2 * known[2] > min(known[:2]) and not first(("wd_forced",), *levels)
