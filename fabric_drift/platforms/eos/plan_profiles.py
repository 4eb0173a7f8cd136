"""Which qos profile each interface gets: the one it has, changed in place, unless somebody else depends on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fabric_drift.platforms.eos.plan_lines import Family
from fabric_drift.platforms.eos.plan_wanted import Policy


@dataclass(frozen=True, slots=True)
class Unit:
    """An interface, the profile that it has ("" for none), the policy that it should have, and what differs."""

    name: str
    profile: str
    policy: Policy
    differing: frozenset[Family]


@dataclass(frozen=True, slots=True)
class Assignment:
    """A profile to write; a new one has no ``name`` yet. ``attach``: interfaces that don't have it yet.

    ``copied_from``: what a new one starts from.
    """

    name: str
    policy: Policy
    families: frozenset[Family]
    is_new: bool = False
    copied_from: str = ""
    attach: tuple[str, ...] = ()


def assign(units: Sequence[Unit], users: Mapping[str, set[str]], known: frozenset[str]) -> Iterator[Assignment]:
    """Profiles that have to change, in the order of their first interface. ``users``: of every profile."""
    by_name = {unit.name: unit for unit in units}
    groups: dict[tuple[str, Policy], list[Unit]] = {}
    for unit in units:
        if unit.differing:
            groups.setdefault((unit.profile, unit.policy), []).append(unit)
    taken: set[str] = set()
    for (profile, policy), group in groups.items():
        families = frozenset().union(*(unit.differing for unit in group))
        others = users.get(profile, set()) - {unit.name for unit in group}
        if profile and profile not in taken and all(_may_share(by_name.get(name), policy) for name in others):
            taken.add(profile)
            yield Assignment(profile, policy, families, is_new=profile not in known)
            continue
        fit = next((name for name in sorted(known) if _fits(name, policy, users, by_name)), "")
        attach = tuple(unit.name for unit in group)
        if fit:
            yield Assignment(fit, policy, frozenset(), attach=attach)
        else:
            yield Assignment("", policy, families, is_new=True, copied_from=profile, attach=attach)


def _may_share(other: Unit | None, policy: Policy) -> bool:
    """Whether a change of the profile is right for another of its users."""
    return other is not None and other.policy == policy


def _fits(name: str, policy: Policy, users: Mapping[str, set[str]], units: Mapping[str, Unit]) -> bool:
    """Whether a profile already does for its users what ``policy`` wants."""
    theirs = [units.get(user) for user in users.get(name, ())]
    return bool(theirs) and all(unit is not None and unit.policy == policy and not unit.differing for unit in theirs)
