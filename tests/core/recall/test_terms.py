import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.recall.terms import terms_of


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
