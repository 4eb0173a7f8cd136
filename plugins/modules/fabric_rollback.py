# Documentation only: the work is done by the action plugin of the same name.
"""Documentation of fabric_rollback."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fabric_rollback
short_description: Take back what was done to one device, from the run log
version_added: "0.1.0"
description:
  - Takes back the newest run that changed the device, by the inverse of its steps. Refuses when the device is not as
    that run left it. The same timer, proof and health as for M(fabric_drift.fabric.fabric_apply).
  - In check mode it only reads the run log.
extends_documentation_fragment:
  - fabric_drift.fabric.fabric
  - fabric_drift.fabric.fabric.consent
  - fabric_drift.fabric.fabric.change
options:
  part:
    description:
      - Only if the newest run is of this part of a change. Parts are taken back in the reverse of their order.
    type: str
    choices: [add_on_switches, add_on_hosts, add_to_jobs, remove_from_jobs, remove_from_hosts, remove_from_switches]
  since:
    description:
      - Runs that began before it stay. A time in UTC as the run log writes it, C(YYMMDDhhmm), or the name of a run.
    type: str
    required: true
author:
  - The fabric_drift authors (@fabric-drift)
"""

EXAMPLES = r"""
- name: Take back what was done to a leaf since seven
  fabric_drift.fabric.fabric_rollback:
    intent: intent/pod1
    run_log: /var/log/fabric-drift
    since: "2611291900"
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
runs:
  description: Runs since then that are still to be taken back, newest first, each with C(run_id) and C(part).
  returned: success, not after a failure
  type: list
  elements: dict
before:
  description: The managed facts that the steps replace.
  returned: success, not after a failure
  type: raw
after:
  description: The same facts afterwards.
  returned: success, not after a failure
  type: raw
"""
