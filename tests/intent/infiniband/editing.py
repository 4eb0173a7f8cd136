"""The intent of ibpod with edits, in a folder of its own."""

from __future__ import annotations

from pathlib import Path

INTENT = Path(__file__).parents[3] / "intent" / "ibpod" / "infiniband"
JOB = """
job:
  hosts: ["gpu[001-004]"]
  derived: [NCCL_IB_HCA, NCCL_IB_PKEY, NCCL_IB_SL, UCX_IB_PKEY, UCX_IB_SL, UCX_NET_DEVICES]
  environment: {NCCL_IB_TIMEOUT: "22"}
"""
INDEX = ("    pkey: 0x0010\n", "    pkey: 0x0010\n    job: {pkey_index: 1}\n")
QOS = (
    "  ulps:\n",
    """  groups:
    compute: [{hosts: ["gpu[001-002]"]}]
  levels:
    bulk: {service_level: 2, mtu: 1024 B, rate: 100 Gb/s}
    control: {service_level: 3, packet_life: 16, partition: tenant_a}
  matches:
    - {level: control, partition: tenant_a, service_id: ["0x6000-0x60ff"], qos_class: [7]}
    - {level: bulk, source: compute, destination: compute, partition: tenant_a}
  ulps:
""",
)


def edited(folder: Path, *edits: tuple[str, str], more: str = "") -> Path:
    """``folder`` with the intent after (old, new) edits, each of which must be there."""
    text = (INTENT / "subnet.yml").read_text()
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "subnet.yml").write_text(text + more)
    (folder / "fabric.topo").write_text((INTENT / "fabric.topo").read_text())
    return folder
