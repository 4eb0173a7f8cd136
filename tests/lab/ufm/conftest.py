"""One emulated UFM behind HTTPS for all tests; each starts with what intent/ufmpod wants."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from fabric_drift.finding import Verdict
from fabric_drift.inventory.host import Host, Secret
from fabric_drift.lab.ufm.model import Model
from fabric_drift.lab.ufm.server import PASSWORD, USER, Ufm, serve
from fabric_drift.result import CheckResult, DeviceResult
from fabric_drift.transport.limits import Limits
from fabric_drift.workflow.check import check
from fabric_drift.workflow.expectations import Expectations, from_intent
from fabric_drift.workflow.sources import Live, Source
from tests.platforms.ufm.emulation import as_intended

INTENT = Path(__file__).parents[3] / "intent" / "ufmpod"
LIMITS = Limits(connect_seconds=5, command_seconds=5, device_seconds=20)


@dataclass
class Lab:
    """The server, and the ways in."""

    ufm: Ufm
    host: Host
    expectations: Expectations = field(default_factory=lambda: from_intent(INTENT))
    limits: Limits = LIMITS

    def live(self) -> Live:
        return Live({"ufm1": self.host}, self.limits)

    def check(self, source: Source | None = None) -> CheckResult:
        return check(self.expectations, source or self.live())

    def device(self, source: Source | None = None) -> DeviceResult:
        (result,) = self.check(source).devices
        return result

    def told(self) -> dict[str, str]:
        """Path -> verdict of every finding but information."""
        return {
            "/".join(finding.path): finding.verdict.value
            for finding in self.device().findings
            if finding.verdict is not Verdict.INFORMATION
        }


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("ufm")
    ufm = Ufm()
    with serve(ufm, folder, "ufm1") as port:
        host = Host("ufm1", "127.0.0.1", port, USER, Secret(PASSWORD), tls_name="ufm1", ca_file=str(folder / "ca.pem"))
        yield Lab(ufm, host)


@pytest.fixture
def lab(server: Lab) -> Iterator[Lab]:
    server.ufm.fault("none")
    server.ufm.model = replace(as_intended().model)
    server.ufm.requests.clear()
    yield Lab(server.ufm, server.host)
    server.ufm.fault("none")
    server.ufm.stopping.set()  # ends what hangs
    server.ufm.stopping.clear()


def run(coroutine: object) -> object:
    return asyncio.run(coroutine)  # type: ignore[arg-type]


__all__ = ["Lab", "Model", "lab", "server"]
