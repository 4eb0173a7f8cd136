"""Switches that several tests start from."""

from __future__ import annotations

import pytest

from tests.platforms.sonic.changing import Switch
from tests.platforms.sonic.test_plan import in_sync


@pytest.fixture(params=["gcu_patch", "config_reload"])
def drifted(request: pytest.FixtureRequest) -> Switch:
    """A switch that has to be changed, by either route."""
    if request.param == "config_reload":
        return Switch("leaf2")
    switch = in_sync("leaf1")
    switch.run("config interface pfc priority Ethernet0 4 on", "ecnconfig -p AZURE_LOSSLESS -gmin 1000000")
    switch.run('sonic-db-cli CONFIG_DB hset "DSCP_TO_TC_MAP|AZURE" 30 3')
    switch.flapped()
    return switch
