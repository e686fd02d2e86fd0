"""How many of the true events are told, how many told ones are true, and how far off their times are."""

from collections.abc import Callable, Sequence

from bench.clips import HELD_OUT, Clip, clips
from bench.rivals import sampling, scene_filter
from bench.scoring import Score, score, total
from bench.table import Table
from bench.watching import watch
from core.analysis import Event

METHODS: dict[str, Callable[[Clip], Sequence[Event]]] = {
    "ours": lambda clip: watch(clip.path)[1].timeline,
    "scene 0.3": lambda clip: scene_filter(clip.path, 0.3),
    "scene 0.02": lambda clip: scene_filter(clip.path, 0.02),
    "1 fps + OCR": lambda clip: sampling(clip.path),
}
WITH_WORDS = ("ours", "1 fps + OCR")


def run() -> list[Table]:
    """Measure all clips with all methods; the held-out ones stand in tables of their own."""
    return [*_tables(clips(), ""), *_tables(clips(HELD_OUT), ", held out")]


def _tables(there: Sequence[Clip], which: str) -> list[Table]:
    reported = {name: [method(clip) for clip in there] for name, method in METHODS.items()}
    by_time = {name: _scores(there, reported[name], with_words=False) for name in METHODS}
    full = {name: _scores(there, reported[name], with_words=True) for name in WITH_WORDS}
    unseen = "; ".join(f"{name}: {len(total(scores).unseen_words)}" for name, scores in full.items())
    note = "Precision / recall / F1, median distance of the starts."
    return [
        _table(f"Events{which}: the right kind and words at the right time", there, full,
               f"{note} Quoted words that were never on screen: {unseen}."),
        _table(f"Events{which}: something at the right time, whatever it is called", there, by_time, note),
    ]  # fmt: skip


def _scores(there: Sequence[Clip], reported: Sequence[Sequence[Event]], *, with_words: bool) -> list[Score]:
    return [score(events, clip.truth, with_words=with_words) for clip, events in zip(there, reported, strict=True)]


def _table(title: str, there: Sequence[Clip], scores: dict[str, list[Score]], note: str) -> Table:
    rows = [
        (clip.name, str(len(clip.truth.events)), *(_cell(each[number]) for each in scores.values()))
        for number, clip in enumerate(there)
    ]
    count = sum(len(clip.truth.events) for clip in there)
    rows.append(("all", str(count), *(_cell(total(each)) for each in scores.values())))
    return Table(title, ("clip", "events", *scores), rows, note)


def _cell(result: Score) -> str:
    error = "-" if result.median_error_ms is None else f"{result.median_error_ms:.0f} ms"
    return f"{result.precision:.2f} / {result.recall:.2f} / {result.f1:.2f}, {error}"
