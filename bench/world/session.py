"""What a session is: an application, how it is started, how its recording looks, and what is done with it.

The sessions stand in ``sessions/*.toml``, a table each. Its ``look`` is the size, the frames a second and the codec,
then whatever of ``dark``, ``framed``, ``pointer``, ``taps``, ``zoom=1.25``, ``font=20`` and ``scale=0.75`` holds. Its
``steps`` are a line each: a number of seconds to rest, or a verb and what it is done to. Each web session is there a
second time, done as a test does it.
"""

import itertools
import tomllib
from pathlib import Path
from typing import Any, Final, Literal

from bench.record.encode import VP8, Profile
from bench.world.truth import ActionKind
from core.values import Value

TABLES: Final = Path(__file__).parent / "sessions"
YUV: Final = ("-pix_fmt", "yuv420p")
HEVC_QUIET: Final = ("-x265-params", "log-level=error")
CODECS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "h264": (".mp4", ("-c:v", "libx264", "-preset", "slow", "-crf", "24", *YUV, "-movflags", "+faststart")),
    "h264-weak": (".mp4", ("-c:v", "libx264", "-preset", "fast", "-crf", "38", *YUV, "-movflags", "+faststart")),
    "hevc": (".mp4", ("-c:v", "libx265", "-preset", "fast", "-crf", "28", *YUV, "-tag:v", "hvc1", *HEVC_QUIET)),
    "vp8": (".webm", VP8),
    "vp9": (".webm", ("-c:v", "libvpx-vp9", "-crf", "34", "-b:v", "0", "-row-mt", "1", "-cpu-used", "5", *YUV)),
    "gif": (".gif", ("-filter_complex", "split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=none")),
}  # fmt: skip
"""Suffix and ffmpeg's arguments of each; ``vp8`` is what Playwright's own recorder says."""


class Look(Value):
    """How a recording looks."""

    words: str
    size: tuple[int, int]
    fps: int
    codec: str
    dark: bool = False
    framed: bool = False
    """Whether the window shows its own bars."""
    pointer: bool = False
    taps: bool = False
    """Whether a disc shows for a moment where the pointer clicked."""
    zoom: float = 1.0
    font: int = 16
    scale: float = 1.0
    test: bool = False
    """Whether a test does it: without a pointer, and a field's text comes at once."""

    @property
    def profile(self) -> Profile:
        """How the clip is encoded."""
        suffix, arguments = CODECS[self.codec]
        even = (round(self.size[0] * self.scale / 2) * 2, round(self.size[1] * self.scale / 2) * 2)
        return Profile(self.fps, suffix, arguments, None if self.scale == 1 else even)


class Step(Value):
    """A rest, or something done."""

    seconds: float = 0.0
    verb: str = ""
    words: str = ""


class Session(Value):
    """One thing to record."""

    name: str
    application: str
    kind: Literal["web", "desktop", "terminal"]
    look: Look
    steps: tuple[Step, ...]
    prepare: str = ""
    """A shell script that runs in an empty folder before the application starts there."""
    start: str = ""
    """The command that starts it; ``{port}`` is a free port, ``{bin}`` and ``{npm}`` are where it was installed."""
    open: str = ""
    """The path of the first page."""
    ready: str = ""
    """What must be there before the recording begins."""
    grid: str = "100x30"
    """Columns and rows of a terminal."""
    at: str = "20+30"
    window: str = ""
    """Further options of the xterm."""
    before: tuple[Step, ...] = ()
    """What is done before the recording begins."""


VERBS: Final[dict[str, ActionKind]] = {
    "click": "click", "double": "click", "right": "click", "choose": "choose", "type": "type", "press": "press",
    "scroll": "scroll", "visit": "navigate", "run": "type",
}  # fmt: skip
TEST: Final = "-test"
"""Behind the name of a web session that a test does."""
TEST_LOOKS: Final = ("1280x720 25 vp8 test", "1280x720 25 vp8 scale=0.625 test", "1280x720 25 h264 test")
"""Playwright's own video in the size of the page, and in the size that it has unasked; and Cypress's codec."""
SILENT: Final = ("glide", "script", "hover")
"""Verbs of what is no action by itself."""


def all_sessions() -> dict[str, Session]:
    """Every session by name."""
    found = dict[str, Session]()
    for path in sorted(TABLES.glob("*.toml")):
        tables: dict[str, dict[str, Any]] = tomllib.loads(path.read_text("utf-8"))
        for name, table in tables.items():
            known = {"application": name, **table, "look": _look(table["look"]), "name": name, "kind": path.stem}
            known |= {key: _steps(table.get(key, "")) for key in ("steps", "before")}
            found[name] = Session.model_validate(known)
    web = [session for session in found.values() if session.kind == "web"]
    looks = itertools.cycle(map(_look, TEST_LOOKS))
    return found | {each.name + TEST: each.model_copy(update={"name": each.name + TEST, "look": look})
                    for each, look in zip(web, looks, strict=False)}  # fmt: skip


def _look(words: str) -> Look:
    size, fps, codec, *rest = words.split()
    width, height = size.split("x")
    options: dict[str, Any] = {}
    for each in rest:
        key, _, value = each.partition("=")
        options[key] = value or True
    return Look.model_validate(
        {"words": words, "size": (int(width), int(height)), "fps": fps, "codec": codec, **options}
    )


def _steps(text: str) -> tuple[Step, ...]:
    found = list[Step]()
    for line in filter(None, map(str.strip, text.splitlines())):
        verb, _, words = line.partition(" ")
        if verb.replace(".", "").isdigit():
            found.append(Step(seconds=float(verb)))
        elif verb in VERBS or verb in SILENT:
            found.append(Step(verb=verb, words=words))
        else:
            raise ValueError(f"{line!r} is no step.")
    return tuple(found)
