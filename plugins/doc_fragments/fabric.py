"""Options that several actions of the collection share."""

from __future__ import annotations


class ModuleDocFragment:
    """What ``extends_documentation_fragment`` adds: always the intent, and a part by its name."""

    DOCUMENTATION = r"""
requirements:
  - fabric-drift (the Python package), in the Python that runs ansible-playbook
options:
  intent:
    description: Directory of the intent, on the controller.
    type: path
    required: true
  command_timeout:
    description: Seconds for one command.
    type: float
    default: 60.0
  device_timeout:
    description: Seconds for reading one device.
    type: float
    default: 600.0
notes:
  - Address, port, user, key and password come from the usual connection variables of each host, vault included.
"""

    FLEET = r"""
options:
  concurrency:
    description: Devices read at the same time.
    type: int
    default: 64
notes:
  - Never writes to a device. Works in check mode.
  - Run it once per play (C(run_once)), it reads many devices at a time by itself.
"""

    CONSENT = r"""
options:
  allow:
    description:
      - Disruptions that are accepted beyond C(reorder), by name. C(port_flap) accepts everything up to a flap of a
        port, C(unknown) only what nobody knows.
      - C(in_place) accepts changes of a class, DSCP, PFC or MTU in place on devices that are not drained.
    type: list
    elements: str
    default: []
  drained:
    description: Devices that are drained although the intent does not say so.
    type: list
    elements: str
    default: []
  unseen:
    description: Devices whose health, as neighbours, need not be readable.
    type: list
    elements: str
    default: []
"""

    CHANGE = r"""
options:
  run_log:
    description: Directory of the run logs, on the controller. Made readable by its owner only.
    type: path
    required: true
  poll:
    description: Seconds between two looks at the device while a change is proven.
    type: float
    default: 5.0
notes:
  - Every stage is in the run log before it begins.
"""
