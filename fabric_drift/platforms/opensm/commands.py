"""The commands that are run on an SM node: two programs that only read, installed by the role."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from fabric_drift.finding import Layer
from fabric_drift.platform import Command, Output

FOLDER = "/usr/local/libexec/fabric_drift"
STATUS = Command(f"python3 {FOLDER}/ib_status.py", privileged=True)
SUBNET = Command(f"python3 {FOLDER}/ib_reader.py", privileged=True, layer=Layer.HARDWARE)
PROGRAMS = ("ib_belief.py", "ib_change.py", "ib_gate.py", "ib_mad.py", "ib_reader.py", "ib_status.py")
_KNOWN = re.compile(
    r"^ {1,8}0x[0-9a-f]{1,16} (Master|Standby|Discovering|NotActive) {1,12}([0-9]{1,2}) {0,12}(SELF)?", re.MULTILINE
)


def commands(outputs: Mapping[str, Output]) -> tuple[Command, ...]:
    """The node first; then the subnet, unless this is a standby below a living master: one subnet is read once."""
    if not outputs:
        return (STATUS,)
    if SUBNET.text in outputs or is_healthy_standby(outputs.get(STATUS.text)):
        return ()
    return (SUBNET,)


def is_healthy_standby(output: Output | None) -> bool:
    """Whether the console lists a master of higher priority than this standby's own."""
    if output is None or not output.whole:
        return False
    try:
        text = json.loads(output.stdout)["console"]["status"]
        known = [(state, int(priority), bool(own)) for state, priority, own in _KNOWN.findall(text)]
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    own = [priority for state, priority, is_own in known if is_own and state == "Standby"]
    masters = [priority for state, priority, is_own in known if state == "Master" and not is_own]
    return len(own) == 1 and len(masters) == 1 and masters[0] >= own[0]
