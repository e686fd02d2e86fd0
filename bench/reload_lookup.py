"""How long it takes to be told what may be done again, among many entries: ``python -m bench reload_lookup``."""

import itertools
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Final, NamedTuple

from bench.recall_scale import vocabulary
from bench.reload_desk import WORKBENCH, Desk, draft_with
from bench.reload_rival import Rival
from bench.table import Table
from core.reload.entry import Origin
from core.reload.offers import Question

SIZES: Final = (100, 10_000, 100_000)
EACH: Final = 200
"""So many questions of each kind are timed, of the plain scan a tenth."""
VERBS: Final = (
    "Open",
    "Send",
    "Archive",
    "Print",
    "Export",
    "Close",
    "Share",
    "Copy",
    "Move",
    "Rename",
    "Show",
    "Book",
)
JOINTS: Final = ("of", "for", "in", "from", "on")
SHARED: Final = 0.3
"""This part of all entries has one of a few wordings, each with other values."""


class Asked(NamedTuple):
    """A request, and what of it is typed."""

    request: str
    values: dict[str, str]


class Made:
    """Requests as they might pile up, the same each time."""

    def __init__(self, count: int) -> None:
        chance = random.Random(6)
        self._words = vocabulary()
        # The frequency of the n-th word is as 1 / n (Zipf).
        self._weights = list(itertools.accumulate(1 / (place + 1) for place in range(len(self._words))))
        self._shared = [self._phrasing(chance) for _ in range(5)]
        self.phrasings = [
            chance.choice(self._shared) if chance.random() < SHARED else self._phrasing(chance) for _ in range(count)
        ]

    def asked(self, place: int, seed: int) -> Asked:
        """The request in those words, with values that depend on the seed."""
        chance = random.Random(seed)
        who = f"{chance.choice(self._words)}.{chance.choice(self._words)}@example.com"
        return Asked(self.phrasings[place].format(value=who), {"value": who})

    def _phrasing(self, chance: random.Random) -> str:
        one, two, three = chance.choices(self._words, cum_weights=self._weights, k=3)
        return f"{chance.choice(VERBS)} the {one} {two} {chance.choice(JOINTS)} {three} to {{value}}"


def run(*, quick: bool = False) -> list[Table]:
    """When quick, up to ten thousand."""
    sizes = SIZES[:2] if quick else SIZES
    made = Made(sizes[-1])
    rows: list[tuple[str, ...]] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Desk.opened(Path(folder), max_entries=sizes[-1], max_bytes=1 << 34) as desk,
    ):
        kept: list[tuple[int, Question]] = []
        for size in sizes:
            for place in range(len(kept), size):
                asked = made.asked(place, place)
                origin = Origin(
                    kind="workflow", name=made.phrasings[place], revision=desk.revision(made.phrasings[place])
                )
                desk.keep(draft_with(_question(asked.request), asked.values, WORKBENCH, origin=origin))
                kept.append((place, _question(asked.request)))
            rows += _rows(desk, made, kept)
    return [
        Table(
            "Reload: how long a lookup takes",
            ("entries, question", "p50", "p95", "longest", "answered", "a plain scan, p50"),
            rows,
            f"{EACH} questions of each kind; 30 % of the entries are of five workflows, each with another value. The "
            "bar is a p95 of 20 ms among 10,000. The scan is the rule of 0.5 trigger + 0.3 n-grams + 0.2 windows over "
            "a list in memory.",
        )
    ]


def _rows(desk: Desk, made: Made, kept: Sequence[tuple[int, Question]]) -> list[tuple[str, ...]]:
    chance = random.Random(len(kept))
    places = [chance.randrange(len(kept)) for _ in range(EACH)]
    kinds = {
        "as recorded": [kept[place][1] for place in places],
        "with another value": [_question(made.asked(place, -1 - place).request) for place in places],
        "in one other word": [
            _question(made.asked(place, place).request.replace("the ", "the unheard ", 1)) for place in places
        ],
    }
    rival = Rival(kept)
    found: list[tuple[str, ...]] = []
    for name, questions in kinds.items():
        desk.options(questions[0])
        took, answered = _timed(desk.options, questions)
        scanned, _ = _timed(rival.offers, questions[: EACH // 10])
        cuts = quantiles(took, n=20)
        found.append(
            (
                f"{len(kept):,}, {name}",
                *(f"{1000 * each:.1f} ms" for each in (median(took), cuts[-1], max(took))),
                f"{answered / len(questions):.0%}",
                f"{1000 * median(scanned):.1f} ms",
            )
        )
    return found


def _timed(ask: Callable[[Question], Sequence[object]], questions: Sequence[Question]) -> tuple[list[float], int]:
    took: list[float] = []
    answered = 0
    for question in questions:
        began = time.perf_counter()
        answered += bool(ask(question))
        took.append(time.perf_counter() - began)
    return took, answered


def _question(request: str) -> Question:
    return Question(trigger_type="user_message", trigger_target="", request=request)
