"""Localised state -> files of the next boot: roce-qos/PCI.conf, mlxconfig/PCI.conf, nccl.conf, ucx.conf."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from fabric_drift.platform import Rendered, Target
from fabric_drift.platforms.linux_host.conf import KEYS
from fabric_drift.platforms.linux_host.saved import PARTS
from fabric_drift.state.device import DeviceState, Nic, Port
from fabric_drift.state.tree import is_subtree
from fabric_drift.state.values import ABSENT, UNSAID, NotApplicable, Unobserved

JOB_FILES = {"NCCL_": "nccl.conf", "UCX_": "ucx.conf"}


def render(expected: DeviceState, _target: Target) -> tuple[Rendered, ...]:
    """Files of a localised state, sorted by name."""
    files = [*_port_files(expected), *_job_files(expected.job)]
    return tuple(sorted(files, key=lambda item: item.name))


def _port_files(expected: DeviceState) -> Iterator[Rendered]:
    if not is_subtree(expected.ports):
        return
    for pci, port in sorted(expected.ports.items()):  # type: ignore[union-attr]
        settings = list(_settings(port))
        if settings:
            yield Rendered(f"roce-qos/{pci}.conf", _text(settings, pci))
        parameters = port.nic.firmware_parameters if isinstance(port.nic, Nic) else UNSAID
        if is_subtree(parameters) and parameters:
            yield Rendered(f"mlxconfig/{pci}.conf", _text(sorted(parameters.items())))  # type: ignore[union-attr]


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(  # noqa: S701  shell-like settings, not HTML
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("settings.conf.j2")


def _text(settings: Sequence[tuple[str, str]], pci: str = "") -> str:
    return _template().render(settings=settings, pci=pci)


def _settings(port: Port) -> Iterator[tuple[str, str]]:
    for key in KEYS:
        value = fact_at(port, (*PARTS[key.part], key.field))
        if value is ABSENT and key.name == "traffic_class":
            yield key.name, "none"
        elif value is not ABSENT and value is not UNSAID and not isinstance(value, NotApplicable | Unobserved):
            yield key.name, key.write(value)


def fact_at(value: Any, path: tuple[str, ...]) -> Any:
    """Find the fact at ``path``; UNSAID below something that has no facts."""
    for name in path:
        if not is_subtree(value):
            return UNSAID
        value = value.get(name, UNSAID) if isinstance(value, Mapping) else getattr(value, name)
    return value


def _job_files(job: Any) -> Iterator[Rendered]:
    if not is_subtree(job):
        return
    for prefix, name in JOB_FILES.items():
        settings = [(key, value) for key, value in sorted(job.items()) if key.startswith(prefix)]
        if settings:
            yield Rendered(name, _text(settings))
