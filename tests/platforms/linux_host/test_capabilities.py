"""The capability table covers what the platform does, and says by what each row was proven."""

import pytest

from fabric_drift.platform import Disruption, Operation, Platform
from fabric_drift.platforms.linux_host import PLATFORM
from fabric_drift.platforms.linux_host.conf import KEYS
from fabric_drift.platforms.linux_host.saved import PARTS
from fabric_drift.state.tree import facts
from tests.platforms.linux_host.sessions import capture

PROOFS = {"documentation", "source", "schema", "kernel", "emulator", "device"}


def covered(path: tuple[str, ...], fact: str) -> bool:
    parts = fact.split("/")
    return len(parts) <= len(path) and all(part in ("*", name) for part, name in zip(parts, path, strict=False))


def rows(operation: Operation) -> list[str]:
    return [row.fact for row in PLATFORM.capabilities if row.operation is operation and row.supported]


def test_the_platform_fulfils_the_contract() -> None:
    platform: Platform = PLATFORM
    assert platform.name == "linux_host"
    assert set(platform.layers) == set(platform.parse(capture("gpu1")).states)


def test_every_fact_that_is_read_has_a_row_and_is_owned() -> None:
    for state in PLATFORM.parse(capture("gpu1")).states.values():
        for path, _ in facts(state):
            if path == ("ports", "0000:cc:00.0", "qos"):
                continue  # a NIC of another driver, where the whole policy is unobserved
            whole = any(
                covered((*path, "priorities"), fact) or fact.startswith(_star(path)) for fact in rows(Operation.READ)
            )
            assert whole or any(covered(path, fact) for fact in rows(Operation.READ)), path


def _star(path: tuple[str, ...]) -> str:
    """The pattern of ``path`` for any port."""
    return "/".join(("ports", "*", *path[2:]) if path[0] == "ports" else path)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_every_key_that_is_rendered_has_a_row_for_writing(key: object) -> None:
    path = ("ports", "x", *PARTS[key.part], key.field)  # type: ignore[attr-defined]
    assert any(covered(path, fact) for fact in rows(Operation.WRITE))


def test_changing_the_pfc_mask_flaps_the_port() -> None:
    [row] = [
        row
        for row in PLATFORM.capabilities
        if row.fact == "ports/*/qos/pfc/priorities" and row.operation is Operation.WRITE
    ]
    assert row.disruption is Disruption.PORT_FLAP
    assert "mlx5_toggle_port_link" in row.source


def test_a_row_without_a_source_claims_nothing_about_disruption() -> None:
    for row in PLATFORM.capabilities:
        assert row.proof in PROOFS
        assert row.source or row.disruption is Disruption.UNKNOWN
