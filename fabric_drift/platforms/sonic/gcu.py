"""What ``config apply-patch`` (the generic config updater) refuses, by release and HwSKU. Data and one question.

Sources: sonic-utilities generic_config_updater/field_operation_validators.py and
gcu_field_operation_validators.conf.json of 202411, 202505 and 202511; what they answer was run for each release with
the ASIC given. A validator sees the path in lower case, without the parts that hold a digit.
"""

from __future__ import annotations

from fabric_drift.platforms.sonic.patch import Change

# HwSKUs that the validators know. Broadcom: any that contains one of these; Mellanox: these only.
BROADCOM = (
    "Arista-7050-QX-32S",
    "Arista-7050-QX32",
    "Arista-7050CX3-32C-C32",
    "Arista-7050CX3-32S-C32",
    "Arista-7050CX3-32S-D48C8",
    "Arista-7050QX32S-Q32",
    "Arista-7060CX-32S-C32",
    "Arista-7060CX-32S-D48C8",
    "Arista-7060X6-64DE",
    "Arista-7060X6-64PE",
    "Arista-7260CX3-C64",
    "Arista-7260CX3-D108C10",
    "Arista-7260CX3-D108C8",
    "Arista-7260CX3-Q64",
    "Celestica-DX010-C32",
    "Force10-S6000",
    "Force10-S6100",
    "Nexus-3164",
    "Nokia-IXR7220-H3",
    "Nokia-IXR7220-H4-32D",
    "Nokia-IXR7220-H4-64D",
    "Nokia-IXR7220-H5-64D",
    "Nokia-IXR7250E-36x100G",
    "Nokia-IXR7250E-36x400G",
    "Seastone-DX010",
)
MELLANOX = (
    "ACS-MSN2010",
    "ACS-MSN2100",
    "ACS-MSN2410",
    "ACS-MSN2700",
    "ACS-MSN2700-A1",
    "ACS-MSN2740",
    "ACS-MSN3420",
    "ACS-MSN3700",
    "ACS-MSN3700C",
    "ACS-MSN3800",
    "ACS-MSN4410",
    "ACS-MSN4600",
    "ACS-MSN4600C",
    "ACS-MSN4700",
    "ACS-SN4280",
    "ACS-SN5400",
    "ACS-SN5600",
    "ACS-SN5640",
    "Mellanox-SN2700",
    "Mellanox-SN2700-A1",
    "Mellanox-SN2700-A1-C28D8",
    "Mellanox-SN2700-A1-D40C8S8",
    "Mellanox-SN2700-A1-D44C10",
    "Mellanox-SN2700-A1-D48C8",
    "Mellanox-SN2700-C28D8",
    "Mellanox-SN2700-D40C8S8",
    "Mellanox-SN2700-D44C10",
    "Mellanox-SN2700-D48C8",
    "Mellanox-SN3800-C64",
    "Mellanox-SN3800-D100C12S2",
    "Mellanox-SN3800-D112C8",
    "Mellanox-SN3800-D24C52",
    "Mellanox-SN3800-D28C49S1",
    "Mellanox-SN3800-D28C50",
    "Mellanox-SN4280-O28",
    "Mellanox-SN4600C-C64",
    "Mellanox-SN4600C-D100C12S2",
    "Mellanox-SN4600C-D112C8",
    "Mellanox-SN4600C-D48C40",
    "Mellanox-SN4700-A96C8V8",
    "Mellanox-SN4700-C128",
    "Mellanox-SN4700-O28",
    "Mellanox-SN4700-O32",
    "Mellanox-SN4700-O8C48",
    "Mellanox-SN4700-O8V48",
    "Mellanox-SN4700-V48C32",
    "Mellanox-SN4700-V64",
    "Mellanox-SN5600-C224O8",
    "Mellanox-SN5600-C256S1",
    "Mellanox-SN5600-O128",
    "Mellanox-SN5600-V256",
    "Mellanox-SN5610N-C224O8",
    "Mellanox-SN5610N-C256S2",
    "Mellanox-SN5640-C448O16",
    "Mellanox-SN5640-C512S2",
)
SIZES = {("ingress_lossless_pool", "size"), ("ingress_lossless_pool", "xoff"), ("egress_lossy_pool", "size")}
MARKING = {"green_min_threshold", "green_max_threshold", "green_drop_probability"}
TUNABLE = {"dynamic_th", "xoff"}
OPENED = "202511"
"""From this release on WRED_PROFILE is open, BUFFER_POOL closed, and rows of BUFFER_PROFILE come and go."""


def sku_known(hardware: str, asic: str) -> bool:
    """Whether the validators know the HwSKU; they refuse every change of their tables elsewhere."""
    if asic == "mellanox":
        return hardware.lower() in {name.lower() for name in MELLANOX}
    return asic == "broadcom" and any(name.lower() in hardware.lower() for name in BROADCOM)


def refusal_of(change: Change, release: str, hardware: str, asic: str) -> str:
    """Why the updater refuses the change, "" where it doesn't."""
    known = sku_known(hardware, asic)
    unlisted = f"GCU of {release} does not know HwSKU {hardware or 'unknown'} and refuses {change.table}"
    match change.table:
        case "BUFFER_POOL":
            return _pool(change, release) or ("" if known else unlisted)
        case "PFC_WD":
            return _watchdog(change) or ("" if known else unlisted)
        case "WRED_PROFILE" if release < OPENED:
            return _wred(change, release) or ("" if known else unlisted)
        case "BUFFER_PROFILE":
            free = release >= OPENED and change.whole_row and not change.whole_table
            return "" if free else _profile(change, release) or ("" if known else unlisted)
        case "DEVICE_METADATA":
            return "the buffer model changes at a restart only"
        case "PORT" if change.field == "speed":
            return "a change of speed on a port that is up fails in GCU (sonic-buildimage issue 11328)"
    return ""


def _pool(change: Change, release: str) -> str:
    if release >= OPENED:
        return f"GCU of {release} refuses every change of BUFFER_POOL"
    resized = change.operation == "replace" and (change.key, change.field) in SIZES
    return "" if resized else f"GCU of {release} only resizes ingress_lossless_pool and egress_lossy_pool"


def _watchdog(change: Change) -> str:
    if change.whole_table and change.operation == "add":
        return "GCU can't create PFC_WD (`pfcwd start` does)"
    if change.key == "GLOBAL" and (change.whole_row or change.operation == "remove"):
        return "GCU can neither create nor remove PFC_WD|GLOBAL (`pfcwd interval` sets it)"
    if change.whole_table:
        return "GCU can't remove PFC_WD with its GLOBAL row"
    return ""


def _wred(change: Change, release: str) -> str:
    fits = change.operation == "replace" and change.field in MARKING
    if not fits:
        return f"GCU of {release} changes only {', '.join(sorted(MARKING))} of a WRED profile"
    if release == "202411" and change.key != "AZURE_LOSSLESS":
        return "GCU of 202411 changes no WRED profile but AZURE_LOSSLESS"
    return ""


def _profile(change: Change, release: str) -> str:
    fits = change.operation == "replace" and change.field in TUNABLE
    if not fits:
        return f"GCU of {release} changes only dynamic_th and xoff of a buffer profile"
    if release < OPENED and not any(character.isdigit() for character in change.key):
        return f"GCU of {release} knows no buffer profile without a digit in its name"
    return ""
