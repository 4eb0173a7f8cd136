"""NIC profiles (per family and firmware) and the environment of RDMA jobs.

DCQCN parameter names and units: mlx5 ``ecn/roce_rp`` and ``ecn/roce_np`` files, NVIDIA "DCQCN CC Parameters"
(DOCA 3.4) and community DOC-2790. A parameter that isn't written isn't managed: defaults differ by firmware.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from fabric_drift.intent.base import (
    Bytes,
    Microseconds,
    Model,
    Name,
    Percent,
    Priority,
    RateMbps,
    Switch,
    Text,
    named,
    whole,
    word,
)

CC_MODES = {
    "dcqcn": "PFC and DCQCN",
    "ecn_only": "DCQCN on a lossy class, without PFC",
    "pcc": "programmable congestion control: DCQCN parameters are inert",
    "pfc_only": "PFC without congestion control",
    "off": "neither",
}


class ReactionParameters(Model):
    """DCQCN reaction point (sender)."""

    clamp_tgt_rate: Switch | None = None
    clamp_tgt_rate_after_time_inc: Switch | None = None
    rpg_time_reset: Microseconds | None = None
    rpg_byte_reset: Annotated[int, *whole(1, 2**31 - 1, "a byte counter in the firmware's unit")] | None = None
    rpg_threshold: Annotated[int, *whole(1, 31, "a number of stages")] | None = None
    rpg_max_rate: RateMbps | None = None
    """0 Mb/s: line rate."""
    rpg_ai_rate: RateMbps | None = None
    rpg_hai_rate: RateMbps | None = None
    rpg_gd: Annotated[int, *whole(10, 11, "a rate cut exponent")] | None = None
    rpg_min_dec_fac: Percent | None = None
    rpg_min_rate: RateMbps | None = None
    rate_to_set_on_first_cnp: RateMbps | None = None
    """0 Mb/s: off."""
    dce_tcp_g: Annotated[int, *whole(0, 1023, "1024 * (1 - g)")] | None = None
    dce_tcp_rtt: Microseconds | None = None
    rate_reduce_monitor_period: Microseconds | None = None
    initial_alpha_value: Annotated[int, *whole(1, 1023, "alpha in 1/1024")] | None = None


class NotificationParameters(Model):
    """DCQCN notification point (receiver)."""

    min_time_between_cnps: Microseconds | None = None


class DcqcnParameters(Model):
    """DCQCN parameters, runtime."""

    notification: NotificationParameters = Field(default_factory=NotificationParameters)
    reaction: ReactionParameters = Field(default_factory=ReactionParameters)


ParameterName: TypeAlias = Annotated[str, *named(r"[A-Z][A-Z0-9_]{1,63}", "an mlxconfig parameter or variable name")]
Action: TypeAlias = Annotated[str, *word("rdma_cm", "verbs")]


class NicProfile(Model):
    """What one NIC family, with one set of firmware versions, is given on every managed port."""

    family: Name
    firmware: tuple[Text, ...] = ()
    """Allowed versions; with exactly one, another is drift."""
    cc_mode: Annotated[str, *word(*CC_MODES)]
    """dcqcn, ecn_only, pcc, pfc_only or off."""
    dcqcn: DcqcnParameters = Field(default_factory=DcqcnParameters)
    marks_class: Name | None = None
    """Class that unmarked RDMA traffic gets (verbs and rdma_cm defaults); default: the only rdma class."""
    default_marking: tuple[Action, ...] = ("rdma_cm", "verbs")
    """Which of the two defaults are managed; verbs needs the vendor's driver."""
    ecn_bits: Annotated[str, *word("not_ect", "ect0", "ect1")] = "ect0"
    """ECN bits of the traffic class byte: DSCP << 2 | bits. ect0 gives 106 for DSCP 26."""
    roce_mode: Annotated[str, *word("v1", "v2")] | None = None
    """rdma_cm default; unmanaged when left out."""
    dcb_owner: Annotated[str, *word("os", "firmware", "lldpad", "networkmanager")] | None = None
    """Who writes the DCB registers; unmanaged when left out."""
    receive_buffers: dict[Priority, Bytes] | None = None
    """Sizes of receive buffers; unmanaged when left out."""
    persist: Switch = False
    """Also expect runtime values in the persistent mlxconfig parameters, so that a reboot keeps them."""
    firmware_parameters: dict[ParameterName, Text] = Field(default_factory=dict)
    """Further persistent mlxconfig parameters, as mlxconfig prints their values."""


class Job(Model):
    """Environment of RDMA jobs on the hosts."""

    class_: Name = Field(alias="class")
    """Class that jobs mark their traffic with."""
    derived: tuple[
        Annotated[
            str,
            *word("NCCL_IB_TC", "NCCL_IB_FIFO_TC", "NCCL_GIN_IB_TC", "NCCL_IB_HCA", "UCX_IB_TRAFFIC_CLASS"),
        ],
        ...,
    ] = ("NCCL_IB_TC", "UCX_IB_TRAFFIC_CLASS")
    """Variables computed from the class and the rails."""
    environment: dict[ParameterName, Text] = Field(default_factory=dict)
    """Further variables, as they are (NCCL_IB_GID_INDEX, NCCL_IB_TIMEOUT, ...)."""


_ECN_BITS = {"not_ect": 0, "ect1": 1, "ect0": 2}
"""RFC 3168, section 5."""


def marking_byte(dscp: int, profile: NicProfile) -> int:
    """Traffic class byte (ToS): DSCP << 2 | ECN bits; 106 for DSCP 26 with ECT(0)."""
    return dscp << 2 | _ECN_BITS[profile.ecn_bits]


def job_environment(job: Job, byte: int, rdma_devices: list[str]) -> dict[str, str]:
    """Variables of RDMA jobs, sorted. ``=`` before the HCA list: names are whole, mlx5_1 is not mlx5_10."""
    derived = {name: f"={','.join(rdma_devices)}" if name == "NCCL_IB_HCA" else str(byte) for name in job.derived}
    return dict(sorted((derived | job.environment).items()))
