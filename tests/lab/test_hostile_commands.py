"""Whatever somebody types, an emulated device answers; it never takes the lab down."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric_drift.lab.emulator import Answer, Emulator, Store
from fabric_drift.lab.eos import EMULATOR as EOS
from fabric_drift.lab.linux_host import EMULATOR as LINUX_HOST
from tests.lab.eos.conftest import LEAF_CFG, leaf
from tests.lab.linux_host.conftest import HOST, RAIL1, ROCE_QOS

EOS_STORE = EOS.start(leaf())
EOS.load(EOS_STORE, {"eos.cfg": LEAF_CFG})
HOST_STORE = LINUX_HOST.start(HOST)
LINUX_HOST.load(HOST_STORE, {f"roce-qos/{RAIL1}.conf": ROCE_QOS})

ODD = (
    "",
    "²",
    "-1",
    "99999999999999999999",
    "0x",
    "\x00",
    "'",
    '"',
    "%s",
    "..",
    "é",
    ",",
    ":",
    "=",
    "no",
    "default",
    "[",
)


def words_of(emulator: Emulator, store: Store) -> list[str]:
    """The vocabulary of a device: what people type there, word by word."""
    typed = [command for commands in emulator.mutations(store).values() for command in commands]
    known = [
        "show",
        "running-config",
        "|",
        "json",
        "configure",
        "-i",
        "-e",
        "q",
        "-j",
        "show dev",
        "&&",
        ">",
        "tee",
        "-r",
    ]
    return sorted({word for command in typed for word in command.split()} | {*known, *ODD})


def lines(emulator: Emulator, store: Store) -> st.SearchStrategy[str]:
    word = st.sampled_from(words_of(emulator, store)) | st.text(max_size=6)
    command = st.lists(word, max_size=9).map(" ".join)
    native = st.sampled_from([command for commands in emulator.mutations(store).values() for command in commands])
    cut = st.tuples(native, st.integers(0, 120), word).map(lambda parts: f"{parts[0][: parts[1]]}{parts[2]}")
    return st.lists(command | cut, min_size=1, max_size=4).map("\n".join)


@pytest.mark.parametrize(("emulator", "store"), [(EOS, EOS_STORE), (LINUX_HOST, HOST_STORE)], ids=["eos", "linux_host"])
def test_every_text_is_answered_and_leaves_a_store_of_json(emulator: Emulator, store: Store) -> None:
    @settings(deadline=None)
    @given(lines(emulator, store))
    def answered(command: str) -> None:
        copy = deepcopy(store)
        assert isinstance(emulator.run(copy, command), Answer)
        assert json.loads(json.dumps(copy)) == copy

    answered()
