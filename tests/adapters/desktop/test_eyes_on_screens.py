"""What the eyes read of real programs, grabbed from real displays of all sizes."""

from collections import Counter
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

from adapters.desktop.eyes import ScreenEyes
from core.runs.outcomes import check
from core.screens import TextLine
from tests.fakes.desktops.desktop_pictures import words_of
from tests.fakes.desktops.shown_screens import browser, form, page, painted, phrases, shown, terminal

pytestmark = pytest.mark.screen


@pytest.fixture(scope="module")
def eyes() -> Generator[ScreenEyes]:
    eyes = ScreenEyes()
    yield eyes
    eyes.close()


def recall(lines: Sequence[TextLine], words: Sequence[str]) -> float:
    wanted, read = Counter(words), Counter(words_of(lines))
    missing = wanted - read
    print(sorted(missing.elements()), sorted((read - wanted).elements()))  # noqa: T201 - told when it fails
    return 1 - missing.total() / wanted.total()


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("size", "scale"),
    [
        pytest.param((1280, 720), 1, id="720p"),
        pytest.param((1920, 1080), 1, id="1080p"),
        pytest.param((3840, 2160), 1, id="2160p"),
        pytest.param((3840, 2160), 2, id="2160p-doubled"),
    ],
)
def test_the_words_of_a_page_are_read_on_screens_of_all_sizes(
    eyes: ScreenEyes, tmp_path: Path, size: tuple[int, int], scale: int
) -> None:
    html, words = page(size[0] + scale)
    with shown(browser(tmp_path, html, size, scale), tmp_path, size) as grab:
        lines = eyes.read(painted(grab))
    assert recall(lines, words) >= 0.98
    assert len(words_of(lines)) <= 1.03 * len(words)


def test_the_words_of_a_native_form_are_read_and_can_be_checked(eyes: ScreenEyes, tmp_path: Path) -> None:
    said = phrases(11, 8)
    with shown(form(said), tmp_path) as grab:
        lines = eyes.read(painted(grab))
    assert recall(lines, " ".join([*said, "Typed value Send parcel"]).split()) >= 0.98
    assert check('The form shows "Typed value" and the button "Send parcel"', lines).verdict == "pass"
    assert check('"Parcel sent" is shown', lines).verdict == "fail"


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(("-fa", "DejaVu Sans Mono", "-fs", "11"), id="light", marks=pytest.mark.nightly),
        pytest.param(("-fa", "DejaVu Sans Mono", "-fs", "10", "-bg", "black", "-fg", "grey"), id="dark"),
    ],
)
def test_the_words_of_a_terminal_are_read(eyes: ScreenEyes, tmp_path: Path, options: tuple[str, ...]) -> None:
    said = phrases(5, 14, 6)
    with shown(terminal(tmp_path, said, *options), tmp_path) as grab:
        lines = eyes.read(painted(grab))
    assert recall(lines, " ".join(said).split()) >= 0.98
