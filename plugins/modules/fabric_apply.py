# Documentation only: the work is done by the action plugin of the same name.
"""Documentation of fabric_apply."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fabric_apply
short_description: Bring one device of a fabric to its intent, or leave it as it was
version_added: "0.1.0"
description:
  - Reads the device, plans, and writes only what differs. A timer on the device undoes the change unless facts and
    health, read back over a new connection, prove it good.
  - In check mode it reads and plans only.
extends_documentation_fragment:
  - fabric_drift.fabric.fabric
  - fabric_drift.fabric.fabric.consent
  - fabric_drift.fabric.fabric.change
options:
  part:
    description:
      - The part of the change to apply, as M(fabric_drift.fabric.fabric_preview) orders them. Without it everything,
        which is for one device alone.
    type: str
    choices: [add_on_switches, add_on_hosts, add_to_jobs, remove_from_jobs, remove_from_hosts, remove_from_switches]
  approval:
    description:
      - The device's C(approval) of M(fabric_drift.fabric.fabric_preview). The device is refused when intent,
        rendered configuration or its own state have moved since.
    type: dict
  plan:
    description: A plan file, instead of O(approval).
    type: path
author:
  - The fabric_drift authors (@fabric-drift)
"""

EXAMPLES = r"""
- name: Bring a leaf to the intent
  fabric_drift.fabric.fabric_apply:
    intent: intent/pod1
    run_log: /var/log/fabric-drift
    allow: [lossless_gap]
"""

RETURN = r"""
status:
  description: How it ended. Only C(unchanged) and C(changed) do not fail.
  returned: always
  type: str
  sample: undone
msg:
  description: The same as one sentence.
  returned: always
  type: str
problems:
  description: Why it ended so.
  returned: success
  type: list
  elements: str
by_hand:
  description: The exact commands for a human, where one is needed.
  returned: success
  type: str
stages:
  description: The stages that were begun.
  returned: success
  type: list
  elements: str
run_id:
  description: Name of the run, in the log and on the device.
  returned: success
  type: str
log:
  description: The run log.
  returned: success
  type: str
commands:
  description: Native lines of the steps.
  returned: success, not after a failure
  type: list
  elements: str
before:
  description: The managed facts that the steps replace.
  returned: success, not after a failure
  type: raw
after:
  description: The same facts afterwards.
  returned: success, not after a failure
  type: raw
"""
