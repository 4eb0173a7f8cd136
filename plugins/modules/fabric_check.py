# Documentation only: the work is done by the action plugin of the same name.
"""Documentation of fabric_check."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fabric_check
short_description: Compare the devices of a fabric with its intent
version_added: "0.1.0"
description:
  - Reads every device of the play that the intent knows, over SSH, and tells what isn't as intended, layer by layer.
extends_documentation_fragment:
  - fabric_drift.fabric.fabric
  - fabric_drift.fabric.fabric.fleet
options:
  waivers:
    description: YAML file of accepted drift.
    type: path
  captures:
    description: Read the captures in this directory instead of the devices.
    type: path
  output:
    description: Reports to write, each as C(text), C(json) or C(md) with a colon and a file.
    type: list
    elements: str
    default: []
  fail_on:
    description: Lowest severity of drift that makes a device not C(ok).
    type: str
    choices: [info, low, medium, high, critical]
    default: low
author:
  - The fabric_drift authors (@fabric-drift)
"""

EXAMPLES = r"""
- name: Compare the fabric with its intent
  fabric_drift.fabric.fabric_check:
    intent: intent/pod1
    output:
      - json:report.json
      - md:report.md
  run_once: true
  register: drift
"""

RETURN = r"""
summary:
  description: The last lines of the report.
  returned: success
  type: list
  elements: str
report:
  description: The text report, as lines.
  returned: success
  type: list
  elements: str
devices:
  description: By device, C(status), C(ok), C(problem), the number of C(drift) findings and of facts C(unseen).
  returned: success
  type: dict
findings:
  description: By device, its findings in the shape of the JSON report, without foreign ports.
  returned: success
  type: dict
exit_code:
  description: What the command line would exit with.
  returned: success
  type: int
"""
