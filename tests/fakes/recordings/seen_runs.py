"""What was seen in two runs, made up: texts with their times, and pairs of screens."""

from core.analysis import Analysis, Sighting, Video
from core.comparison.values import ScreenPair, Seen, Stay


def seen(*texts: Sighting) -> Seen:
    """A run that showed these texts."""
    video = Video(
        path="/clip.webm", duration_ms=9000, width=800, height=450, fps=25, codec="vp8", size_bytes=1, sha256="0"
    )
    analysis = Analysis(
        description="",
        duration_ms=1,
        video=video,
        first_screen=(),
        timeline=(),
        verdicts=(),
        provider="local",
        provider_reason="",
        model="m",
        cached=False,
        interactions_dir="/none",
        job_id="j",
        usage={},
        warnings=(),
    )
    return Seen(analysis, texts)


def rows(*texts: tuple[str, int, int | None]) -> Seen:
    """A run whose texts stand one below the other, each from one moment to another."""
    return seen(
        *(
            Sighting(text=text, t_ms=begin, until_ms=end, region=(10, 10 + 30 * row, 200, 20))
            for row, (text, begin, end) in enumerate(texts)
        )
    )


def paired(*stays: tuple[int, int]) -> tuple[ScreenPair, ...]:
    """Pairs of screens that stood for a second, each from these moments on."""
    return tuple(
        ScreenPair(good=Stay(t_ms=good, until_ms=good + 1000), bad=Stay(t_ms=bad, until_ms=bad + 1000))
        for good, bad in stays
    )
