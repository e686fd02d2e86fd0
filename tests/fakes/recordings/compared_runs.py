"""Two short videos of the same steps, which differ in one line."""

import subprocess
from pathlib import Path

from tests.fakes.videos.odd_clips import write_screen

_SAMPLE = Path(__file__).parents[3] / "samples" / "checkout.mp4"
_NAMES = ("good.mp4", "bad.mp4")


def good_and_bad(folder: Path) -> tuple[Path, Path]:
    """``good.mp4`` and ``bad.mp4``: 5 s, and in the second a line of the last page is covered."""
    box = "drawbox=x=0:y=130:w=500:h=60:color=white:t=fill:enable='gt(t,2)'"
    made = folder / _NAMES[0], folder / _NAMES[1]
    for path, change in zip(made, ("null", box), strict=True):
        source = ["-ss", "14", "-i", _SAMPLE, "-t", "5", "-vf", change]
        subprocess.run(["ffmpeg", "-loglevel", "error", "-y", *source, path], check=True)
    return made


def plain_good_and_bad(folder: Path) -> tuple[Path, Path]:
    """Of two lines that a good run shows the bad one lacks the second: soon made, and soon read."""
    good, bad = folder / _NAMES[0], folder / _NAMES[1]
    both = (0, "Checkout"), (1000, "Order 1042 confirmed")
    return write_screen(good, lines=both, until_ms=2500), write_screen(bad, lines=both[:1], until_ms=2500)
