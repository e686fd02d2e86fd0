"""A wanted text is found in spite of a reader's usual slips, and no other text is taken for it."""

import pytest

from adapters.desktop.eyesight.segments import Segment, Word
from adapters.models.local.finding import find
from core.screens import Box

_BOX = Box(x=10, y=10, width=60, height=16)


@pytest.mark.parametrize(("wanted", "read"), [("E-mail", "E-mai"), ("E-mail", "E-maill"), ("Detail", "Detai")])
def test_a_last_stroke_may_be_lost_or_added(wanted: str, read: str) -> None:
    assert find(wanted, [Segment((Word(read, _BOX),), _BOX, 0.9)])


@pytest.mark.parametrize(("wanted", "read"), [("Cell", "Cel"), ("E-mail", "E-mails"), ("Item 1", "Item 11")])
def test_another_ending_is_another_text(wanted: str, read: str) -> None:
    assert not any(match.whole for match in find(wanted, [Segment((Word(read, _BOX),), _BOX, 0.9)]))


@pytest.mark.parametrize(
    ("wanted", "read", "is_found"),
    [
        ("Bir Kitap Ismi Giriniz", "Bir Kitap Ismi Girinz", True),
        ("Bir Kitap Ismi Giriniz", "Bir Kitab Ismi Girinz", False),
        ("Kitap Giriniz", "Kitap Girinz", False),
        ("Delete the user now", "Delete the users now", False),
        ("Order 1042 was confirmed", "Order 1043 was confirmed", False),
    ],
)
def test_of_several_words_one_may_have_a_letter_otherwise(wanted: str, read: str, *, is_found: bool) -> None:
    words = tuple(Word(word, _BOX) for word in read.split())

    assert bool(find(wanted, [Segment(words, _BOX, 0.9)])) is is_found
