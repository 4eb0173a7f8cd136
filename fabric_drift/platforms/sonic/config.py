"""CONFIG_DB (saved or running) -> DeviceState."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from fabric_drift.finding import Layer
from fabric_drift.platforms.sonic import tables as t
from fabric_drift.platforms.sonic.adopt import PROFILE_LISTS, References, listed, only_listed, references, unreferenced
from fabric_drift.platforms.sonic.buffers import NO_GROUP, Profiles, pools_of
from fabric_drift.platforms.sonic.documents import Problems, Row, Table, Tables
from fabric_drift.platforms.sonic.headroom import Lookup
from fabric_drift.platforms.sonic.keys import number, per_port, place_of, ports_of
from fabric_drift.platforms.sonic.objects import Objects
from fabric_drift.platforms.sonic.port_facts import PortFacts
from fabric_drift.platforms.sonic.port_qos import Context, Fault, Pairs, PortRows, port_qos, report
from fabric_drift.state.device import DeviceState, DeviceWatchdog, Identity, Pfc, Port, PortQos
from fabric_drift.state.values import ABSENT, UNSAID, Unobserved

BEYOND = ("voq", "chassis-packet", "fabric")
INDEX = itemgetter(0)
"""Of rows (index, reference, ...): a reference may be None, which has no order."""


@dataclass(frozen=True, slots=True)
class Chassis:
    """What ``sonic_version.yml`` says of the machine."""

    release: Any
    asic: Any

    @property
    def nvidia(self) -> bool:
        """Whether it is a Spectrum."""
        return self.asic in t.NVIDIA_ASICS


def unobserved_state(reason: str | Unobserved) -> DeviceState:
    """A layer that could not be read."""
    doubt = reason if isinstance(reason, Unobserved) else Unobserved(reason)
    return DeviceState(identity=doubt, ports=doubt, pools=doubt, watchdog=doubt, buffer_model=doubt, unreferenced=doubt)


def beyond(rows: Tables) -> str:
    """Why this is a switch whose keys mean something else here; empty where it isn't."""
    metadata = rows.get("DEVICE_METADATA", {}).get("localhost", {})
    if metadata.get("switch_type") in BEYOND:
        return f"switch_type {metadata['switch_type']}: chassis and VOQ switches are not supported"
    if metadata.get("asic_name") or metadata.get("sub_role"):
        return "more than one ASIC: namespaces are not supported"
    if any(":" in port for port in rows.get("PORT", {})):
        return "ports carry an ASIC namespace, which is not supported"
    return ""


def config_state(
    rows: Tables, chassis: Chassis, lookup: Lookup | Unobserved, problems: Problems, *, layer: Layer
) -> DeviceState:
    """The effective state of a CONFIG_DB whose tables are ``rows``."""
    reason = beyond(rows)
    if reason:
        problems.add("DEVICE_METADATA|localhost", reason)
        return unobserved_state(reason)
    metadata = rows.get("DEVICE_METADATA", {}).get("localhost", {})
    dynamic = metadata.get("buffer_model") == "dynamic"
    pools = rows.get("BUFFER_POOL", {})
    lossless_pool = pools.get(t.LOSSLESS_POOL, {})
    context = Context(
        objects=Objects(rows, problems, nvidia=chassis.nvidia),
        profiles=Profiles(dict(rows.get("BUFFER_PROFILE", {})), pools, problems),
        pool_mode=lossless_pool.get("mode", "dynamic"),
        default_alpha=_default_alpha(rows, problems) if dynamic else UNSAID,
        lookup=lookup,
        down_ports_lose_groups=chassis.asic in t.PFC_TO_GROUP_ASICS,
        dynamic=dynamic,
    )
    referred = references(rows)
    _profile_lists(rows, referred, context.profiles, problems)
    derive = layer is Layer.SAVED and not dynamic
    return DeviceState(
        identity=_identity(metadata, chassis),
        ports=_Ports(rows, context, problems, derive=derive).ports(),
        pools=pools_of(pools, problems, computed=dynamic),
        watchdog=_watchdog(rows, problems),
        buffer_model=_buffer_model(metadata, problems),
        unreferenced=unreferenced(rows, referred, lookup, broadcom=chassis.asic == "broadcom"),
    )


def derives_nothing(running: DeviceState) -> bool:
    """Whether SONiC adds no lossless group at boot to a configuration that, running, is ``running``."""
    if not isinstance(running.ports, Mapping):
        return False
    policies = {id(port.qos): port.qos for port in running.ports.values()}
    return all(
        isinstance(qos, PortQos)
        and isinstance(qos.pfc, Pfc)
        and isinstance(qos.pfc.priorities, tuple)
        and isinstance(qos.priority_groups, Mapping)
        and all(qos.priority_groups[priority] is not NO_GROUP for priority in qos.pfc.priorities)
        for qos in policies.values()
    )


def _profile_lists(rows: Tables, referred: References, profiles: Profiles, problems: Problems) -> None:
    """Profile lists hold none of our facts; what they name has to exist, and to be understood."""
    for table, key, name in listed(rows):
        if not profiles.known(name):
            problems.add(
                f"{table}|{key} profile_list = {name}", "no such profile", ("ports", *ports_of(key)[:1], "qos")
            )
    for name in only_listed(rows, referred):
        profiles.buffer(name)
    for table in PROFILE_LISTS:
        for key, row in sorted(rows.get(table, {}).items()):
            for unknown in sorted(row.keys() - {"profile_list"}):
                problems.add(f"{table}|{key} {unknown} = {row[unknown]}", "a field that is not known here", ("ports",))


