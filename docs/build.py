"""Writes docs/platforms/<name>.md from the platforms' own tables, and the JSON Schemas from their types.

What was written by hand would soon say more than the code can do. `make docs` runs this; a test compares the
files with what it would write.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from fabric_drift.cli.schema import text as schema_text
from fabric_drift.platform import Capability, Operation, Platform
from fabric_drift.registry import platforms

REPO = Path(__file__).parents[1]
FOLDER = REPO / "docs" / "platforms"
SCHEMAS = {
    "intent": "intent/fabric.schema.json",
    "infiniband": "intent/infiniband.schema.json",
    "check": "docs/schemas/check-1.schema.json",
    "review": "docs/schemas/review-1.schema.json",
}
"""Document of `fabric-drift schema --of` -> where it is published."""
HEAD = """# {title}

Generated from `fabric_drift/platforms/{name}` by `make docs`: change the table there, not this page.

Releases: {releases}. Layers that are read: {layers}.
[How it reads and what it knows](../../fabric_drift/platforms/{name}/README.md)

A pattern also covers what lies below it; the longest pattern that matches counts. **No row means unknown,
not yes.** *Proof* says by what a row was proven: documentation, source, schema, kernel, emulator or device.
"""


def page(platform: Platform) -> str:
    """The whole page of one platform."""
    head = HEAD.format(
        title=platform.title,
        name=platform.name,
        releases=", ".join(platform.releases),
        layers=", ".join(layer.value for layer in platform.layers),
    )
    return head + "".join(_section(platform, operation) for operation in Operation)


def _section(platform: Platform, operation: Operation) -> str:
    rows = [row for row in platform.capabilities if row.operation is operation]
    rows.sort(key=lambda row: (row.fact, row.releases, row.hardware))
    if not rows:
        return f"\n## {operation.value.capitalize()}\n\nNo row: unknown for every fact.\n"
    columns = WRITE_COLUMNS if operation is Operation.WRITE else READ_COLUMNS
    lines = [columns, ("---",) * len(columns), *(tuple(cells(row, columns)) for row in rows)]
    return f"\n## {operation.value.capitalize()}\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


READ_COLUMNS = ("fact", "releases", "hardware", "layers", "how", "proof", "source")
WRITE_COLUMNS = ("fact", "releases", "hardware", "disruption", "how", "proof", "source")


def cells(row: Capability, columns: tuple[str, ...]) -> Iterator[str]:
    """The cells of one row, safe in a Markdown table."""
    texts = {
        "fact": f"`{row.fact or '(everything)'}`" if row.supported else f"`{row.fact}`: **not supported**",
        "releases": _names(row.releases),
        "hardware": _names(row.hardware),
        "layers": ", ".join(layer.value for layer in row.layers),
        "disruption": str(row.disruption),
        "how": row.how,
        "proof": row.proof,
        "source": row.source,
    }
    for column in columns:
        yield texts[column].replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def _names(names: tuple[str, ...]) -> str:
    return "all" if "*" in names else ", ".join(names)


def main() -> int:
    """Writes every page and schema, and removes the pages of platforms that are gone."""
    pages = {FOLDER / f"{name}.md": page(platform) for name, platform in platforms().items()}
    FOLDER.mkdir(exist_ok=True)
    for path in set(FOLDER.glob("*.md")) - pages.keys():
        path.unlink()
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")
    for document, place in SCHEMAS.items():
        (REPO / place).write_text(schema_text(document), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
