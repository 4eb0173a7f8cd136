"""Where a plan goes: the running tree, with exactly those settings changed that decide a fact which differs.

Fact by fact: a family of settings (trust, scheduling, ECN of one queue, ...) is rewritten only for interfaces on
which one of its facts differs, so nothing that matches is typed again, however it is written on the switch.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from fabric_drift.diff import Difference, DiffMemo
from fabric_drift.platforms.eos import names
from fabric_drift.platforms.eos import plan_wanted as wanted
from fabric_drift.platforms.eos.plan_lines import Family, key_of
from fabric_drift.platforms.eos.plan_profiles import Assignment, Unit, assign
from fabric_drift.platforms.eos.plan_tree import GLOBAL, Place, Tree, family_of, rank, read_tree, state_of
from fabric_drift.platforms.eos.state import Effective
from fabric_drift.state import UNSAID, DeviceState, DeviceWatchdog, Port, PortQos

DEVICE_FAMILIES: tuple[Family, ...] = (
    ("qos", "maps", "dscp_to_tc"),
    ("qos", "maps", "pcp_to_tc"),
    ("qos", "maps", "tc_to_queue"),
    ("qos", "maps", "tc_to_dscp"),
    ("watchdog",),
)
PROFILE_FAMILIES = frozenset(
    {("qos", "trust"), ("qos", "pfc", "priorities"), ("qos", "pfc", "watchdog"), ("qos", "scheduling")}
    | {("qos", "queues", str(queue)) for queue in range(8)}
)
ENTRY_LENGTH = 6
"""Of the path ports/PORT/qos/maps/NAME/ENTRY."""
Differing = dict[str, frozenset[Family]]
"""Interface -> families of its policy that differ."""


class Goal:
    """The running configuration of a switch, and what is expected of it."""

    def __init__(self, running: Effective, expected: DeviceState) -> None:
        self.running = running
        self.expected = replace(expected, identity=UNSAID)
        self.ports: Mapping[str, Port] = expected.ports if isinstance(expected.ports, Mapping) else {}

    def differences(self, tree: Tree) -> list[Difference]:
        """What is not yet as expected once a switch says ``tree``."""
        return DiffMemo().compare(self.expected, state_of(tree, self.running.config)).differences

    def unit(self, port: str) -> str:
        """The interface that carries the policy of ``port``."""
        return self.running.policy_interface(port) if port in self.running.interfaces else port

    def differing(self, differences: Sequence[Difference]) -> Differing:
        """Families of policies, by interface."""
        found: dict[str, set[Family]] = defaultdict(set)
        for item in differences:
            family = wanted.family_of_path(item.path)
            if family in PROFILE_FAMILIES and item.path[1] in self.running.interfaces:
                found[self.unit(item.path[1])].add(family)
        return {unit: frozenset(families) for unit, families in found.items()}


def target(goal: Goal) -> Tree:
    """The tree to reach. Equal to the running one where nothing differs that a line could change."""
    tree = read_tree(goal.running.config)
    differences = goal.differences(tree)
    _device(goal, tree, differences)
    _interfaces(goal, tree, differences)
    _overrides(goal, tree, goal.differing(goal.differences(tree)))
    _profiles(goal, tree, goal.differing(goal.differences(tree)))
    _unreferenced(goal, tree)
    return tree


def replace_families(tree: Tree, section: str, families: frozenset[Family], lines: wanted.Policy) -> None:
    """``lines`` (those of ``families``) instead of what the section says about ``families``."""
    chosen = list(wanted.only(lines, families))
    keys = {(queue.rpartition(" ")[2], key_of(line).name) for queue, line in chosen}
    for place in tree.places(section, families):
        if (place.queue.rpartition(" ")[2], place.key) not in keys:
            tree.drop(place)
    for queue, line in chosen:
        tree.put(section, queue, line)


def _device(goal: Goal, tree: Tree, differences: Sequence[Difference]) -> None:
    """Global lines: entries of maps one by one, so that the 63 that match are left alone."""
    lines = {key_of(line).name: line for line in wanted.of_device(goal.expected)}
    for family in DEVICE_FAMILIES:
        paths = [item.path for item in differences if wanted.family_of_path(item.path) == family]
        entries = {path[5] for path in paths if len(path) == ENTRY_LENGTH}
        ours = {key: line for key, line in lines.items() if family_of("", line) == family}
        said = {place.key for place in tree.places(GLOBAL, frozenset({family}))}
        for key in sorted({*ours, *said}) if paths else ():
            if entries and entries.isdisjoint(key.split()):
                continue
            if key in ours:
                tree.put(GLOBAL, "", ours[key])
            else:
                tree.drop(Place(GLOBAL, "", key))


def _interfaces(goal: Goal, tree: Tree, differences: Sequence[Difference]) -> None:
    for item in differences:
        family = wanted.family_of_path(item.path)
        if family not in wanted.INTERFACE_FAMILIES or item.path[1] not in goal.running.interfaces:
            continue
        name = item.path[1]
        interface = name if family in wanted.ON_THE_LINK else goal.unit(name)
        replace_families(tree, f"interface {interface}", frozenset({family}), wanted.of_port(goal.ports[name]))


def _policies(goal: Goal) -> dict[str, wanted.Policy]:
    """Interface -> the lines of the profile that it should have; one computation per distinct policy."""
    watchdog = goal.expected.watchdog if isinstance(goal.expected.watchdog, DeviceWatchdog) else DeviceWatchdog()
    known: dict[int, wanted.Policy] = {}
    found = {}
    for name, port in goal.ports.items():
        if isinstance(port.qos, PortQos):
            if id(port.qos) not in known:
                known[id(port.qos)] = wanted.policy(port.qos, watchdog)
            found[goal.unit(name)] = known[id(port.qos)]
    return found


def _overrides(goal: Goal, tree: Tree, differing: Differing) -> None:
    """Lines under the interface win over its profile: changed in place without a profile, else taken away."""
    policies = _policies(goal)
    for unit, families in differing.items():
        section = f"interface {unit}"
        if unit in policies and _says_all(tree, section, families):
            replace_families(tree, section, families, policies[unit])
            continue
        for place in tree.places(section, families):
            tree.drop(place)


def _says_all(tree: Tree, section: str, families: frozenset[Family]) -> bool:
    """Whether an interface without a profile has lines of its own for every family."""
    lines = tree.sections.get(section, {})
    said = {family_of(queue, line) for (queue, _), line in lines.items()}
    return ("", "service-profile") not in lines and families <= said


def _profiles(goal: Goal, tree: Tree, differing: Differing) -> None:
    policies = _policies(goal)
    units = [
        Unit(unit, _attached(tree, unit), policies[unit], differing.get(unit, frozenset()))
        for unit in sorted(policies, key=lambda unit: rank(f"interface {unit}"))
        if f"interface {unit}" in tree.sections
    ]
    known, users = _names(tree), _users(tree)
    unused = names.fresh({*known, *users})
    made: dict[tuple[object, ...], str] = {}
    for assignment in assign(units, users, known):
        lines = _profile_lines(tree, assignment)
        name = assignment.name or made.get(tuple(lines.items())) or next(unused)
        made[tuple(lines.items())] = name
        tree.sections[f"qos profile {name}"] = lines
        for unit in assignment.attach:
            tree.put(f"interface {unit}", "", f"service-profile {name}")


def _profile_lines(tree: Tree, assignment: Assignment) -> dict[tuple[str, str], str]:
    """What the profile is going to say: of families that the policy is silent on, what it said before."""
    name = assignment.name or assignment.copied_from
    scratch = Tree({"": tree.sections.get(f"qos profile {name}", {})})
    families = PROFILE_FAMILIES if assignment.is_new else assignment.families
    said = frozenset(family for line in assignment.policy if (family := family_of(*line)) is not None)
    replace_families(scratch, "", families & (said | assignment.families), assignment.policy)
    return scratch.sections[""]


def _attached(tree: Tree, unit: str) -> str:
    line = tree.sections[f"interface {unit}"].get(("", "service-profile"), "")
    return line.removeprefix("service-profile ")


def _users(tree: Tree) -> dict[str, set[str]]:
    """Profile -> every interface that uses it, ours or not."""
    users: dict[str, set[str]] = defaultdict(set)
    for header in tree.sections:
        name = header.removeprefix("interface ")
        if name != header and (profile := _attached(tree, name)):
            users[profile].add(name)
    return users


def _names(tree: Tree) -> frozenset[str]:
    return frozenset(header.removeprefix("qos profile ") for header in tree.sections if header.startswith("qos "))


def _unreferenced(goal: Goal, tree: Tree) -> None:
    """Profiles that nothing uses any more go, where the intent expects none."""
    if not isinstance(goal.expected.unreferenced, Mapping):
        return
    users = _users(tree)
    for name in _names(tree):
        if not users.get(name) and f"qos profile/{name}" not in goal.expected.unreferenced:
            del tree.sections[f"qos profile {name}"]
