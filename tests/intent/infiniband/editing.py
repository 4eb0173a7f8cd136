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
