"""What is offered to be done again, on labelled pairs of requests: ``python -m bench reload_matching``.

The recordings of a half are all kept in one store, and each request is asked of it through the use case that every
front end asks. Beside it stands the rule that reload started from. By itself the module lists the misses of one half:
``python -m bench.reload_matching development``.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.reload_desk import Desk, build_draft
from bench.reload_rival import AUTOMATIC, Rival
from bench.reload_set import Half, Judge, Offer, Pair, pairs, recordings
from bench.table import Table
from core.reload.offers import Question

NAMES: dict[Half, str] = {
    "development": "built with",
    "held_out": "held out",
    "fresh": "held out, written last",
}
SHOWN: Final = 3
"""Offers that a caller reads."""


@dataclass(frozen=True)
class Outcome:
    """What was offered to one question."""

    pair: Pair
    offers: Sequence[Offer]
    wrong: Sequence[Offer]
    """Those that would have been replayed by themselves and do another thing."""

    @property
    def is_shown(self) -> bool:
        """Whether what was asked for is among the first three."""
        return self.pair.recording.family in {offer.family for offer in self.offers[:SHOWN]}

    @property
    def is_same(self) -> bool:
        """Whether it is the same, and right."""
        return any(offer.match == "same" for offer in self.offers) and not self.wrong

    @property
    def proposals_are_right(self) -> bool:
        """Whether every slot of the recording that was asked for has the right value proposed."""
        own = (offer for offer in self.offers if offer.family == self.pair.recording.family)
        return next((dict(offer.values) == self.pair.filled for offer in own), False)


def run() -> list[Table]:
    """All sets in one table."""
    rows: list[tuple[str, ...]] = []
    for half, name in NAMES.items():
        labelled = pairs(half)
        rows += [(f"{name}: Vaider", *_cells(ours(labelled))), (f"{name}: the first rule", *_cells(rivals(labelled)))]
    return [
        Table(
            "Reload: what is offered for a request",
            ("", "wrong `same`", "shown among the first three", "of these `same`", "all proposed values right"),
            rows,
            "The first rule is 0.5 trigger + 0.3 n-grams + 0.2 windows; what it replays without asking, from "
            f"{AUTOMATIC} on, counts as `same`. Wrong: it would do another thing, or with other values. Bars: 0 wrong, "
            "98 % shown, 80 % of the proposals right. Proposals count where a recording has values.",
        )
    ]


def ours(labelled: Sequence[Pair]) -> list[Outcome]:
    """What Vaider offers."""
    with tempfile.TemporaryDirectory() as folder, Desk.opened(Path(folder)) as desk:
        families = {desk.keep(build_draft(each)): each.family for each in recordings(labelled)}

        def ask(question: Question) -> Iterable[Offer]:
            for option in desk.options(question):
                values = {slot.name: slot.proposed for slot in option.slots if slot.proposed is not None}
                yield Offer(families[option.cache_id.partition("~")[0]], option.match, values)

        return _outcomes(labelled, ask)


def rivals(labelled: Sequence[Pair]) -> list[Outcome]:
    """What the first rule offers: values as recorded."""
    values = {each.family: each.values for each in recordings(labelled)}
    rival = Rival((each.family, each.question) for each in recordings(labelled))

    def ask(question: Question) -> Iterable[Offer]:
        for similarity, family in rival.offers(question):
            yield Offer(family, "same" if similarity >= AUTOMATIC else "offer", values[family])

    return _outcomes(labelled, ask)


def _outcomes(labelled: Sequence[Pair], ask: Callable[[Question], Iterable[Offer]]) -> list[Outcome]:
    judge = Judge(labelled)
    found = [(pair, list(ask(pair.asked))) for pair in labelled]
    return [
        Outcome(pair, offers, [each for each in offers if each.match == "same" and not judge.fits(pair, each)])
        for pair, offers in found
    ]


def _cells(found: Sequence[Outcome]) -> tuple[str, ...]:
    same = [each for each in found if each.pair.same]
    with_values = [each for each in same if each.pair.recording.values]
    return (
        f"{sum(bool(each.wrong) for each in found)} of {len(found)}",
        _share([each.is_shown for each in same]),
        _share([each.is_same for each in same]),
        _share([each.proposals_are_right for each in with_values]),
    )


def _share(holds: Sequence[bool]) -> str:
    return f"{sum(holds)} of {len(holds)} ({sum(holds) / len(holds):.1%})"


def main() -> None:
    """List the misses of one half."""
    parser = argparse.ArgumentParser(prog="python -m bench.reload_matching")
    parser.add_argument("half", choices=list(NAMES))
    half: Half = parser.parse_args().half
    for each in ours(pairs(half)):
        pair = each.pair
        missed = pair.same and not (each.is_shown and (each.proposals_are_right or not pair.recording.values))
        if each.wrong or missed:
            shown = "; ".join(f"{offer.family} as {offer.match} {dict(offer.values)}" for offer in each.offers[:SHOWN])
            print(f"{'WRONG' if each.wrong else 'missed'}: {pair.id} ({pair.why}): {shown}")
            print(f"    {pair.recording.question.request!r}\n    {pair.asked.request!r}")


if __name__ == "__main__":
    main()
