"""How the time of reading grows with the text: a law that a busy machine doesn't break, unlike a limit in seconds."""

from __future__ import annotations

import time
from collections.abc import Callable

GROWTH = 8
"""How much longer the longer text is; what compares every part with every other takes GROWTH times that."""
NOISE = 3
"""Factor by which neighbours on the machine may slow the longer run down: far below GROWTH."""
PAUSE_SECONDS = 0.2
"""What one collection of garbage may add; a quadratic reader of 125,000 characters takes many seconds."""


def cpu_seconds(read: Callable[[str], object], text: str) -> float:
    """CPU time of this process for reading ``text``, once: readers may remember what they have read."""
    start = time.process_time()
    read(text)
    return time.process_time() - start


def reads_in_linear_time(read: Callable[[str], object], text: str) -> bool:
    """Whether an eighth of ``text`` takes about eight times as long as an eighth of that."""
    longer = text[: len(text) // GROWTH]
    shorter = longer[: len(longer) // GROWTH]
    limit = cpu_seconds(read, shorter) * GROWTH * NOISE + PAUSE_SECONDS
    return cpu_seconds(read, longer) < limit
