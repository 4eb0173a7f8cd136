"""How this platform says that it can't express something."""

from __future__ import annotations

from dataclasses import dataclass

from fabric_drift.errors import Unsupported
from fabric_drift.state.values import Path, path_text


@dataclass(frozen=True, slots=True)
class Refuser:
    """Makes Unsupported errors of one device, with the path of the fact and what to do instead."""

    device: str
    prefix: Path = ()

    def __call__(self, path: Path, problem: str, remedy: str) -> Unsupported:
        """The error to raise."""
        what = path_text((*self.prefix, *path))
        return Unsupported(problem, where=self.device, what=what, remedy=remedy, code="FD-EOS-001")

    def below(self, path: Path) -> Refuser:
        """The same for facts below ``path``."""
        return Refuser(self.device, (*self.prefix, *path))
