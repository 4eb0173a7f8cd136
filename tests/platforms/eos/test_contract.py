"""The platform's tables: commands, capabilities, fields."""

from __future__ import annotations

from fabric_drift.platform import Disruption, Operation, Output, Platform
from fabric_drift.platforms.eos import PLATFORM
from fabric_drift.registry import platforms
from fabric_drift.state.tree import facts
from tests.platforms.eos.pod import TARGET, leaf
from tests.platforms.eos.reading import answers


def covers(pattern: tuple[str, ...], path: tuple[str, ...]) -> bool:
    return len(pattern) <= len(path) and all(ours in ("*", theirs) for ours, theirs in zip(pattern, path, strict=False))


def test_the_platform_is_found_and_meets_the_contract() -> None:
    found: Platform = platforms()["eos"]
    assert found.name == PLATFORM.name == "eos"
    assert isinstance(found, type(PLATFORM))


def test_one_round_of_commands_without_shell_features() -> None:
    [*first] = PLATFORM.commands({})
    assert PLATFORM.commands({first[0].text: Output()}) == ()
    assert sorted(command.text for command in first) == sorted(answers(""))
    assert all(command.text.startswith("show ") and not command.privileged for command in first)


def test_every_fact_that_is_expected_of_a_leaf_is_a_field_that_is_owned() -> None:
    for path, _ in facts(PLATFORM.localise(leaf(), TARGET)):
        assert any(covers(pattern, path) for pattern in PLATFORM.object_fields) or path == ("unreferenced",), path


def test_every_capability_names_its_source_and_no_write_claims_an_unproven_disruption() -> None:
    for row in PLATFORM.capabilities:
        assert row.source, row.fact
        is_shutdown = row.fact == "ports/*/admin_up" and "Manual" in row.source
        assert row.operation is Operation.READ or row.disruption is Disruption.UNKNOWN or is_shutdown, row.fact
