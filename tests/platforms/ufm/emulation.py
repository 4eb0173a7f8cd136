"""The emulated UFM without its sockets: what it answers to the platform's commands, and what requests do to it."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

from fabric_drift.expect.infiniband import expect as derive
from fabric_drift.intent.infiniband import load
from fabric_drift.lab.ufm.commands import requests_of
from fabric_drift.lab.ufm.server import PASSWORD, USER, Ufm
from fabric_drift.platform import Output, Target
from fabric_drift.platforms.ufm import PLATFORM
from fabric_drift.state.device import DeviceState

INTENT = Path(__file__).parents[3] / "intent" / "ufmpod" / "infiniband"
BASIC = "Basic " + b64encode(f"{USER}:{PASSWORD}".encode()).decode()
HEAD = "HTTP 200\ntls-server-name: ufm1\ntls-verified: yes\n"
TARGET = Target("ufm1", "6.19.3")


def outputs_of(ufm: Ufm) -> dict[str, Output]:
    """Everything that the platform asks for."""
    found: dict[str, Output] = {}
    while commands := [item for item in PLATFORM.commands(found) if item.text not in found]:
        for command in commands:
            found[command.text] = answered(ufm, command.text)
    return found


def answered(ufm: Ufm, text: str) -> Output:
    verb, _, path = text.partition(" ")
    answer = ufm.answer(verb, path, b"", BASIC)
    return Output(answer.body.decode(), HEAD, 0 if answer.status == 200 else answer.status)


def send(ufm: Ufm, verb: str, path: str, body: Any = None) -> None:
    """A request by hand, which has to succeed."""
    answer = ufm.answer(verb, path, b"" if body is None else json.dumps(body).encode(), BASIC)
    assert answer.status == 200, answer.body


def send_all(ufm: Ufm, text: str) -> None:
    """The requests of a .http text."""
    for verb, path, body in requests_of(text):
        send(ufm, verb, path, body)


def expected(target: Target = TARGET) -> DeviceState:
    """What intent/ufmpod asks of its UFM."""
    return PLATFORM.localise(derive(load(INTENT), "ufm1"), target)


def as_intended() -> Ufm:
    """A UFM that is as intent/ufmpod wants it."""
    ufm = Ufm()
    ufm.model.smconf["routing_engine_active"] = "ar_updn"
    (file,) = PLATFORM.render(expected(), TARGET)
    send_all(ufm, file.text)
    return ufm
