"""Fixtures and policy of every test: where foreign witnesses lie, and that CI may not skip them."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parent.parent
MUST_RUN_IN_CI = ("lab", "witness")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden files from what the code says now")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a skipped witness or lab test is a failure: nobody would notice that it no longer proves anything."""
    report = yield
    must_run = any(item.get_closest_marker(name) for name in MUST_RUN_IN_CI)
    if os.environ.get("CI") and must_run and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI, where it must run: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def shared() -> Callable[[str], Path]:
    """Path of something that isn't part of the project (captures, YANG models, tools), by its name."""

    def find(name: str) -> Path:
        root = Path(os.environ.get("FABRIC_DRIFT_SHARED") or REPO.parent / "shared")
        path = root / name
        if not path.exists():
            message = f"{name} is not in {root}: set FABRIC_DRIFT_SHARED to the folder that holds it"
            if os.environ.get("CI"):
                pytest.fail(message)
            pytest.skip(message)
        return path

    return find


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written instead of compared."""
    return bool(request.config.getoption("--update-golden"))
