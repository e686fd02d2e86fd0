"""What the recorder was, from moment to moment: a stretch without pictures can be explained by it afterwards.

Nothing of what was on the screen is in it: of what was blacked out, only that something was.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AwareDatetime, Field, TypeAdapter

from core.recording.recorder import RecorderPhase
from core.values import Value

if TYPE_CHECKING:
    from datetime import datetime


class Noted(Value):
    """From then on it was so, until the next one."""

    kind: Literal["state"] = "state"
    at: AwareDatetime
    phase: RecorderPhase | None
    """``None``: nobody knows, for whoever would have told was killed."""
    veiled: bool = False
    """Whether something that is recorded was blacked out."""


class ForgottenStretch(Value):
    """What was recorded then was removed, because somebody asked for it."""

    kind: Literal["forgotten"] = "forgotten"
    since: AwareDatetime
    until: AwareDatetime


JournalLine = Annotated[Noted | ForgottenStretch, Field(discriminator="kind")]
LINE: TypeAdapter[JournalLine] = TypeAdapter(JournalLine)


def _at(state: Noted) -> datetime:
    return state.at


class Journal(Value):
    """All that is known."""

    states: tuple[Noted, ...] = ()
    """By ``at``."""
    forgotten: tuple[ForgottenStretch, ...] = ()

    def within(self, start: datetime, end: datetime) -> Journal:
        """What of it tells anything of a stretch."""
        first = max(0, bisect_right(self.states, start, key=_at) - 1)
        return self.model_construct(
            states=self.states[first : bisect_left(self.states, end, key=_at)],
            forgotten=tuple(one for one in self.forgotten if one.since < end and one.until > start),
        )

    def without(self, since: datetime, until: datetime) -> Journal:
        """The same once a stretch has been forgotten: nothing is told of it but that."""
        before = [state for state in self.states if state.at < since]
        within = [state for state in self.states if since <= state.at <= until]
        kept = [*before]
        if before and before[-1].veiled:
            kept.append(before[-1].model_copy(update={"at": since, "veiled": False}))
        last = next(reversed([*before, *within]), None)
        if last is not None and (within or last.veiled):
            kept.append(last.model_copy(update={"at": until}))
        kept += [state for state in self.states if state.at > until]
        stretch = ForgottenStretch(since=since, until=until)
        inside = [one for one in self.forgotten if since <= one.since and one.until <= until]
        return Journal(states=tuple(kept), forgotten=(*(one for one in self.forgotten if one not in inside), stretch))
