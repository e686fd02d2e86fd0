"""Made-up memories in any number, for measuring how long a question takes among them."""

import itertools
import random
from collections.abc import Iterator, Sequence
from datetime import timedelta

from bench.recall_set import NOW
from core.memory import Procedure
from core.steps import Step
from storage.memories.memories import SqlMemories

WORDS = 60_000
YEARS = 3
BATCH = 2_000
VERBS = ("Clicked", "Typed", "Opened", "Chose", "Pressed", "Saved", "Closed", "Dragged")
APPLICATIONS = (
    "Firefox", "Chromium", "GNOME Terminal", "Visual Studio Code", "LibreOffice Calc", "Thunderbird", "Slack",
    "Settings", "Figma", "Files",
)  # fmt: skip
_HEADS = ("b", "br", "c", "d", "f", "g", "gr", "k", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "tr", "v", "z")
_TAILS = ("a", "e", "i", "o", "u", "an", "er", "in", "on", "ul", "as", "et")


def vocabulary() -> list[str]:
    """Words that can be said, each another one, in an order that means nothing; the first are the most frequent."""
    chance = random.Random(5)
    syllables = [head + tail for head in _HEADS for tail in _TAILS]
    words = [a + b + c for a, b, c in itertools.product(syllables, syllables, chance.sample(syllables, 4))]
    chance.shuffle(words)
    return words[:WORDS]


def fill(memories: SqlMemories, count: int, *, first: int = 0) -> None:
    """Add made-up procedures up to that many; the same ones each time."""
    words = vocabulary()
    # The frequency of the n-th word is as 1 / n (Zipf).
    weights = list(itertools.accumulate(1 / (place + 1) for place in range(len(words))))
    for begin in range(first, count, BATCH):
        chance = random.Random(begin)
        made = [
            _procedure(number, chance, words, weights, video=f"made-{begin}")
            for number in range(begin, min(count, begin + BATCH))
        ]
        memories.replace(f"made-{begin}", made)


def _procedure(
    number: int, chance: random.Random, words: Sequence[str], weights: Sequence[float], *, video: str
) -> Procedure:
    said = _sayer(chance, words, weights)
    application = chance.choice(APPLICATIONS)
    title = f"{next(said)} {next(said)} - {application}"
    steps = tuple(
        Step(
            t_ms=place * 3000,
            until_ms=place * 3000 + 500,
            text=f'{chance.choice(VERBS)} "{next(said)} {next(said)}" in "{next(said)}"',
            application=application,
            window=title,
        )
        for place in range(chance.randint(2, 9))
    )
    return Procedure(
        id=f"made-{number}",
        source="recorder",
        video=video,
        started_at=NOW - timedelta(days=365 * YEARS) * chance.random() - timedelta(minutes=5),
        start_ms=0,
        end_ms=len(steps) * 3000,
        applications=(application,),
        titles=(title,),
        summary=f'{chance.choice(VERBS)} "{next(said)} {next(said)}" in {application}',
        steps=steps,
        texts=tuple(f"{next(said)} {next(said)} {next(said)}" for _ in range(chance.randint(2, 8))),
    )


def _sayer(chance: random.Random, words: Sequence[str], weights: Sequence[float]) -> Iterator[str]:
    while True:
        yield from chance.choices(words, cum_weights=weights, k=64)
