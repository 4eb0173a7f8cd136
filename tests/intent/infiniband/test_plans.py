"""A plan may be text of ibnetdiscover, a .topo file or a CSV of cables: the same cables make the same intent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric_drift.errors import IntentErrors
from fabric_drift.expect.infiniband import expect
from fabric_drift.intent.infiniband import load
from fabric_drift.intent.infiniband.plan import PlannedNode
from fabric_drift.intent.infiniband.plan_files import read_plan
from tests.intent.infiniband.editing import INTENT
from tests.scaling import reads_in_linear_time

FAULTS: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("plan_faults.yml").read_text())
NODES = read_plan(INTENT / "fabric.topo", [])


def guids() -> str:
    """The file of GUIDs."""
    lines = ["name,kind,node_guid,port,port_guid"]
    for node in NODES.values():
        ports = [f"{port.number},{port.guid}" for port in node.ports.values()] if node.kind == "ca" else [","]
        lines += [f"{node.description},{node.kind},{node.guid},{port}" for port in ports]
    return "\n".join(lines) + "\n"


def cables() -> Iterator[tuple[PlannedNode, int, PlannedNode, int]]:
    """Every cable, once, from its end with the smaller GUID."""
    for node in sorted(NODES.values(), key=lambda item: item.guid):
        for port in node.ports.values():
            guid, _, number = port.peer.partition("/")
            if node.guid < guid:
                yield node, port.number, NODES[guid], int(number)


def as_csv() -> str:
    """Rail 1 first: the first row is the cable of ``gpu001 mlx5_0``."""
    rows = [f"{a.description},{a_port},{b.description},{b_port},4x,HDR" for a, a_port, b, b_port in cables()]
    return "\n".join(["a_node,a_port,b_node,b_port,width,speed", *rows]) + "\n"


def as_topo() -> str:
    """As ``ibdiagnet -w`` writes it: switches with their ports; hosts are named at the far ends."""
    lines: list[str] = []
    for node in (node for node in NODES.values() if node.kind == "switch"):
        lines += [f"SW {node.description}"]
        for port in node.ports.values():
            guid, _, number = port.peer.partition("/")
            far = NODES[guid]
            system, panel = (
                (far.description, f"P{number}") if far.kind == "switch" else (far.host, f"{far.hca}/P{number}")
            )
            lines.append(f"   P{port.number} -4x-50G-> {'SW' if far.kind == 'switch' else 'HCA'} {system} {panel}")
        lines.append("")
    return "\n".join(lines)


def written(folder: Path, form: str, **texts: str) -> Path:
    """The intent of ibpod with its plan in another form."""
    plan = f"plan: cables.{form}\nplan_guids: guids.csv"
    text = (INTENT / "subnet.yml").read_text().replace("plan: fabric.topo", plan)
    (folder / "subnet.yml").write_text(text)
    (folder / f"cables.{form}").write_text(texts.get(form, as_csv() if form == "csv" else as_topo()))
    (folder / "guids.csv").write_text(texts.get("guids", guids()))
    return folder


@pytest.mark.parametrize("form", ["csv", "topo"])
def test_the_same_cables_make_the_same_intent_in_every_form(tmp_path: Path, form: str) -> None:
    found, wanted = load(written(tmp_path, form)), load(INTENT)
    for name in wanted.devices:
        assert expect(found, name) == expect(wanted, name)


def test_one_row_of_a_csv_cables_a_whole_rail(tmp_path: Path) -> None:
    rows = as_csv().splitlines()
    rails = [row for row in rows if not re.match(r"gpu00[1-6] mlx5_0,", row)]
    rails.append("gpu[001-006] mlx5_0,1,leaf-r1-1,[1-6],4x,HDR")
    assert len(rails) == len(rows) - 5
    found = load(written(tmp_path, "csv", csv="\n".join(rails) + "\n"))
    assert expect(found, "sm1") == expect(load(INTENT), "sm1")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault['form']} {fault['by'][:40]!r}")
def test_one_fault_of_a_plan_is_told_with_file_and_line(tmp_path: Path, fault: dict[str, Any]) -> None:
    form = fault["form"]
    good = {"csv": as_csv(), "topo": as_topo(), "guids": guids()}[form]
    assert fault["replace"] in good
    bad = {form: good.replace(fault["replace"], fault["by"], 1)}
    with pytest.raises(IntentErrors) as raised:
        load(written(tmp_path, "topo" if form == "topo" else "csv", **bad))
    errors = [
        error for error in raised.value.errors if any(words in error.text() for words in fault["says"].split("|"))
    ]
    assert errors
    assert {error.code for error in errors} == {fault["code"]}
    if "line" in fault:
        file = "guids.csv" if form == "guids" else f"cables.{form}"
        assert errors[0].where == f"{tmp_path}/{file}:{fault['line']}"


def test_a_plan_of_names_without_a_file_of_guids_is_refused(tmp_path: Path) -> None:
    folder = written(tmp_path, "csv")
    text = (folder / "subnet.yml").read_text().replace("plan_guids: guids.csv", "")
    (folder / "subnet.yml").write_text(text)
    with pytest.raises(IntentErrors, match="names nodes without their GUIDs"):
        load(folder)


def test_a_description_that_looks_like_a_width_does_not_become_one(tmp_path: Path) -> None:
    plan = (INTENT / "fabric.topo").read_text().replace('"gpu001 mlx5_0"', '"gpu001 1xSDR"')
    (tmp_path / "fabric.topo").write_text(plan)
    nodes = read_plan(tmp_path / "fabric.topo", [])
    assert {(port.width, port.speed) for node in nodes.values() for port in node.ports.values()} == {("4x", "HDR")}


@pytest.mark.parametrize("suffix", ["csv", "topo"])
@pytest.mark.parametrize("junk", ["a -4x-" * 100_000, "P1 -> " * 150_000, "[1-9],1," * 100_000, " \t" * 400_000])
def test_a_megabyte_of_junk_is_refused_in_linear_time(tmp_path: Path, suffix: str, junk: str) -> None:
    (tmp_path / "guids.csv").write_text(guids())

    def read(text: str) -> None:
        (tmp_path / f"plan.{suffix}").write_text(text)
        read_plan(tmp_path / f"plan.{suffix}", [], tmp_path / "guids.csv")

    assert reads_in_linear_time(read, junk)
