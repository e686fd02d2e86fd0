from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.recall.spelling import edits
from core.recall.stems import stem
from core.recall.terms import terms_of

SOURCES = Path(__file__).parents[3]
_QUIRKS = {"eed", "ies", "sses"}
"""Where SQLite's porter cuts a word that is nothing but an ending."""


def test_stems_are_those_of_sqlites_porter() -> None:
    words = sorted(
        {
            word
            for path in (*SOURCES.glob("docs/**/*.md"), *SOURCES.glob("core/**/*.py"))
            for word in re.findall("[a-z]+", path.read_text().lower())
        }
        - _QUIRKS
    )
    assert len(words) > 2000
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5(word, tokenize='porter unicode61')")
    connection.execute("CREATE VIRTUAL TABLE terms USING fts5vocab(words, 'instance')")
    connection.executemany("INSERT INTO words (rowid, word) VALUES (?, ?)", enumerate(words))
    theirs = {words[number]: term for number, term in connection.execute("SELECT doc, term FROM terms")}
    connection.close()
    assert {word: stem(word) for word in words} == theirs


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Chose, chosen, choosing", ["choos", "choos", "choos"]),
        ("GitHub VSCode id_ed25519", ["github", "git", "hub", "vscode", "vs", "code", "id", "ed25519"]),
        ("Café naïve ﬁle", ["cafe", "naiv", "file"]),
        ("设置 abc分辨", ["设置", "置", "abc", "分辨", "辨"]),
        ("ガイド", ["ガイ", "イド", "ド"]),
        ("한글", ["한글", "글"]),
        ("Настройки Wi-Fi", ["настроики", "wi", "fi"]),
        ("\x00 💾 … --", []),
    ],
)
def test_a_text_is_read_as_its_terms(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


@given(st.text(max_size=200))
def test_terms_are_plain_words_for_the_index(text: str) -> None:
    for term in terms_of(text):
        assert term
        assert not re.search(r'[\s"*]', term)


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [("form", "from", 1), ("key", "kye", 1), ("setting", "settings", 1), ("abc", "abc", 0), ("abcd", "efgh", 3)],
)
def test_a_swap_of_neighbours_is_one_edit(one: str, other: str, count: int) -> None:
    assert edits(one, other, 2) == count
    assert edits(other, one, 2) == count
