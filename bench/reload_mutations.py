"""Whether a request that was changed by rule is still taken for the recorded one: ``python -m bench reload_mutations``.

Each recorded request of the labelled pairs is changed in every way that can be made up without thinking: another word
in the place of each, each word left out, two words swapped, something denied, or added before or behind. None may be
done by a replay without asking.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from bench.reload_desk import build_draft
from bench.reload_set import Recording, pairs, recordings
from bench.table import Table
from core.reload.requests import same_values

MARKS: Final = "\"'.,:;!?<>"
SLIGHT: Final = frozenset({
    "a", "an", "the", "to", "of", "for", "in", "on", "as", "at", "with", "by", "from", "into", "my", "me", "is",
    "are", "and", "or", "then", "please", "it", "its", "them", "you", "i", "up", "off", "back", "das", "der", "die",
    "den", "la", "le", "du", "de", "el",
})  # fmt: skip
"""Words of which a change may be harmless."""
UNHEARD: Final = "zorbit"
DENIED: Final = ("not", "never", "no", "except", "without", "only", "almost", "half")
BEFORE: Final = (
    "do not", "don't", "never mind,", "pretend to", "undo:", "how do I", "why did you", "tell Bob to",
    "what happens if I", "imagine you", "stop:", "after lunch,", "unless it rains,",
)  # fmt: skip
BEHIND: Final = (
    "and delete it", "and log out", "then undo it", "never mind", "just kidding", "but not really", "for Bob", "twice",
    "if I say so", "as root", "without asking", "without saving", "or not", "except on Monday", "in reverse",
    "(dry run)", "--force", "later", "in 5 minutes", "at noon", "next week", "every day", "on the other screen",
    "with my other account", "unless it is open", "and the same for Bob", "the other way round",
)  # fmt: skip
OTHERS: Final = 12
"""So many other words are tried in the place of each."""


def run() -> list[Table]:
    """By the kind of change."""
    found = [recording for half in ("development", "held_out") for recording in recordings(pairs(half))]
    tried, offered = summarise(found)
    rows = [(kind, f"{count:,}", str(len(offered.get(kind, ())))) for kind, count in tried.items()]
    return [
        Table(
            "Reload: requests that were changed by rule",
            ("", "requests", "taken for the same"),
            rows,
            f"{tried.total():,} changes of the {len(found)} recorded requests of both halves. Taken for them: "
            f"{_listed(offered)}.",
        )
    ]


def _listed(offered: dict[str, list[str]]) -> str:
    return "; ".join(f"`{request}`" for requests in offered.values() for request in requests[:10]) or "none"


def summarise(found: Sequence[Recording]) -> tuple[Counter[str], dict[str, list[str]]]:
    """How many changes were tried of each kind, and those that were let through."""
    chance = random.Random(3)
    words = sorted({word for each in found for word in _plain(each.question.request) if word.isalpha()})
    tried: Counter[str] = Counter()
    offered: dict[str, list[str]] = {}
    for each in found:
        draft = build_draft(each)
        for kind, request in _changed(each, words, chance):
            tried[kind] += 1
            if same_values(draft.requests, draft.slots, request) is not None:
                offered.setdefault(kind, []).append(request)
    return tried, offered


def _changed(recording: Recording, words: Sequence[str], chance: random.Random) -> Iterator[tuple[str, str]]:
    said = recording.question.request.split()
    in_values = {word for value in recording.values.values() for word in _plain(value)}
    fixed = [at for at, word in enumerate(said) if _plain(word) and word.strip(MARKS) not in in_values]
    for at in fixed:
        before, after = said[:at], said[at + 1 :]
        others = [word for word in chance.sample(words, OTHERS) if word.lower() != said[at].strip(MARKS).lower()]
        for word in (UNHEARD, *others):
            yield "another word in the place of one", " ".join((*before, word, *after))
        yield "a word is missing", " ".join((*before, *after))
        for word in DENIED:
            yield "a denying word before one", " ".join((*before, word, *said[at:]))
    for one, other in pairwise(fixed):
        swapped = list(said)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        if swapped != said:
            yield "two words swapped", " ".join(swapped)
    first = said[0][:1].lower() + said[0][1:]
    yield from (("something before it", " ".join((each, first, *said[1:]))) for each in BEFORE)
    yield from (("something behind it", " ".join((*said, each))) for each in BEHIND)


def _plain(text: str) -> list[str]:
    return [plain for word in text.split() if (plain := word.strip(MARKS)).lower() not in SLIGHT and plain]
