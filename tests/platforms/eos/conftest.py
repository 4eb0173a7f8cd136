"""A switch of every release that procedures are tried on."""

from __future__ import annotations

import pytest

from tests.platforms.eos.switch import RELEASES, Switch


@pytest.fixture(params=RELEASES)
def switch(request: pytest.FixtureRequest) -> Switch:
    return Switch(request.param)
