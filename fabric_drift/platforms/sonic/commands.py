r"""What is asked of a SONiC switch: few read-only commands, JSON wherever SONiC has it.

The backslashes are deliberate: a POSIX shell and a sudoers file both read ``\*`` as a literal star, so the
text of a command is at once what is sent and the line that the restricted account is allowed. An unescaped
star in sudoers would also match spaces, and with them ``-o FILE``.

Sources: sonic-buildimage src/sonic-py-common/sonic_py_common/sonic_db_dump_load.py (options of sonic-db-dump),
device/<vendor>/<platform>/<hwsku>/pg_profile_lookup.ini.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from fabric_drift.finding import Layer
from fabric_drift.platform import Command, Output

VERSION = Command("cat /etc/sonic/sonic_version.yml")
SAVED = Command("cat /etc/sonic/config_db.json", privileged=True, layer=Layer.SAVED)
RUNNING = Command("sonic-cfggen -d --print-data", privileged=True, layer=Layer.RUNNING)


def _dump(database: str, keys: str, layer: Layer, *, optional: bool = False) -> Command:
    return Command(f"sonic-db-dump -n {database} -k {keys} -y", privileged=True, layer=layer, optional=optional)


APPL_PORTS = _dump("APPL_DB", r"PORT_TABLE\:\*", Layer.NOS)
APPL_BUFFERS = _dump("APPL_DB", r"BUFFER_\*", Layer.NOS)
APPL_LLDP = _dump("APPL_DB", r"LLDP_ENTRY_TABLE\:\*", Layer.NOS, optional=True)
STATE_BUFFERS = _dump("STATE_DB", r"BUFFER_\*", Layer.NOS, optional=True)
ASIC_PORTS = _dump("ASIC_DB", r"ASIC_STATE\:SAI_OBJECT_TYPE_PORT\:\*", Layer.SAI)
ASIC_QUEUES = _dump("ASIC_DB", r"ASIC_STATE\:SAI_OBJECT_TYPE_\[QW\]\*", Layer.SAI)
"""QOS_MAP, QUEUE and WRED objects."""
ASIC_GROUPS = _dump("ASIC_DB", r"ASIC_STATE\:SAI_OBJECT_TYPE_INGRESS_PRIORITY_GROUP\:\*", Layer.SAI)
ASIC_BUFFERS = _dump("ASIC_DB", r"ASIC_STATE\:SAI_OBJECT_TYPE_BUFFER_\*", Layer.SAI)
NAME_MAPS = _dump("COUNTERS_DB", r"COUNTERS_\*_NAME_MAP", Layer.SAI)

FIRST_ROUND = (
    VERSION,
    SAVED,
    RUNNING,
    APPL_PORTS,
    APPL_BUFFERS,
    APPL_LLDP,
    STATE_BUFFERS,
    ASIC_PORTS,
    ASIC_QUEUES,
    ASIC_GROUPS,
    ASIC_BUFFERS,
    NAME_MAPS,
)

LOOKUP_PATTERN = r"cat /usr/share/sonic/device/[A-Za-z0-9_-]+/[A-Za-z0-9_.-]+/pg_profile_lookup\.ini"
FAMILIES = (*FIRST_ROUND, Command("cat LOOKUP", layer=Layer.RUNNING, optional=True, pattern=LOOKUP_PATTERN))
"""Every command that can be asked for."""
_PLATFORM = re.compile(r'"platform"\s*:\s*"([A-Za-z0-9_-]{1,64})"')
_HWSKU = re.compile(r'"hwsku"\s*:\s*"([A-Za-z0-9_-][A-Za-z0-9_.-]{0,63})"')


def lookup(outputs: Mapping[str, Output]) -> Command | None:
    """The command that reads the headroom table of this HwSKU, once the running configuration names it.

    Only names of plain characters get into a command: the device wrote them.
    """
    text = outputs[RUNNING.text].stdout if RUNNING.text in outputs else ""
    platform, hwsku = _PLATFORM.search(text), _HWSKU.search(text)
    if platform is None or hwsku is None:
        return None
    path = f"/usr/share/sonic/device/{platform[1]}/{hwsku[1]}/pg_profile_lookup.ini"
    return Command(f"cat {path}", layer=Layer.RUNNING, optional=True, pattern=LOOKUP_PATTERN)


def commands(outputs: Mapping[str, Output]) -> tuple[Command, ...]:
    """The next round: everything that needs no answer first, then the headroom table of the HwSKU."""
    if not outputs:
        return FIRST_ROUND
    table = lookup(outputs)
    return () if table is None or table.text in outputs else (table,)
