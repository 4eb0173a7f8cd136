"""Which qos profile serves which ports: names that exist on the switch are kept, new ones don't collide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

NEW_NAME = "ROCE"


def attached(names: Mapping[str, str], port: str) -> str | None:
    """The profile that ``port`` has on the switch."""
    return names.get(f"service-profile {port}")


def channel(names: Mapping[str, str], port: str) -> str | None:
    """The port-channel that ``port`` is a member of on the switch."""
    return names.get(f"channel-group {port}")


def members(names: Mapping[str, str], name: str) -> list[str]:
    """Ports of the port-channel ``name``, sorted."""
    found = (key for key, value in names.items() if _is(key, "channel-group") and value == name)
    return sorted(key.removeprefix("channel-group ") for key in found)


def _is(key: str, kind: str) -> bool:
    return key.startswith(f"{kind} ")


def choose(groups: Iterable[list[str]], names: Mapping[str, str]) -> list[str]:
    """One profile name per group of ports, in their order.

    A group keeps the name that its ports have, unless another group or a port outside of all groups uses it.
    """
    groups = [list(group) for group in groups]
    managed = {port for group in groups for port in group}
    foreign = {
        value
        for key, value in names.items()
        if _is(key, "service-profile") and key.removeprefix("service-profile ") not in managed
    }
    taken: set[str] = set()
    chosen: list[str | None] = []
    for group in groups:
        candidates = [name for port in group if (name := attached(names, port))]
        name = next((name for name in candidates if name not in foreign and name not in taken), None)
        taken |= {name} if name else set()
        chosen.append(name)
    unused = fresh({*taken, *foreign, *(value for key, value in names.items() if _is(key, "qos profile"))})
    return [name or next(unused) for name in chosen]


def fresh(taken: set[str]) -> Iterator[str]:
    """New names that are not in ``taken``: ROCE, ROCE-2, ..."""
    number = 1
    while True:
        name = NEW_NAME if number == 1 else f"{NEW_NAME}-{number}"
        if name not in taken:
            yield name
        number += 1
