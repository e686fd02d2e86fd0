"""How far a click lands from the point that a model named: ``python -m bench.coordinates``.

A model names whole units of the picture that it was sent, or thousandths of the screen. What it names has an exact
place on the desktop, computed here in fractions of a pixel; beside it stands where a window says the click arrived.
"""

import random
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction

from adapters.desktop.x11.hands import X11Hands
from adapters.desktop.x11.raw_input import SentEvents
from adapters.models.computer import deciders, openai_wire
from adapters.models.computer.screenshots import fit
from bench.table import Table
from core.actions import Click
from core.screens import THOUSANDTHS, Space
from tests.fakes.desktops.x_programs import Listening
from tests.fakes.desktops.x_user import x_display

SIZES = ((1280, 720), (1920, 1080), (2560, 1440), (3840, 2160))
CLICKS = 60
SEED = 7


def _pictured(fits: Callable[[int, int], bool]) -> Callable[[tuple[int, int]], Space]:
    return lambda size: Space(*fit(*size, fits), is_picture=True)


FAMILIES: dict[str, Callable[[tuple[int, int]], Space]] = {
    "anthropic, up to 1568 px": _pictured(deciders.SMALL),
    "anthropic, up to 2576 px": _pictured(deciders.LARGE),
    "openai": _pictured(openai_wire.LIMITS),
    "gemini, tagged text": lambda _size: THOUSANDTHS,
}


def run() -> list[Table]:
    """Measure."""
    rows: list[tuple[str, ...]] = []
    for size in SIZES:
        with (
            x_display(*size, manager=False) as display,
            closing(Listening(display)) as window,
            closing(X11Hands(display, SentEvents())) as hands,
        ):
            for family, space_of in FAMILIES.items():
                space = space_of(size)
                worst = max(_errors(space, size, window, hands))
                unit = max(size[0] / space.width, size[1] / space.height)
                sent = f"{space.width}x{space.height}"
                rows.append(
                    (f"{size[0]}x{size[1]}", family, sent, f"{float(worst):.2f} px", f"{max(unit / 2, 0.5):.2f} px")
                )
    return [
        Table(
            f"Where clicks land, {CLICKS} for each",
            ("display", "model", "units", "largest error", "half a unit"),
            rows,
            "The bar: 1 px. Half a unit is how near the model itself can name a point.",
        )
    ]


def _errors(space: Space, size: tuple[int, int], window: Listening, hands: X11Hands) -> list[Fraction]:
    chance = random.Random(SEED)
    last = (space.width - 1, space.height - 1)
    named = [(0, 0), last, *((chance.randint(0, last[0]), chance.randint(0, last[1])) for _ in range(CLICKS - 2))]
    errors: list[Fraction] = []
    for number, units in enumerate(named):
        point = space.point(units, size)
        # Another button each time: the hands would wait until two clicks are no double click.
        hands.perform(Click(action=("left_click", "right_click", "middle_click")[number % 3], at=point), _never)
        arrived = next(event for event in window.events() if event.kind == "button_press")
        exact = _exact(space, units, size)
        errors.append(max(abs(arrived.x - exact[0]), abs(arrived.y - exact[1])))
    return errors


def _exact(space: Space, units: tuple[int, int], size: tuple[int, int]) -> tuple[Fraction, Fraction]:
    """The middle of a pixel of the picture, or the share of the screen, in pixels of the desktop."""
    half = Fraction(1, 2) if space.is_picture else Fraction(0)
    x = (units[0] + half) * Fraction(size[0], space.width) - half
    y = (units[1] + half) * Fraction(size[1], space.height) - half
    return min(x, Fraction(size[0] - 1)), min(y, Fraction(size[1] - 1))


def _never() -> None:
    """Nobody stops it."""


if __name__ == "__main__":
    for table in run():
        table.show()
