"""The labelled pairs of a recorded request and one that is asked later: ``bench/reload_pairs``."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from core.reload.offers import Question

FOLDER = Path(__file__).parent / "reload_pairs"
Half = Literal["development", "held_out", "fresh"]


@dataclass(frozen=True)
class Recording:
    """What was asked for when it was recorded, and which words of it were typed."""

    family: str
    question: Question
    values: Mapping[str, str]
    picked: frozenset[str]
    """Slots whose value was clicked, not typed."""
    typed: tuple[str, ...]
    """What was typed besides, and was not said in the request."""


@dataclass(frozen=True)
class Pair:
    """A recording, and what is asked later."""

    id: str
    kind: str
    recording: Recording
    asked: Question
    same: bool
    """Whether it may be done by a replay."""
    values: Mapping[str, str]
    """The new values that are right then."""
    why: str

    @property
    def filled(self) -> dict[str, str]:
        """All values that are right then."""
        return {**self.recording.values, **self.values}


@dataclass(frozen=True)
class Offer:
    """What was offered: whose recording, and what it would fill in by itself."""

    family: str
    match: str
    values: Mapping[str, str]
    """By slot; those that nothing is proposed for are left out."""


class Judge:
    """Tells which offers fit what is asked.

    An offer of another pair's recording fits if that recording, asked for in just these words, is labelled to.

    Args:
        pairs: all whose recordings are kept together.

    """

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self._right: defaultdict[str, list[tuple[str, dict[str, str]]]] = defaultdict(list)
        for pair in pairs:
            if pair.same:
                self._right[_key(pair.asked)].append((pair.recording.family, pair.filled))
            self._right[_key(pair.recording.question)].append((pair.recording.family, dict(pair.recording.values)))

    def fits(self, pair: Pair, offer: Offer) -> bool:
        """Whether doing it with these values would be what was asked for."""
        if offer.family == pair.recording.family:
            return pair.same and dict(offer.values) == pair.filled
        return (offer.family, dict(offer.values)) in self._right[_key(pair.asked)]


def pairs(half: Half) -> list[Pair]:
    """Those of one half, or of the set that was written last; a family is in one of them alone."""
    return [_pair(each) for each in json.loads((FOLDER / f"{half}.json").read_text(encoding="utf-8"))]


def recordings(pairs: Sequence[Pair]) -> list[Recording]:
    """Each once."""
    return list({pair.recording.family: pair.recording for pair in pairs}.values())


def _key(question: Question) -> str:
    reported = question.model_dump(mode="json")
    return json.dumps({**reported, "request": question.request.casefold()}, sort_keys=True)


def _pair(made: Mapping[str, Any]) -> Pair:
    recorded = made["recorded"]
    return Pair(
        id=made["id"],
        kind=made["kind"],
        recording=Recording(
            family=made["family"],
            question=_question(recorded),
            values=recorded["values"],
            picked=frozenset(recorded.get("picked", ())),
            typed=tuple(recorded.get("typed", ())),
        ),
        asked=_question(made["asked"]),
        same=made["same"],
        values=made["values"],
        why=made["why"],
    )


def _question(made: Mapping[str, Any]) -> Question:
    return Question(
        trigger_type=made["trigger_type"],
        trigger_target=made["trigger_target"],
        request=made["request"],
        window_state=made["window_state"],
    )
