"""Choices in list boxes of the system, as a session's truth tells them."""

import pytest

from bench.list_choices import choice_in_list, entry_chosen
from bench.world.truth import Action, Stay, Truth


def _truth(clicked: str, *keys: str, shown: str = "High") -> Truth:
    return Truth(
        session="board",
        application="board",
        kind="web",
        look="1280x720 25 vp9",
        width=1280,
        height=720,
        fps=25,
        duration_ms=9000,
        actions=(
            Action(t_ms=1000, until_ms=1100, kind="click", target=clicked, point=(300, 210)),
            *(Action(t_ms=2000 + 500 * at, kind="press", value=key) for at, key in enumerate(keys)),
            Action(t_ms=6000, kind="click", target="Create", point=(60, 400)),
        ),
        texts=(
            Stay(text="Normal", t_ms=0, until_ms=2050, box=(280, 200, 60, 20)),
            Stay(text=shown, t_ms=2050, box=(280, 200, 60, 20)),
            Stay(text="Create", t_ms=0, box=(40, 390, 60, 20)),
        ),
    )


@pytest.mark.parametrize("keys", [("Down", "Return"), ("Down Return",), ("Down", "Down Down Return")])
@pytest.mark.parametrize("clicked", ["Normal", "Low\nNormal\nHigh"])
def test_keys_down_a_list_and_return_choose_what_stands_there_then(clicked: str, keys: tuple[str, ...]) -> None:
    truth = _truth(clicked, *keys)
    assert choice_in_list(truth, 0) == len(keys)
    assert entry_chosen(truth, len(keys)) == "High"


def test_return_in_a_field_in_which_nothing_changed_chooses_nothing() -> None:
    assert choice_in_list(_truth("Normal", "Down Return", shown=""), 0) == -1


@pytest.mark.parametrize("keys", [("Tab",), ("Down", "Tab"), ("Down", "Escape")])
def test_other_keys_choose_nothing(keys: tuple[str, ...]) -> None:
    assert choice_in_list(_truth("Low\nNormal\nHigh", *keys), 0) == -1
