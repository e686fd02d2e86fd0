"""What is offered to be done again, on labelled pairs of requests: ``python -m bench reload_matching``.

The recordings of a half are all kept in one store, and each request is asked of it through the use case that every
front end asks. Beside it stands the rule that reload started from. By itself the module tells of one half alone what
went wrong: ``python -m bench.reload_matching development``.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.reload_desk import Desk, draft_of
from bench.reload_rival import AUTOMATIC, Rival
from bench.reload_set import Judge, Offer, pairs, recordings
from bench.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from bench.reload_set import Half, Pair
    from core.reload.offers import Question

NAMES: dict[Half, str] = {
    "development": "the half it was made on",
    "held_out": "the half that was held back",
    "fresh": "a set that was written afterwards",
}
ASKED: dict[Half, str] = {
    "development": "The matching was made on it.",
    "held_out": "What classes of them were missed at first was known when the matching was changed, not the pairs: "
    "what it scored then stands in `bench/reload_pairs/README.md`.",
    "fresh": "It was written by somebody who had not seen the matching, and nobody who makes it has seen the pairs: "
    "what it scored at first stands in `bench/reload_pairs/README.md`.",
}
"""How well each of them is known to those who make the matching."""
CERTAIN = ("exact",)


@dataclass(frozen=True)
class Outcome:
    """What was offered to one question."""

    pair: Pair
    offers: Sequence[Offer]
    wrong: Sequence[Offer]
    """Those that do another thing than what was asked for."""

    @property
    def is_hit(self) -> bool:
        """Whether what was asked for is among the offers."""
        return len(self.offers) > len(self.wrong)


def run() -> list[Table]:
    """Both halves, and the set that was written last."""
    return [table for half in NAMES for table in tables(half)]


def tables(half: Half) -> list[Table]:
    """Of one half."""
    labelled = pairs(half)
    return _told(half, ours(labelled), rivals(labelled))


def ours(labelled: Sequence[Pair]) -> list[Outcome]:
    """What Vaider offers."""
    with tempfile.TemporaryDirectory() as folder, Desk.opened(Path(folder)) as desk:
        families = {desk.keep(draft_of(each)): each.family for each in recordings(labelled)}

        def ask(question: Question) -> Iterable[Offer]:
            for option in desk.options(question):
                yield Offer(families[option.cache_id.partition("~")[0]], option.match, option.rebound)

        return _outcomes(labelled, ask)


def rivals(labelled: Sequence[Pair]) -> list[Outcome]:
    """What the first rule offers: values as recorded; ``exact`` where it would not have asked."""
    rival = Rival((each.family, each.question) for each in recordings(labelled))

    def ask(question: Question) -> Iterable[Offer]:
        for similarity, family in rival.offers(question):
            yield Offer(family, "exact" if similarity >= AUTOMATIC else "similar", {})

    return _outcomes(labelled, ask)


def _outcomes(labelled: Sequence[Pair], ask: Callable[[Question], Iterable[Offer]]) -> list[Outcome]:
    judge = Judge(labelled)
    found = [(pair, list(ask(pair.asked))) for pair in labelled]
    return [Outcome(pair, offers, [each for each in offers if not judge.fits(pair, each)]) for pair, offers in found]


def _told(half: Half, ours: Sequence[Outcome], rival: Sequence[Outcome]) -> list[Table]:
    return [_totals(half, ours, rival), _kinds(half, ours, rival)]


def _totals(half: Half, ours: Sequence[Outcome], rival: Sequence[Outcome]) -> Table:
    labelled = [each.pair for each in ours]
    same = sum(pair.same for pair in labelled)
    both = (ours, rival)
    rows = [
        ("asked for another thing", *(f"{len(labelled) - same}" for _ in both)),
        (
            "… and something wrong was offered",
            *(_count(each, lambda at: not at.pair.same and at.wrong) for each in both),
        ),
        ("asked for the same", *(f"{same}" for _ in both)),
        ("… and something wrong was offered", *(_count(each, lambda at: at.pair.same and at.wrong) for each in both)),
        ("… and it was offered", *(_hits([at for at in each if at.pair.same]) for each in both)),
        (
            "… of these as recorded, in the same or other words",
            *(_hits([at for at in each if at.pair.same and not at.pair.changes]) for each in both),
        ),
        ("… of these with other values", *(_hits([at for at in each if at.pair.changes]) for each in both)),
        (
            "something wrong offered as certain",
            *(_count(each, lambda at: any(offer.match in CERTAIN for offer in at.wrong)) for each in both),
        ),
    ]
    return Table(
        f"Reload: what is offered, {NAMES[half]}",
        ("", "Vaider", "0.5 trigger + 0.3 n-grams + 0.2 windows"),
        rows,
        f"{len(recordings(labelled))} recordings are kept together, and all offers count. Certain is `exact`; of the "
        f"other rule, a similarity from {AUTOMATIC} on. The bar is nothing wrong, then 80 % of what is the same. "
        f"{ASKED[half]}",
    )


def _kinds(half: Half, ours: Sequence[Outcome], rival: Sequence[Outcome]) -> Table:
    by_kind: defaultdict[tuple[bool, str], list[tuple[Outcome, Outcome]]] = defaultdict(list)
    for mine, theirs in zip(ours, rival, strict=True):
        by_kind[mine.pair.same, mine.pair.kind].append((mine, theirs))
    rows = [
        (
            f"{'the same' if same else 'another'}: {kind.replace('_', ' ')}",
            str(len(found)),
            *(cell for each in zip(*found, strict=True) for cell in _cells(each, same=same)),
        )
        for (same, kind), found in sorted(by_kind.items(), key=lambda each: (not each[0][0], -len(each[1])))
    ]
    return Table(
        f"Reload: the same by what differs, {NAMES[half]}",
        ("", "requests", "offered", "wrong", "offered by the other rule", "wrong by the other rule"),
        rows,
    )


def _cells(found: Sequence[Outcome], *, same: bool) -> tuple[str, str]:
    return _hits(found) if same else "-", _count(found, lambda at: at.wrong)


def _count(found: Sequence[Outcome], holds: Callable[[Outcome], object]) -> str:
    return str(sum(bool(holds(each)) for each in found))


def _hits(found: Sequence[Outcome]) -> str:
    hits = sum(each.is_hit for each in found)
    return f"{hits} of {len(found)} ({hits / len(found):.0%})" if found else "-"


def main() -> None:
    """Tell of one half, and of each mistake in it."""
    parser = argparse.ArgumentParser(prog="python -m bench.reload_matching")
    parser.add_argument("half", choices=list(NAMES))
    half: Half = parser.parse_args().half
    found = ours(pairs(half))
    for each in found:
        if each.wrong or (each.pair.same and not each.is_hit):
            wrong = "; ".join(f"{offer.family} as {offer.match} {dict(offer.rebound)}" for offer in each.wrong)
            print(f"{'WRONG ' + wrong if wrong else 'missed'}: {each.pair.id} ({each.pair.why})")
            print(f"    {each.pair.recording.question.request!r}\n    {each.pair.asked.request!r}")
    for table in _told(half, found, rivals(pairs(half))):
        table.show()


if __name__ == "__main__":
    main()
