"""What a session's truth calls a box of which a page tells only what its form sends."""

import pytest

from bench.world.truth import Action, Stay, Truth, clicked_words

_WORDS = (Stay(t_ms=0, text="Afloat", box=(232, 485, 40, 13)), Stay(t_ms=0, text="Notes", box=(232, 560, 40, 13)))


@pytest.mark.parametrize(
    ("target", "point", "words"),
    [
        ("y", (240, 518), "Afloat"),
        ("y", (800, 100), "y"),
        ("Save", (240, 518), "Save"),
        ("", (240, 518), ""),
        ("", (250, 490), "Afloat"),
    ],
)
def test_what_has_no_name_is_called_by_its_text_and_a_box_by_the_nearest(
    target: str, point: tuple[int, int], words: str
) -> None:
    clicked = Action(t_ms=100, kind="click", target=target, point=point)
    truth = Truth(
        session="boats", application="boats", kind="web", look="", width=900, height=700, fps=25, duration_ms=900,
        actions=(clicked,), texts=_WORDS,
    )  # fmt: skip

    assert clicked_words(truth, clicked) == words
