import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.reload.matching.words import canonical, plain, squeezed, tokens


def told(text: str) -> list[tuple[str, str]]:
    return [(token.kind, token.canon) for token in tokens(text)]


@pytest.mark.parametrize(
    ("text", "kind", "canon"),
    [
        ("alice@example.com", "email", "alice@example.com"),
        ("https://example.com/A?b=1", "url", "https://example.com/A?b=1"),
        ("/etc/hosts", "path", "/etc/hosts"),
        ("~/notes/a.txt", "path", "~/notes/a.txt"),
        ("C:\\Users\\x", "path", "C:\\Users\\x"),
        ("report.PDF", "file", "report.PDF"),
        ("archive.tar.gz", "file", "archive.tar.gz"),
        ("2024.pdf", "file", "2024.pdf"),
        ("2026-03-05", "date", "2026-03-05"),
        ("5/3/2026", "date", "5/3/2026"),
        ("17:00", "time", "17:00"),
        ("5pm", "time", "17:00"),
        ("5:00 p.m.", "time", "17:00"),
        ("12 am", "time", "00:00"),
        ("1.2.3", "version", "1.2.3"),
        ("v2", "version", "v2"),
        ("1,000", "number", "1000"),
        ("-5", "number", "-5"),
        ("3.50", "number", "3.50"),
        ("007", "number", "007"),
        ("seven", "number", "7"),
        ("3rd", "ordinal", "3"),
        ("third", "ordinal", "3"),
        ("@mara", "handle", "@mara"),
        ("#news", "tag", "#news"),
        ("Tue", "weekday", "tuesday"),
        ("March", "month", "month-3"),
        ("may", "word", "may"),
        ('"Save  as"', "text", "Save as"),
        ("\u201cSave as\u201d", "text", "Save as"),
        ("Stra\u00dfe", "word", "strasse"),
    ],
)
def test_what_is_one_thing_is_one_token(text: str, kind: str, canon: str) -> None:
    assert told(text) == [(kind, canon)]


def test_a_number_and_its_unit_are_two() -> None:
    assert told("10kg") == [("number", "10"), ("word", "kg")]
    assert told("$50") == [("unit", "usd"), ("number", "50")]


def test_a_contraction_is_what_it_stands_for_and_a_genitive_is_none() -> None:
    assert told("don't") == [("word", "do"), ("word", "not")]
    assert [(token.plain, token.role) for token in tokens("march\u2019s report")] == [("march", "'s"), ("report", "")]


def test_a_token_knows_where_it_stands_as_it_is_written() -> None:
    text = 'Send "The  End" to Bob.'
    for token in tokens(text):
        assert text[token.start : token.end] == token.raw


@pytest.mark.parametrize(
    ("one", "other"), [("show", "open"), ("Remove", "delete"), ("e-mail", "mail"), ("titled", "called")]
)
def test_words_that_mean_the_same_have_one_form(one: str, other: str) -> None:
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("archive", "delete"), ("submit", "save"), ("send", "submit"), ("file", "files"), ("quit", "close")],
)
def test_words_that_somebody_tells_apart_have_not(one: str, other: str) -> None:
    assert canonical(one) != canonical(other)


def test_case_space_and_encoding_are_put_aside_where_they_tell_nothing() -> None:
    assert plain("\uff2fpen\u00a0 IT") == "open it"
    assert squeezed(" Open \n it . ") == "Open it"
    assert squeezed("...") == "..."


@given(st.text())
def test_any_text_has_tokens_in_order_that_hold_all_but_space_and_quotes(text: str) -> None:
    found = tokens(text)
    assert all(one.start <= other.start for one, other in pairwise(found))
    kept = {at for token in found for at in range(token.start, token.end)}
    left = "".join(letter for at, letter in enumerate(text) if at not in kept)
    assert not [letter for letter in left if letter.isalnum() and letter not in "sS"]


@pytest.mark.parametrize("unit", ["'", "\"'", "a.1", "1.1.", "a@", "/.-", "-.1", "1,000", "\u201c", "a-", "http://"])
def test_hostile_requests_are_read_in_no_time(unit: str) -> None:
    start = time.perf_counter()
    tokens((unit * 10_000)[:10_000])
    assert time.perf_counter() - start < 1
