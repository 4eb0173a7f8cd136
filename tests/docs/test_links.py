"""Links between the project's own pages lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
PAGES = sorted([REPO / "README.md", REPO / "CHANGELOG.md", *REPO.glob("docs/**/*.md")])
LINK = re.compile(r"\]\((?!https?://|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPO)))
def test_every_relative_link_is_a_file(page: Path) -> None:
    gone = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert gone == []