def _identity(metadata: Row, chassis: Chassis) -> Identity:
    return Identity(
        hostname=metadata.get("hostname", ABSENT),
        release=chassis.release,
        hardware=metadata.get("hwsku", ABSENT),
        asic=chassis.asic,
    )


def _buffer_model(metadata: Row, problems: Problems) -> Any:
    text = metadata.get("buffer_model", "traditional")
    if text in t.BUFFER_MODELS:
        return t.BUFFER_MODELS[text]
    line = f"DEVICE_METADATA|localhost buffer_model = {text}"
    return problems.add(line, "neither dynamic nor traditional", ("buffer_model",))


def _default_alpha(rows: Tables, problems: Problems) -> Any:
    row = rows.get("DEFAULT_LOSSLESS_BUFFER_PARAMETER", {}).get(t.AZURE, {})
    text = row.get("default_dynamic_th")
    if text is None:
        return ABSENT
    value = number(text, t.ALPHA_EXPONENTS)
    if value is None:
        line = f"DEFAULT_LOSSLESS_BUFFER_PARAMETER|{t.AZURE} default_dynamic_th = {text}"
        return problems.add(line, "not an exponent of -8 to 7", ("ports",))
    return value


def _watchdog(rows: Tables, problems: Problems) -> DeviceWatchdog:
    row = rows.get("PFC_WD", {}).get("GLOBAL", {})
    for unknown in sorted(row.keys() - {"POLL_INTERVAL"}):
        problems.add(f"PFC_WD|GLOBAL {unknown} = {row[unknown]}", "a field that is not known here", ("watchdog",))
    poll: Any = ABSENT
    if "POLL_INTERVAL" in row:
        poll = number(row["POLL_INTERVAL"], range(1, 3001))
        if poll is None:
            line = f"PFC_WD|GLOBAL POLL_INTERVAL = {row['POLL_INTERVAL']}"
            poll = problems.add(line, "not a number of milliseconds", ("watchdog", "poll_ms"))
    return DeviceWatchdog(poll_ms=poll)


class _Ports:
    """Joins the per-port rows of all tables; ports of one set of rows share one PortQos."""

    def __init__(self, rows: Tables, context: Context, problems: Problems, *, derive: bool) -> None:
        self._rows = rows
        self._context = context
        self._problems = problems
        self._derive = derive
        self._known: dict[PortRows, tuple[PortQos, tuple[Fault, ...]]] = {}

    def ports(self) -> Any:
        table = self._rows.get("PORT")
        if table is None:
            return Unobserved("CONFIG_DB has no PORT table")
        queues = self._indexed("QUEUE", t.QUEUE_FIELDS, ("scheduler", "wred_profile"))
        groups = self._indexed("BUFFER_PG", t.PROFILE_REFERENCE, ("profile",))
        buffers = self._indexed("BUFFER_QUEUE", t.PROFILE_REFERENCE, ("profile",))
        qos = self._single("PORT_QOS_MAP")
        watchdog = self._single("PFC_WD")
        cables = self._rows.get("CABLE_LENGTH", {}).get(t.AZURE, {})
        for source in (queues, groups, buffers, qos, watchdog):
            self._homeless(source, table)
        facts = PortFacts("PORT|", self._problems)
        result = {}
        for name, row in table.items():
            port_rows = PortRows(
                qos=self._qos(name, qos.get(name, {})),
                queues=tuple(sorted(queues.get(name, ()), key=INDEX)),
                groups=tuple(sorted(groups.get(name, ()), key=INDEX)),
                buffers=tuple(sorted(buffers.get(name, ()), key=INDEX)),
                cable=cables.get(name),
                watchdog=frozenset(watchdog[name].items()) if name in watchdog else None,
                asymmetric=row.get("pfc_asym"),
                derive=(row.get("speed", ""), row.get("admin_status", "")) if self._derive else None,
            )
            result[name] = Port(**facts.of(name, row), qos=self._shared(name, port_rows))
        return result

    def _shared(self, name: str, rows: PortRows) -> PortQos:
        known = self._known.get(rows)  # asked once: the hash of so many texts is what costs
        if known is None:
            known = self._known[rows] = port_qos(rows, self._context)
        qos, faults = known
        if faults:
            report(faults, name, self._problems)
        return qos

    def _indexed(self, name: str, known: frozenset[str], fields: tuple[str, ...]) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = {}
        for port, index, row in per_port(name, self._rows.get(name, {}), "|", known, self._problems):
            found.setdefault(port, []).append((index, *map(row.get, fields)))
        return found

    def _single(self, name: str) -> Table:
        """Rows of a table that is keyed by port alone."""
        found: Table = {}
        for key, row in self._rows.get(name, {}).items():
            if key in ("global", "GLOBAL"):
                continue
            for port in ports_of(key):
                if port in found:
                    self._problems.add(f"{name}|{key}", f"a second row of {port}", ("ports", port, "qos"))
                found[port] = row
        return found

    def _qos(self, name: str, row: Row) -> Pairs:
        if not row.keys() <= t.PORT_QOS_FIELDS:
            for field in sorted(row.keys() - t.PORT_QOS_FIELDS - t.PORT_QOS_FOREIGN):
                line = f"PORT_QOS_MAP|{name} {field} = {row[field]}"
                self._problems.add(line, "a field that is not known here", ("ports", name, "qos"))
            row = {field: text for field, text in row.items() if field in t.PORT_QOS_FIELDS}
        return frozenset(row.items())

    def _homeless(self, rows: Mapping[str, Any], ports: Table) -> None:
        for port in sorted(rows.keys() - ports.keys()):
            self._problems.add(f"{port}: {rows[port]}", "rows of a port that does not exist", place_of(port))
