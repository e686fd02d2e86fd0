import pytest

from core.reload.replays.reading import reads
from core.screens import Box, TextLine


def line(text: str) -> TextLine:
    return TextLine(text=text, box=Box(x=0, y=0, width=200, height=20), score=0.95)


@pytest.mark.parametrize(
    ("value", "said"),
    [("e", "Recipient e"), ("Bo", "Bo|"), ("J. R", "J R"), ("7", "Amount: 7"), ("Ada King", "Recipient AdaKing")],
)
def test_a_value_is_read_beside_its_label(value: str, said: str) -> None:
    assert reads(value, [line(word) for word in said.split()])
    assert reads(value, [line(said)])


@pytest.mark.parametrize(
    ("value", "said"),
    [("e", "Recipient"), ("nt", "Recipient"), ("12", "123"), ("7", "17:30"), ("x", ""), ("-", "Recipient")],
)
def test_a_part_of_another_word_is_no_value(value: str, said: str) -> None:
    assert not reads(value, [line(said)])
