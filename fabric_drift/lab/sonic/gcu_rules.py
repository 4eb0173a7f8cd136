"""Which changes the generic config updater refuses, per release and HwSKU.

After sonic-utilities generic_config_updater (field_operation_validators.py, gcu_field_operation_validators.conf.json):
a validator wants the HwSKU in a list of ASICs and the field in a list of fields. It sees the path in lower case,
without the parts that hold a digit, but the keys of an added object as they are; hence the oddities.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.sonic.configdb import row
from fabric_drift.lab.sonic.gcu_patch import Change

VALIDATOR = "generic_config_updater.field_operation_validators.rdma_config_update_validator"
BROADCOM = ("arista-7060x6-64de", "arista-7060x6-64pe", "arista-7260cx3-c64", "arista-7050cx3-32s-c32")
"""Any HwSKU that contains one of these is known."""
MELLANOX = ("acs-msn4700", "acs-sn5600", "mellanox-sn5600-o128", "mellanox-sn5600-v256", "mellanox-sn5600-c256s1")
"""Only these very HwSKUs are known."""
OPENED = 202511
"""From here on rows of BUFFER_PROFILE come and go freely, WRED_PROFILE is open and BUFFER_POOL closed."""
THRESHOLDS = ("green_min_threshold", "green_max_threshold", "green_drop_probability")
PFC_WD = frozenset({"restoration_time", "detection_time", "action", "global/poll_interval", ""})
POOLS = frozenset({"ingress_lossless_pool/xoff", "ingress_lossless_pool/size", "egress_lossy_pool/size"})
OBJECT_LEVEL = 2


def refused_table(store: Store, change: Change) -> str:
    """The table whose validator refuses the change; empty when none does."""
    table = change.parts[0]
    rule = {
        "PFC_WD": _watchdog,
        "BUFFER_POOL": _pool,
        "BUFFER_PROFILE": _profile,
        "WRED_PROFILE": _wred,
    }.get(table)
    return "" if rule is None or rule(store, change) else table


def release(store: Store) -> int:
    """The release as a number."""
    return int(store["device"]["release"])


def asic_known(store: Store) -> bool:
    """Whether the updater has heard of this HwSKU."""
    hwsku = row(store, "DEVICE_METADATA", "localhost").get("hwsku", "").lower()
    if store["asic"] == "mellanox":
        return hwsku in MELLANOX
    return any(name in hwsku for name in BROADCOM)


def _fields(change: Change, *, without_digits: bool) -> Iterator[str]:
    parts = [part for part in change.parts[1:] if not (without_digits and any(char.isdigit() for char in part))]
    path = "/".join(parts).lower()
    if isinstance(change.value, dict):
        yield from (f"{path}/{key}" if path else key for key in change.value)
    else:
        yield path


def _watchdog(store: Store, change: Change) -> bool:
    if change.operation == "remove" and change.parts[1:2] == ("GLOBAL",):
        return False
    return asic_known(store) and PFC_WD.issuperset(_fields(change, without_digits=True))


def _pool(store: Store, change: Change) -> bool:
    opened: Any = release(store) < OPENED and change.operation == "replace" and asic_known(store)
    return bool(opened) and POOLS.issuperset(_fields(change, without_digits=True))


def _profile(store: Store, change: Change) -> bool:
    fields = set(_fields(change, without_digits=True))
    if release(store) >= OPENED:
        if len(change.parts) <= OBJECT_LEVEL:
            return len(change.parts) == OBJECT_LEVEL
        fields = {field.rpartition("/")[2] for field in fields}
    return asic_known(store) and change.operation == "replace" and fields <= {"dynamic_th", "xoff"}


def _wred(store: Store, change: Change) -> bool:
    if release(store) >= OPENED:
        return True
    fields = set(_fields(change, without_digits=True))
    if release(store) > 202411:  # noqa: PLR2004 - 202505 stopped looking at the profile's name
        fields = {field.rpartition("/")[2] for field in fields}
        allowed = set(THRESHOLDS)
    else:
        allowed = {f"azure_lossless/{field}" for field in THRESHOLDS}
    return asic_known(store) and change.operation == "replace" and fields <= allowed
