"""What was seen in two runs, made up: texts with their times, and pairs of screens."""

from core.analysis import Sighting
from core.comparison.values import ScreenPair, Seen, Stay
from tests.fakes.jobs.analyses import analysis


def seen(*texts: Sighting) -> Seen:
    """A run that showed these texts."""
    return Seen(analysis(events=0, verdicts=0), texts)


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
