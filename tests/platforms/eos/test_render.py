"""Where rendered lines go: profiles, names that are kept, and LAGs. The whole text is a golden file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from fabric_drift.errors import Unsupported
from fabric_drift.platform import Target
from fabric_drift.platforms.eos import PLATFORM
from fabric_drift.state import DeviceState
from tests.platforms.eos.avd import lines
from tests.platforms.eos.pod import POLICY, TARGET, leaf
from tests.platforms.eos.reading import DATA


def rendered(state: DeviceState, target: Target = TARGET) -> str:
    [artefact] = PLATFORM.render(PLATFORM.localise(state, target), target)
    assert artefact.name == "eos.cfg"
    return artefact.text


def two_policies() -> DeviceState:
    base = leaf()
    assert isinstance(base.ports, Mapping)
    other = replace(base.ports["Ethernet2/1"], qos=replace(POLICY, trust="pcp"))
    return replace(base, ports={**base.ports, "Ethernet2/1": other})


def attached(text: str) -> dict[str, str]:
    return {line[0]: line[1] for line in lines(text) if line[-1].startswith("service-profile ")}


def test_the_rendered_leaf_is_the_golden_one(update_golden: bool) -> None:
    golden = DATA / "leaf.golden.cfg"
    if update_golden:
        golden.write_text(rendered(leaf()))
    assert rendered(leaf()) == golden.read_text()


def test_one_policy_is_one_profile() -> None:
    assert set(attached(rendered(leaf())).values()) == {"service-profile ROCE"}


def test_two_policies_are_two_profiles() -> None:
    assert attached(rendered(two_policies())) == {
        "interface Ethernet1/1": "service-profile ROCE",
        "interface Ethernet2/1": "service-profile ROCE-2",
    }


def test_a_profile_of_the_switch_keeps_its_name() -> None:
    names = {"service-profile Ethernet1/1": "RAIL", "service-profile Ethernet2/1": "RAIL", "qos profile RAIL": "RAIL"}
    assert set(attached(rendered(leaf(), replace(TARGET, names=names))).values()) == {"service-profile RAIL"}


def test_a_profile_that_an_unmanaged_port_uses_is_not_taken_over() -> None:
    names = {"service-profile Ethernet1/1": "RAIL", "service-profile Ethernet60/1": "RAIL", "qos profile ROCE": "ROCE"}
    assert set(attached(rendered(leaf(), replace(TARGET, names=names))).values()) == {"service-profile ROCE-2"}


LAG = {"channel-group Ethernet1/1": "Port-Channel7", "channel-group Ethernet2/1": "Port-Channel7"}


def test_policy_and_mtu_of_a_lag_are_under_the_port_channel_and_the_link_under_its_members() -> None:
    found = lines(rendered(leaf(), replace(TARGET, names=LAG)))
    assert {line for line in found if line[0].startswith("interface ")} == {
        ("interface Port-Channel7",),
        ("interface Port-Channel7", "mtu 9100"),
        ("interface Port-Channel7", "service-profile ROCE"),
        *((f"interface Ethernet{n}/1",) for n in (1, 2)),
        *((f"interface Ethernet{n}/1", "no shutdown") for n in (1, 2)),
        *((f"interface Ethernet{n}/1", "error-correction encoding reed-solomon") for n in (1, 2)),
    }


def test_members_that_want_different_policies_are_refused() -> None:
    target = replace(TARGET, names=LAG)
    with pytest.raises(Unsupported, match="members of Port-Channel7 want different policies"):
        rendered(two_policies(), target)


def test_a_lag_with_an_unmanaged_member_is_refused() -> None:
    target = replace(TARGET, names={**LAG, "channel-group Ethernet9/1": "Port-Channel7"})
    with pytest.raises(Unsupported, match="isn't managed: Ethernet9/1"):
        rendered(leaf(), target)


def test_rendering_twice_gives_the_same_bytes() -> None:
    assert rendered(two_policies()) == rendered(two_policies())
