"""Every error a user can meet, grouped by who must act.

One grammar for all of them::

    intent/pod1/fabric.yml:14: roce.classes.rdma.priority: 9 is not a priority (0-7). Use ... [FD-INT-004]

``where`` is a file:line, a device or a device and port; ``what`` the path inside it; ``problem`` a
sentence without a full stop; ``remedy`` a sentence that starts with a verb, or empty.
"""

from __future__ import annotations

from collections.abc import Sequence


class FabricDriftError(Exception):
    """Root of all errors that are meant to be read by a user."""

    kind = "error"

    def __init__(
        self, problem: str, *, where: str = "", what: str = "", remedy: str = "", code: str = "FD-ERR-000"
    ) -> None:
        self.problem = problem
        self.where = where
        self.what = what
        self.remedy = remedy
        self.code = code
        super().__init__(self.text())

    def text(self) -> str:
        """The error in the grammar above, on one line."""
        place = ": ".join(part for part in (self.where, self.what) if part)
        head = f"{place}: {self.problem}" if place else self.problem
        remedy = f" {self.remedy.rstrip('.')}." if self.remedy else ""
        return f"{head.rstrip('.')}.{remedy} [{self.code}]"


class IntentError(FabricDriftError):
    """The author of the intent must act."""

    kind = "intent"


class IntentErrors(FabricDriftError):
    """All errors of an intent at once; ``errors`` holds one IntentError per fault."""

    kind = "intent"

    def __init__(self, errors: Sequence[IntentError]) -> None:
        self.errors = tuple(errors)
        super().__init__(f"{len(self.errors)} errors in the intent", code="FD-INT-000")

    def text(self) -> str:
        """Every fault on a line of its own."""
        return "\n".join(error.text() for error in getattr(self, "errors", ()))


class Unsupported(FabricDriftError):
    """The designer must act: the platform cannot express what the intent asks."""

    kind = "unsupported"


class Unreachable(FabricDriftError):
    """The operator must act: no answer, or not from the device that was expected."""

    kind = "unreachable"


class Unauthorised(FabricDriftError):
    """The operator must act: the device refused the login or the command."""

    kind = "unauthorised"


class Unparsed(FabricDriftError):
    """We must act: the device answered, and the answer was not understood."""

    kind = "unparsed"


class Refused(FabricDriftError):
    """The device said no to a change; carries what was done, what failed and what was not tried."""

    kind = "refused"

    def __init__(
        self,
        problem: str,
        *,
        done: Sequence[str] = (),
        failed: str = "",
        not_attempted: Sequence[str] = (),
        where: str = "",
        what: str = "",
        remedy: str = "",
        code: str = "FD-REF-001",
    ) -> None:
        self.done = tuple(done)
        self.failed = failed
        self.not_attempted = tuple(not_attempted)
        super().__init__(problem, where=where, what=what, remedy=remedy, code=code)
