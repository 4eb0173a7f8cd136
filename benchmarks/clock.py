"""Wall and CPU time of the measured parts of a benchmark, without what makes its input."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class Clock:
    """Adds up; ``cpu_seconds`` are this process's alone, so neighbours on the machine count less."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Measures the body of the ``with``."""
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.cpu_seconds += time.process_time() - cpu
        self.seconds += time.perf_counter() - wall
