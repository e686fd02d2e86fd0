"""Judges an expected outcome by the lines of text on the screen, independently of any claim."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.analysis import VerdictResult
from core.errors import Internal
from core.expectations.still import Judged, judge_still, still, texts_of_presence
from core.expectations.vocabulary import sentences
from core.runs.run import Check
from core.screens import TextLine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.runs.ports import Desktop, Eyes
    from core.screens import Picture, Window

MOST_EXPECTED = 10_000
_LONGEST_EVIDENCE = 2000
_NOT_CONFIRMED = (
    "That something is no longer shown confirms nothing by itself, because a window that closes takes it away whatever "
    "was done in it. Name a text that is shown when it is done, in quotation marks, among the success criteria."
)
_MARKER = re.compile(r"\bexpected\s+(?:outcome|result)s?\b[\s*_]*[:\uff1a]", re.IGNORECASE)


def expected_outcome(text: str) -> str:
    """The words after "Expected outcome:" (or "Expected result:", in any case), to the end; empty without them."""
    marker = _MARKER.search(text)
    return text[marker.end() :].strip().lstrip("*_").strip() if marker else ""


def instruction(text: str) -> str:
    """The words before "Expected outcome:"."""
    marker = _MARKER.search(text)
    return text[: marker.start()].strip().rstrip("*_").strip() if marker else text


def titles_of(windows: Sequence[Window]) -> list[TextLine]:
    """The titles of windows as lines: their bars show them cut, or not at all."""
    return [TextLine(text=each.title, box=each.box, score=1.0) for each in windows if each.title.strip()]


def quotes_anything(expected: str) -> bool:
    """Whether ``check`` would have to look at the screen."""
    nothing = still(())
    return len(expected) <= MOST_EXPECTED and any(judge_still(one, nothing).quotes for one in sentences(expected))


def wanted_texts(expected: str) -> tuple[str, ...]:
    """The quoted texts where all that is expected of the screen is that they are there; none where it is more."""
    if len(expected) > MOST_EXPECTED:
        return ()
    quoting = [one for one in sentences(expected) if quotes_anything(one)]
    found = [texts_of_presence(one) for one in quoting]
    return tuple(text for texts in found for text in texts) if all(found) else ()


def check(
    expected: str, lines: Sequence[TextLine], before: Sequence[TextLine] | None = None, *, confirms: bool = False
) -> Check:
    """Judge what was expected by what can be read on the screen now.

    What is quoted must be seen: as whole words, with the usual slips of OCR, digits exactly. "Not", "no longer",
    "disappears" and their like mean that it must not be seen; "changed from … to …" that the one is there and the other
    not, or no more in that place; "3 times" counts the places. When something came is not judged.

    Several sentences must all hold: one that fails fails them all, and one that quotes something and cannot be judged
    leaves them unclear. A sentence that quotes nothing is not judged; it is named in the evidence, and takes nothing
    from what was seen of the others. There is no ``pass`` without at least one quoted text that was looked for, and
    none where nothing at all could be read. A quoted ``{name}`` stands for a value that must not be looked for.

    Args:
        expected: one or more sentences.
        lines: what can be read on the screen now.
        before: what could be read before the action, if known; helps to tell changes.
        confirms: whether it shall confirm that a run succeeded: then a quoted text has to be seen, because that one is
            not seen confirms nothing by itself.

    """
    if len(expected) > MOST_EXPECTED:
        return Check(expected=expected, verdict="unclear", evidence="It is too long to be read.")
    screen = still(lines)
    earlier = still(before) if before is not None else None
    judged = [judge_still(sentence, screen, earlier) for sentence in sentences(expected)]
    quoting = [one for one in judged if one.quotes]
    if not quoting:
        return Check(
            expected=expected,
            verdict="unclear",
            evidence="It quotes no text that could be looked for; put what should be on the screen in quotation marks.",
        )
    for result in (VerdictResult.FAIL, VerdictResult.UNCLEAR):
        for one in quoting:
            if one.outcome.result is result:
                return Check(expected=expected, verdict=result.value, evidence=_describe_checks([one]))
    if not all(one.outcome.evidence for one in quoting):
        raise Internal("An expected outcome would pass without evidence; please report it.")
    if confirms and not any(evidence.quote for one in quoting for evidence in one.outcome.evidence):
        return Check(expected=expected, verdict="unclear", evidence=f"{_describe_checks(judged)} {_NOT_CONFIRMED}")
    return Check(expected=expected, verdict="pass", evidence=_describe_checks(judged))


def _describe_checks(judged: Sequence[Judged]) -> str:
    """The evidence for the sentences, and which of them were not judged."""
    seen = "; ".join(one.outcome.reason for one in judged if one.quotes)
    prose = " ".join(f"“{one.sentence}”" for one in judged if not one.quotes)
    text = f"{seen[:1].upper()}{seen[1:]}." + (f" Not judged, for nothing is quoted in it: {prose}." if prose else "")
    return text if len(text) <= _LONGEST_EVIDENCE else f"{text[: _LONGEST_EVIDENCE - 1]}…"


@dataclass
class Verification:
    """Looks for an expected outcome until it is visible or the time is over.

    Args:
        desktop: whose screen.
        eyes: reads its text.
        seconds: how long a page may take to show it.

    """

    desktop: Desktop
    eyes: Eyes
    seconds: float
    _before: Picture | None = None
    _lines: Sequence[TextLine] | None = None

    def begin(self, picture: Picture) -> None:
        """Remember how the screen looked before the subtask."""
        self._before, self._lines = picture, None

    def of(self, expected: str, watch: Callable[[], None], *, confirms: bool = False) -> Check | None:
        """The check of a sentence, ``None`` when nothing is expected; ``confirms`` as ``core.runs.outcomes.check``."""
        if not expected.strip():
            return None
        before = self._lines_before()
        picture = self.desktop.look()
        first = picture.taken
        while True:
            watch()
            found = check(expected, self.eyes.read(picture), before, confirms=confirms)
            if found.verdict != "pass":
                found = self._exactly(expected, picture, before, confirms=confirms) or found
            if found.verdict != "fail" or picture.taken - first >= self.seconds:
                return found
            picture = self.desktop.settle(picture, watch, seconds=self.seconds)

    def _exactly(
        self, expected: str, picture: Picture, before: Sequence[TextLine] | None, *, confirms: bool
    ) -> Check | None:
        """The check by what programs tell, if it is there by that: a doubt of the reader is no failure."""
        windows = self.desktop.windows()
        lines = [*self.eyes.read_exactly(picture, windows), *titles_of(windows)]
        found = check(expected, lines, before, confirms=confirms)
        return found if found.verdict == "pass" else None

    def _lines_before(self) -> Sequence[TextLine] | None:
        if self._lines is None and self._before is not None:
            self._lines = self.eyes.read(self._before)
        return self._lines
