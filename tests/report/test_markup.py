"""Hostile text in Markdown is only shown. What Markdown makes of it is said by an independent parser."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from fabric_drift.report.markdown import markdown as check_report
from fabric_drift.report.markup import code, escaped, fenced
from fabric_drift.review.compare import compare
from fabric_drift.review.markdown import markdown as review_report
from tests.report.results import hostile
from tests.review.fakes import pfc, side, state, toy

HOSTILE = {
    "mention": "@everyone",
    "team": "@org/team",
    "issue": "see #1",
    "issue of another": "org/repo#1 GH-1",
    "merge request": "!1 $1 %1 ~bug &1 ^alert",
    "quoted label": '~"a b" %"1.0" [vulnerability:1]',
    "link": "https://example.invalid/a?b=c&d",
    "bare link": "WWW.example.invalid",
    "mail": "root@example.invalid",
    "emoji": ":ab: :+1: 0000:ab:00.0",
    "math": "$x^2$ $`y`$",
    "html": "<script>alert(1)</script><img src=x onerror=y><!-- fabric-drift review -->",
    "entity": "&lt;b&gt; &#64;everyone",
    "image": "![x](https://example.invalid/a.png)",
    "reference": "[x]: https://example.invalid",
    "backticks": "`` ` ``` ~~~",
    "pipes": "a|b||c\\|d",
    "emphasis": "*a* __b__ ~~c~~",
    "backslash": "a\\b\\`c",
    "heading": "# a",
    "list": "- a",
    "numbers": "1. a",
    "code block": "     a",
    "line break": "a\n\n# b\r\n- c",
    "separators": "a\u2028b\u2029c\x85d\x0be",
    "terminal": "\x1b[31mred\x1b]8;;https://example.invalid\x07",
    "bidi": "a\u202eb\u2066c\u200bd",
    "null": "a\x00b",
    "not a character": "\ud800\uffff",
}
SITES = re.compile(r"@\w|[#!$%~&^][\w\"]|\bGH-\d|://|www\.|:[\w+-]+:(?!/)", re.IGNORECASE)
"""What GitHub and GitLab look for in the text of a page."""
TEXTS = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)


def page(source: str) -> str:
    return str(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(source))


def shown(html: str) -> str:
    """The text of a page, without its tags."""
    plain = re.sub(r"<[^>]*>", "", html)
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        plain = plain.replace(entity, character)
    return plain.strip()


@TEXTS
@pytest.mark.parametrize("place", ["{}", "- {}\n", "| a |\n|---|\n| {} |\n"], ids=["alone", "list", "table"])
def test_words_are_shown_as_they_are(text: str, place: str) -> None:
    html = page(place.format(escaped(text)))
    assert shown(html).removeprefix("a\n").strip().replace("\u200b", "") == _harmless(text)
    tags = {tag.strip("/") for tag in re.findall(r"<(/?\w+)", html)}
    assert tags <= {"p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}


@TEXTS
def test_a_site_finds_nothing_in_words(text: str) -> None:
    assert not SITES.search(shown(page(escaped(text))))


@TEXTS
def test_code_is_one_span_and_says_the_text(text: str) -> None:
    html = page(f"| a |\n|---|\n| {code(text)} |\n")
    assert (html.count("<td>"), html.count("<code>")) == (1, 1)
    assert shown(html).removeprefix("a").strip() == _harmless(text).replace("|", "\N{BROKEN BAR}")


@TEXTS
def test_no_line_ends_a_block_of_code(text: str) -> None:
    html = page("\n".join([*fenced([text, f"```{text}", text], "diff"), "after"]))
    assert (html.count("<pre>"), html.count("<p>after</p>")) == (1, 1)


@TEXTS
def test_a_check_and_a_review_of_hostile_names_have_no_markup_but_their_own(text: str) -> None:
    review = compare(side("o", {text: state()}), side("n", {text: state(pfc(4))}), find_platform=toy)
    for document in (check_report(hostile(text)), review_report(review)):
        own = re.sub(r"<!-- fabric-drift review -->\n|</?(details|summary)>", "", page(document))
        without_code = re.sub(r"<code.*?</code>", "", own, flags=re.DOTALL)
        tags = {tag.strip("/") for tag in re.findall(r"<(/?\w+)", own)}
        assert tags <= {
            *("h1", "h2", "h3", "h4", "p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"),
            *("code", "pre", "strong", "em"),
        }
        assert not SITES.search(shown(without_code))
        assert all(character.isprintable() or character == "\n" for character in document)


def _harmless(text: str) -> str:
    """By hand: what isn't printable is named, blanks at the ends aren't seen."""
    named = "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )
    return named.strip()
