"""What may be told of the keys of several layouts: no key that types is ever told by its name alone."""

import os
import subprocess
from collections.abc import Generator

import pytest

from adapters.desktop.x11.connection import Connection
from adapters.recording.gestures import KeyMeaning, KeyMeanings
from core.key_names import canonical_names
from tests.fakes.desktops.x_user import x_display

pytestmark = pytest.mark.screen

LETTERS = [*range(10, 22), *range(24, 36), *range(38, 49), 51, *range(52, 62), 65]


@pytest.fixture(scope="module")
def display() -> Generator[str]:
    with x_display(320, 240, manager=False) as name:
        yield name


@pytest.fixture
def keys(display: str, request: pytest.FixtureRequest) -> Generator[KeyMeanings]:
    subprocess.run(["setxkbmap", "-option", "", *request.param], env={**os.environ, "DISPLAY": display}, check=True)
    server = Connection(display)
    yield KeyMeanings(server)
    server.close()


@pytest.mark.parametrize("keys", [["us"], ["de"], ["fr"], ["ru"], ["us,ru"], ["gr"], ["us", "intl"]], indirect=True)
def test_every_key_with_a_letter_types_and_no_other_does(keys: KeyMeanings) -> None:
    assert {meaning.role for code in LETTERS if (meaning := keys.of(code))} == {"types"}
    named = {meaning.name for code in range(8, 256) if (meaning := keys.of(code)) and meaning.role == "named"}
    assert {"enter", "tab", "escape", "backspace", "left", "delete", "f5", "kp_enter"} <= named
    assert named <= set(canonical_names())
    assert not any(name[-1].isdigit() for name in named if name.startswith("kp_"))


@pytest.mark.parametrize("keys", [["de"]], indirect=True)
def test_alt_gr_is_held_to_type_and_alt_is_not(keys: KeyMeanings) -> None:
    assert keys.of(108) == KeyMeaning("level", "")
    assert keys.of(64) == KeyMeaning("modifier", "alt")
    assert keys.of(62) == KeyMeaning("level", "shift")
    assert keys.of(105) == KeyMeaning("modifier", "ctrl")


@pytest.mark.parametrize("keys", [["us,ru"]], indirect=True)
def test_shortcuts_are_told_by_their_latin_letters(keys: KeyMeanings) -> None:
    assert keys.of(54) == KeyMeaning("types", "c")
    assert keys.of(65) == KeyMeaning("types", "space")


@pytest.mark.parametrize("keys", [["us"]], indirect=True)
def test_the_digits_of_the_keypad_depend_on_num_lock(keys: KeyMeanings) -> None:
    assert keys.of(87) == KeyMeaning("keypad", "kp_end")
    assert keys.of(86) == KeyMeaning("types", "kp_add")
    assert keys.num_lock
