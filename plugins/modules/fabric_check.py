# Documentation only: the work is done by the action plugin of the same name.
"""Documentation of fabric_check."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fabric_check
short_description: Compare the devices of a fabric with its intent
version_added: "0.1.0"
description:
  - Reads every device of the play that the intent knows, over SSH, and tells what isn't as intended, layer by layer.
  - Never writes to a device. Works in check mode.
  - Run it once per play (C(run_once)), it reads many devices at a time by itself.
  - Address, port, user, key and password come from the usual connection variables of each host, vault included.
requirements:
  - fabric-drift (the Python package), in the Python that runs ansible-playbook
options:
  intent:
    description: Directory of the intent, on the controller.
    type: path
    required: true
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
  concurrency:
    description: Devices read at the same time.
    type: int
    default: 64
  command_timeout:
    description: Seconds for one command.
    type: float
    default: 60.0
  device_timeout:
    description: Seconds for one device.
    type: float
    default: 600.0
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
