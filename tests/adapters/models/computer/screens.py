"""Screens that are drawn for the fakes to look at, and what stands where on them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from core.screens import Box, Picture

_BASE = (1280, 720)
SIZES = [
    _BASE,
    *(pytest.param(size, marks=pytest.mark.nightly) for size in [(1920, 1080), (2560, 1440)]),
    (3840, 2160),
]
"""Of screens, as cases of a test: by day the smallest and the largest."""


@dataclass(frozen=True)
class Form:
    """The controls by name, as x, y, width, height on a screen of 1280x720."""

    places: Mapping[str, tuple[int, int, int, int]]

    def place(self, name: str, size: tuple[int, int]) -> Box:
        """The control on a screen of that size."""
        x, y, width, height = self.places[name]
        sx, sy = size[0] / _BASE[0], size[1] / _BASE[1]
        return Box(x=round(x * sx), y=round(y * sy), width=round(width * sx), height=round(height * sy))


FORM = Form(
    {
        "name": (420, 150, 360, 40),
        "city": (420, 230, 360, 40),
        "delete_1": (860, 150, 120, 40),
        "delete_2": (860, 230, 120, 40),
        "save": (420, 400, 140, 44),
        "cancel": (620, 400, 140, 44),
    }
)
_TEXTS = {"delete_1": "Delete", "delete_2": "Delete", "save": "Save", "cancel": "Cancel"}
_WORDS = {(240, 158): "Name", (240, 238): "City", (240, 320): "Total: 42.50 EUR"}


@dataclass
class State:
    """What the form shows now, for conversations in which it answers."""

    values: dict[str, str] = field(default_factory=dict[str, str])
    message: str = ""


def draw_form(size: tuple[int, int], state: State | None = None) -> Picture:
    """The form as a picture of the desktop."""
    shown = state or State()
    scale = size[0] / _BASE[0]
    image = Image.new("RGB", size, "#f2f4f7")
    canvas = ImageDraw.Draw(image)
    font = ImageFont.load_default(round(22 * scale))
    for (x, y), text in _WORDS.items():
        canvas.text((x * scale, y * scale), text, fill="#101418", font=font)
    for name in FORM.places:
        box = FORM.place(name, size)
        button = name in _TEXTS
        edges = (box.x, box.y, box.x + box.width - 1, box.y + box.height - 1)
        canvas.rectangle(edges, fill="#dfe5ee" if button else "white", outline="#505a66", width=max(1, round(scale)))
        text = _TEXTS.get(name) or shown.values.get(name, "")
        canvas.text((box.x + 14 * scale, box.y + 7 * scale), text, fill="#101418", font=font)
    canvas.text((420 * scale, 500 * scale), shown.message, fill="#0a7a2f", font=font)
    bgra = np.full((size[1], size[0], 4), 255, np.uint8)
    bgra[:, :, :3] = np.asarray(image)[:, :, ::-1]
    return Picture(size[0], size[1], bgra.tobytes(), 0.0)
