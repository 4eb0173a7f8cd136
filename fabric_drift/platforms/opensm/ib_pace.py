"""How fast to ask: below a rate, and not while the subnet manager sweeps. Standard library only.

SMInfo's ActCount counts what a subnet manager sends (OpenSM: its QP0 MADs; observed on 3.3.23: 1 per answer to us, 9 in
a light sweep of 6 switches, 300 in a heavy one), so a fast count is a sweep. Tables read in one may be half written.
"""

from __future__ import annotations

import time
from typing import Any

EVERY_S = 0.1
"""Between two looks at the subnet manager; a look is two MADs, one of them over the wire."""
BUSY, BUSY_PER_S = 32, 300
"""MADs between two looks, and per second, above which it is taken to be sweeping. Light sweeps send one per switch."""
NAP_S = 0.05
GRAIN_S = 0.002
"""How far ahead of the rate it may be: a sleep of microseconds takes longer than it was asked for."""


class Pace:
    """``look``: gives the manager's count, or None. Waits ``patience_s`` in all, then goes on and says so."""

    def __init__(self, rate: Any, look: Any, patience_s: Any, clock: Any = None, nap: Any = None) -> None:
        self.interval = 1.0 / rate if rate else 0.0
        self.look, self.patience_s = look, patience_s
        self.clock, self.nap = clock or time.monotonic, nap or time.sleep
        self.due = 0.0
        self.next_look = 0.0
        self.seen: Any = None
        self.paused_s = 0.0
        self.sweeping = self.blind = False

    def step(self) -> Any:
        """Before every MAD."""
        now = self.clock()
        if self.interval:
            self.due = max(self.due + self.interval, now - NAP_S)  # what a pause held back doesn't come as a burst
            if self.due > now + GRAIN_S:
                self.nap(self.due - now)
        if now >= self.next_look:
            self.wait()
            self.next_look = self.clock() + EVERY_S

    def wait(self) -> Any:
        """Until the manager is quiet, or patience ends."""
        while self.busy():
            if self.paused_s >= self.patience_s:
                self.sweeping = True
                return
            self.nap(NAP_S)
            self.paused_s += NAP_S

    def busy(self) -> Any:
        """Whether the manager sent a lot since it was last looked at."""
        count, now = self.look(), self.clock()
        before, self.seen = self.seen, None if count is None else (count, now)
        self.blind = self.blind or count is None
        if count is None or before is None:
            return False
        return count - before[0] > max(BUSY, BUSY_PER_S * (now - before[1]))
