"""Expected state x actual states of all layers -> findings. Knows no vendor.

Subtrees are shared objects (see ``state.device``), so differences are computed once per distinct pair of
objects and re-used for every port that has the pair: ``DiffMemo``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fabric_drift.finding import Layer, Verdict
from fabric_drift.state.device import DeviceState, PortQos
from fabric_drift.state.tree import children, field_names, is_subtree, open_fields
from fabric_drift.state.values import ABSENT, UNSAID, NotApplicable, Path, Unobserved

PLAIN = frozenset({bool, int, str, tuple})
"""Types of facts that are a value: neither missing nor a subtree."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One fact of one layer that doesn't match; ``path`` is relative to where the comparison started."""

    path: Path
    verdict: Verdict
    expected: Any
    actual: Any


@dataclass(slots=True)
class Comparison:
    """Differences of one pair of subtrees, how many facts matched, and which the layer doesn't carry."""

    differences: list[Difference] = field(default_factory=list)
    matches: int = 0
    not_applicable: int = 0
    unsaid: list[Path] = field(default_factory=list)


class DiffMemo:
    """Compares a port policy once per pair of objects. Keeps both alive, so ids stay unique.

    One memo serves one device: its ports share policies, other devices were parsed into other objects.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], tuple[Any, Any, Comparison]] = {}

    def compare(self, expected: Any, actual: Any, *, is_open: bool = False) -> Comparison:
        """The comparison of two subtrees, paths relative to them.

        ``is_open``: keys that only ``actual`` has are none of our business.
        """
        if isinstance(expected, PortQos):
            return self._policy(expected, actual)
        result = Comparison()
        self._below(result, (), expected, actual, is_open)
        return result

    def _policy(self, expected: PortQos, actual: Any) -> Comparison:
        key = (id(expected), id(actual))
        if key not in self._known:
            result = Comparison()
            self._fields(result, (), expected, actual)
            self._known[key] = (expected, actual, result)
        return self._known[key][2]

    def _below(self, result: Comparison, path: Path, expected: Any, actual: Any, is_open: bool) -> None:
        if isinstance(expected, PortQos):
            _merge(result, path, self._policy(expected, actual))
        elif isinstance(expected, Mapping):
            self._keys(result, path, expected, actual, is_open)
        else:
            self._fields(result, path, expected, actual)

    def _fields(self, result: Comparison, path: Path, expected: Any, actual: Any) -> None:
        kind = type(expected)
        opened = open_fields(kind)
        for name in field_names(kind):
            wanted = getattr(expected, name)
            if wanted is not UNSAID:
                self._one(result, (*path, name), wanted, getattr(actual, name), name in opened)

    def _keys(
        self, result: Comparison, path: Path, expected: Mapping[Any, Any], actual: Mapping[Any, Any], is_open: bool
    ) -> None:
        before = len(result.differences)
        ours = {str(key): value for key, value in expected.items()}
        theirs = {str(key): value for key, value in actual.items()}
        missing = getattr(actual, "missing", _absent)
        for name, wanted in ours.items():
            found = theirs[name] if name in theirs else missing(wanted)
            self._one(result, (*path, name), wanted, found, is_open=False)
        if not is_open:
            tolerated = getattr(expected, "tolerates", _nothing)
            for name in theirs.keys() - ours.keys():
                if not tolerated(name):
                    _leaf(result, (*path, name), ABSENT, theirs[name])
        result.differences[before:] = sorted(result.differences[before:], key=lambda item: item.path)

    def _one(self, result: Comparison, path: Path, wanted: Any, found: Any, is_open: bool) -> None:
        if type(wanted) in PLAIN and same(wanted, found):  # nearly every fact of every device
            result.matches += 1
        elif not (is_subtree(wanted) and is_subtree(found)):
            _leaf(result, path, wanted, found)
        elif wanted is found:
            result.matches += count(wanted)
        else:
            self._below(result, path, wanted, found, is_open)


def _absent(_wanted: Any) -> Any:
    """What a key that isn't there means, unless the mapping says otherwise (``SeenPorts.missing``: not seen)."""
    return ABSENT


def _nothing(_name: str) -> bool:
    """What an expected mapping tolerates unless it says otherwise (``Pkeys.tolerates``: keys of other owners)."""
    return False


def count(subtree: Any) -> int:
    """How many facts ``subtree`` speaks of."""
    if not is_subtree(subtree):
        return 0 if subtree is UNSAID else 1
    return sum(count(child) for _, child in children(subtree))


def _leaf(result: Comparison, path: Path, wanted: Any, found: Any) -> None:
    if wanted is UNSAID:
        return
    if isinstance(wanted, NotApplicable):
        result.not_applicable += 1
    elif same(wanted, found):
        result.matches += 1
    elif found is UNSAID:
        result.unsaid.append(path)
    elif isinstance(found, Unobserved):
        result.differences.append(Difference(path, Verdict.UNOBSERVED, wanted, found))
    else:
        result.differences.append(Difference(path, Verdict.DRIFT, wanted, found))


def same(wanted: Any, found: Any) -> bool:
    """Equal, and of the same kind: True is not 1 here."""
    return type(wanted) is type(found) and bool(wanted == found)


def _merge(result: Comparison, path: Path, below: Comparison) -> None:
    result.matches += below.matches
    result.not_applicable += below.not_applicable
    result.differences += [
        Difference((*path, *item.path), item.verdict, item.expected, item.actual) for item in below.differences
    ]
    result.unsaid += [(*path, *rest) for rest in below.unsaid]


@dataclass(slots=True)
class DeviceDiff:
    """All layers of one device. ``unread``: expected facts that no layer carries."""

    differences: list[tuple[Layer, Difference]]
    matches: int
    not_applicable: int
    unread: tuple[Path, ...]


def diff(expected: DeviceState, states: Mapping[Layer, DeviceState], memo: DiffMemo | None = None) -> DeviceDiff:
    """Every difference between what is expected and what each layer says.

    A fact that one layer doesn't carry is not held against it; one that no layer carries is ``unread``
    and must be reported as unobserved.
    """
    memo = memo or DiffMemo()
    differences: list[tuple[Layer, Difference]] = []
    matches = not_applicable = 0
    unread: set[Path] | None = None
    for layer in Layer:
        if layer not in states:
            continue
        result = memo.compare(expected, states[layer])
        differences += [(layer, item) for item in result.differences]
        matches += result.matches
        not_applicable = max(not_applicable, result.not_applicable)
        unread = _still_unread(unread, result.unsaid)
    if unread is None:  # no layer at all
        unread = {()}
    return DeviceDiff(differences, matches, not_applicable, tuple(sorted(unread)))


def _still_unread(so_far: set[Path] | None, unsaid: list[Path]) -> set[Path]:
    """Facts that neither the layers so far nor this one carry; an unsaid subtree covers what is below it."""
    here = set(unsaid)
    if so_far is None:
        return here
    if not so_far or not here:
        return set()
    return {path for path in so_far if _covered(path, here)} | {path for path in here if _covered(path, so_far)}


def _covered(path: Path, by: set[Path]) -> bool:
    return path in by or any(path[:length] in by for length in range(len(path)))


def unexpected(expected: DeviceState, actual: DeviceState) -> Iterator[Path]:
    """Ports of ``actual`` that the intent doesn't manage: information, never drift."""
    if is_subtree(expected.ports) and is_subtree(actual.ports):
        ours = dict(children(expected.ports))
        for name, _ in children(actual.ports):
            if name not in ours:
                yield ("ports", name)
