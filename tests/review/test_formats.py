"""Text, Markdown and JSON of a review: deterministic, bounded, and safe to post."""

from __future__ import annotations

import json as stdlib_json

import pytest
from markdown_it import MarkdownIt

from fabric_drift.review.compare import compare
from fabric_drift.review.json import json
from fabric_drift.review.markdown import MARKER, markdown
from fabric_drift.review.model import Review
from fabric_drift.review.text import text
from tests.review.fakes import Device, pfc, side, state, toy


def example(count: int = 2) -> Review:
    before = {f"leaf{n}": state() for n in range(count)}
    after = {f"leaf{n}": state(pfc(3, 4)) for n in range(count)}
    return compare(side("old", before), side("new", after), intent="intent/pod1", find_platform=toy)


@pytest.mark.parametrize("form", [text, markdown, json])
def test_the_same_review_is_the_same_bytes(form: object) -> None:
    assert callable(form)
    assert form(example()) == form(example())


def test_markdown_starts_with_the_marker_that_finds_the_comment_again() -> None:
    assert markdown(example()).startswith(MARKER + "\n")


def test_markdown_never_exceeds_its_limit_and_says_what_it_left_out() -> None:
    before = {f"leaf{n}": state() for n in range(40)}
    after = {f"leaf{n}": state(mtu_bytes=9000 - n) for n in range(40)}
    document = markdown(compare(side("old", before), side("new", after), find_platform=toy), max_characters=8000)
    assert len(document) <= 8000
    assert "more of 40 shapes left out" in document


def test_a_device_name_cannot_close_the_details_or_start_a_fence() -> None:
    name = "</details>```<b>"
    before, after = (
        side("o", {name: state()}, {name: Device(name)}),
        side("n", {name: state(pfc(4))}, {name: Device(name)}),
    )
    document = markdown(compare(before, after, find_platform=toy))
    rendered = MarkdownIt("commonmark").enable("table").render(document)
    assert rendered.count("</details>") == 1
    assert "<b>" not in rendered


def test_json_has_every_line_and_a_version() -> None:
    review = example()
    document = stdlib_json.loads(json(review))
    assert (document["schema"], document["version"]) == ("fabric-drift/review", 1)
    assert document["shapes"][0]["native"][0]["diff"] == list(review.shapes[0].native[0].lines)
    assert document["shapes"][0]["changes"][0]["before"] == [3]


def test_text_shows_fact_values_ports_and_line() -> None:
    assert "  ~ qos/pfc/priorities: 3 -> 3, 4 on 4 ports  (intent/fabric.yml:7)" in text(example()).splitlines()


def test_control_characters_never_come_out() -> None:
    name = "leaf\x1b[2J"
    review = compare(side("o", {}), side("n", {name: state()}), find_platform=toy)
    assert "\x1b" not in text(review) + markdown(review) + json(review)
