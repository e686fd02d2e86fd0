"""An effect as a sentence, as a task's document has it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.effects.effect import CellType, Change, Effect, Kind
from core.effects.sentences import read_sentence, sentence

TEXTS = st.text(st.characters(exclude_categories=("Cs", "Co", "Cn")), max_size=30)
NAMES = TEXTS.filter(bool)
CELLS = st.dictionaries(NAMES, TEXTS, min_size=1, max_size=4)


@st.composite
def effects(draw: st.DrawFn) -> Effect:
    """Any effect that keeps the rules of its change."""
    change: Change = draw(st.sampled_from(["added", "changed", "removed", "written"]))
    expect = {} if change == "removed" else draw(CELLS)
    where = draw(CELLS) if change in {"changed", "removed"} else {}
    type_: CellType | None = draw(st.sampled_from(["number", "text", "true or false", None]))
    kind: Kind = draw(st.sampled_from(["page", "json", "file"]))
    return Effect(
        kind=kind,
        at=draw(NAMES),
        change=change,
        expect=expect,
        where=where,
        types={next(iter(expect or where)): type_} if type_ else {},
        exactly_once=draw(st.booleans()),
        others_may_change=draw(st.booleans()),
        ignore=tuple(draw(st.lists(NAMES, max_size=3))),
    )


@given(effects())
def test_what_is_written_is_read_as_it_was(effect: Effect) -> None:
    assert read_sentence(sentence(effect)) == effect


@pytest.mark.parametrize(
    "line",
    [
        "The page shows the order.",
        'The page "http://x/" has one more row.',
        'The page "http://x/" has one more row: "a" is "b", and all is well.',
        'The database "x" has one more row: "a" is "b".',
    ],
)
def test_a_line_that_is_not_wholly_understood_is_no_effect(line: str) -> None:
    assert read_sentence(line) is None
