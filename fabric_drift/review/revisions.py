"""A review of two revisions of a Git checkout: the only part that reads files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from types import MappingProxyType

from fabric_drift.errors import IntentError, IntentErrors
from fabric_drift.expect import expect, sources
from fabric_drift.finding import Source
from fabric_drift.intent import load
from fabric_drift.review.checkout import commit_of, files_at, top_of
from fabric_drift.review.compare import compare
from fabric_drift.review.model import Review
from fabric_drift.review.side import Side
from fabric_drift.state.device import DeviceState
from fabric_drift.state.values import Path as FactPath


def review(repo: Path, base: str, head: str | None = None, intent_dir: str = "intent") -> Review:
    """What changes between two revisions of the intent in ``intent_dir`` (relative to ``repo``).

    ``head`` None: the files as they lie in the checkout, committed or not. A revision without the folder
    has no devices. Raises IntentError for a revision or a folder that isn't there, IntentErrors for an
    intent with faults (of either revision), Unsupported for a platform that nobody knows.
    """
    top = top_of(repo)
    folder = _inside(repo / intent_dir, top)
    with ExitStack() as stack:
        before = stack.enter_context(_side(top, folder, base))
        after = stack.enter_context(_side(top, folder, head))
        if not before.devices and not after.devices:
            raise IntentError(
                "neither revision has an intent here",
                where=folder.as_posix(),
                remedy="Say where it lies with --intent",
                code="FD-REV-004",
            )
        return compare(before, after, intent=folder.as_posix())


def _inside(folder: Path, top: Path) -> Path:
    """``folder`` relative to the checkout; the files of a working tree may not lie elsewhere either."""
    try:
        return folder.resolve().relative_to(top)
    except ValueError as error:
        raise IntentError("lies outside of the checkout", where=str(folder), code="FD-REV-004") from error


@contextmanager
def _side(top: Path, folder: Path, revision: str | None) -> Iterator[Side]:
    if revision is None:
        _refuse_links(top, folder)
        yield _loaded("working tree", top, folder)
        return
    commit = commit_of(top, revision)
    label = revision if commit.startswith(revision) else f"{revision} ({commit[:12]})"
    with files_at(top, commit, folder) as root:
        yield _loaded(label, root, folder)


def _refuse_links(top: Path, folder: Path) -> None:
    for path in sorted((top / folder).rglob("*")):
        if path.is_symlink():
            raise IntentError(
                "is a symbolic link, which a review doesn't follow",
                where=path.relative_to(top).as_posix(),
                remedy="Put the file itself into the intent",
                code="FD-REV-003",
            )


def _loaded(label: str, root: Path, folder: Path) -> Side:
    if not (root / folder).is_dir():
        return Side(label, MappingProxyType({}), _nothing)
    try:
        fabric = load(root / folder)
    except IntentErrors as errors:
        raise IntentErrors([_named(error, label, root) for error in errors.errors]) from errors

    @cache
    def expected(name: str) -> DeviceState:
        return expect(fabric, name)

    def sources_of(name: str, path: FactPath) -> tuple[Source, ...]:
        return tuple(Source(_relative(item.file, root), item.line) for item in sources(fabric, name, path))

    return Side(label, fabric.devices, expected, sources_of)


def _nothing(name: str) -> DeviceState:
    raise KeyError(name)


def _named(error: IntentError, label: str, root: Path) -> IntentError:
    """``error`` with the file as the checkout names it, and the revision that has the fault."""
    where = f"{label}: {_relative(error.where, root)}"
    problem = error.problem.replace(f"{root}/", "")
    return IntentError(problem, where=where, what=error.what, remedy=error.remedy, code=error.code)


def _relative(file: str, root: Path) -> str:
    return file.removeprefix(f"{root}/")
