"""Two short videos of the same steps, which differ in one line."""

import subprocess
from pathlib import Path

_SAMPLE = Path(__file__).parents[3] / "samples" / "checkout.mp4"


def good_and_bad(folder: Path) -> tuple[Path, Path]:
    """``good.mp4`` and ``bad.mp4``: 5 s, and in the second a line of the last page is covered."""
    box = "drawbox=x=0:y=130:w=500:h=60:color=white:t=fill:enable='gt(t,2)'"
    made = folder / "good.mp4", folder / "bad.mp4"
    for path, change in zip(made, ("null", box), strict=True):
        source = ["-ss", "14", "-i", _SAMPLE, "-t", "5", "-vf", change]
        subprocess.run(["ffmpeg", "-loglevel", "error", "-y", *source, path], check=True)
    return made
