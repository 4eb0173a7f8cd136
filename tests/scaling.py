"""How the time of reading grows with the text: a law that a busy machine doesn't break, unlike a limit in seconds."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

GROWTH = 8
"""How much longer the longer text is; what compares every part with every other takes GROWTH times that."""
NOISE = 3
"""Factor by which neighbours on the machine may slow the longer run down: far below GROWTH."""
SECONDS_OF_NO_INTEREST = 0.2
"""Below this the clock's own steps decide; a quadratic reader of 125,000 characters takes many seconds."""
ATTEMPTS = 5
"""What disturbs a measurement comes and goes; a quadratic reader fails every time."""


def cpu_seconds(read: Callable[[str], object], text: str) -> float:
    """CPU time of this thread for reading ``text``, once: readers may remember what they have read.

    Nothing is collected meanwhile: the garbage of 4,000 earlier tests isn't the reader's.
    """
    gc.collect()
    gc.disable()
    try:
        start = time.thread_time()
        read(text)
        return time.thread_time() - start
    finally:
        gc.enable()


def reads_in_linear_time(read: Callable[[str], object], text: str) -> bool:
    """Whether an eighth of ``text`` takes about eight times as long as an eighth of that."""
    return any(grew_as_the_text(read, text[attempt:]) for attempt in range(ATTEMPTS))


def grew_as_the_text(read: Callable[[str], object], text: str) -> bool:
    longer = text[: len(text) // GROWTH]
    shorter = longer[: len(longer) // GROWTH]
    limit = cpu_seconds(read, shorter) * GROWTH * NOISE + SECONDS_OF_NO_INTEREST
    return cpu_seconds(read, longer) < limit
