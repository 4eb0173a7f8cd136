# Documentation only: the work is done by the action plugin of the same name.
"""Documentation of fabric_preview."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fabric_preview
short_description: Tell what would bring the devices of a fabric to its intent
version_added: "0.1.0"
description:
  - Reads every device of the play that the intent knows, and plans. Tells each step, how disruptive it is, its undo,
    what is refused and why, and the order in which devices may change.
extends_documentation_fragment:
  - fabric_drift.fabric.fabric
  - fabric_drift.fabric.fabric.fleet
  - fabric_drift.fabric.fabric.consent
options:
  batch:
    description: Most devices that may change at the same time.
    type: int
    default: 8
  run_log:
    description: Directory of the run logs. A device whose last run was cut is in C(parts), even if nothing is planned.
    type: path
  plan:
    description: File to write the plan to, for approval. M(fabric_drift.fabric.fabric_apply) takes it.
    type: path
author:
  - The fabric_drift authors (@fabric-drift)
"""

EXAMPLES = r"""
- name: Preview what would change
  fabric_drift.fabric.fabric_preview:
    intent: intent/pod1
    plan: pod1.plan.json
  run_once: true
  register: preview
"""

RETURN = r"""
summary:
  description: What would change, by shape, as lines.
  returned: success
  type: list
  elements: str
devices:
  description:
    - By device, C(status), C(disruption), C(shape), C(parts), C(steps), C(refusals), C(problems), C(diff), C(notes)
      and C(approval), which M(fabric_drift.fabric.fabric_apply) takes.
  returned: success
  type: dict
shapes:
  description: Each different change with its C(devices), C(disruption) and C(diff).
  returned: success
  type: list
  elements: dict
waves:
  description: The order, each with C(number), C(part), C(devices) and C(is_canary).
  returned: success
  type: list
  elements: dict
parts:
  description: By part of the change, its C(devices) in order and the sizes of the waves as C(serial).
  returned: success
  type: dict
ok:
  description: Whether no device was refused or failed.
  returned: success
  type: bool
planned:
  description: Whether anything would be done.
  returned: success
  type: bool
"""
