"""The intent's files at a revision, without touching the checkout: no worktree, no index, no filters.

Files are read as Git stores them. A symbolic link is refused: in a change from outside it could point at
any file of the machine that reviews it.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fabric_drift.errors import IntentError

SYMBOLIC_LINK = "120000"
SUBMODULE = "160000"


def git(repo: Path, *arguments: str) -> bytes:
    """What ``git`` prints; raises IntentError with git's own words when it fails."""
    command = ["git", "-C", str(repo), *arguments]
    try:
        return subprocess.run(command, check=True, capture_output=True).stdout  # noqa: S603 - no shell, own words
    except FileNotFoundError as error:
        raise IntentError("git is not installed", remedy="Install git", code="FD-REV-001") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip().splitlines()
        raise IntentError(
            f"git {arguments[0]} failed: {said[0] if said else f'exit status {error.returncode}'}",
            where=str(repo),
            remedy="Run the review inside a Git checkout that holds both revisions",
            code="FD-REV-001",
        ) from error


def commit_of(repo: Path, revision: str) -> str:
    """The commit that ``revision`` names; raises IntentError for one that this checkout doesn't have."""
    try:
        found = git(repo, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except IntentError as error:
        git(repo, "rev-parse", "--git-dir")
        raise IntentError(
            f"{revision!r} is not a revision of this checkout",
            remedy="Fetch it first: a CI checkout often holds one commit only",
            code="FD-REV-002",
        ) from error
    return found.decode().strip()


def top_of(repo: Path) -> Path:
    """The root folder of the checkout."""
    return Path(git(repo, "rev-parse", "--show-toplevel").decode().rstrip("\n")).resolve()


@contextmanager
def files_at(repo: Path, commit: str, folder: Path) -> Iterator[Path]:
    """A temporary root that holds ``folder`` as ``commit`` has it; without the folder where it has none."""
    with tempfile.TemporaryDirectory(prefix="fabric-drift-review-") as name:
        root = Path(name).resolve()
        for path, blob in _files(repo, commit, folder):
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(git(repo, "cat-file", "blob", blob))
        yield root


def _files(repo: Path, commit: str, folder: Path) -> Iterator[tuple[str, str]]:
    listing = git(repo, "ls-tree", "-r", "-z", "--full-tree", commit, "--", folder.as_posix())
    for entry in listing.decode(errors="surrogateescape").split("\0"):
        if not entry:
            continue
        facts, path = entry.split("\t", 1)
        mode, _, blob = facts.split(" ")
        if mode in (SYMBOLIC_LINK, SUBMODULE):
            raise IntentError(
                "is a symbolic link or a submodule, which a review doesn't follow",
                where=path,
                remedy="Put the file itself into the intent",
                code="FD-REV-003",
            )
        yield path, blob
