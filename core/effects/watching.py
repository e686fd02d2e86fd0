"""The effects of one run: read before its acts, and after them until they are there or the time is over."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from core.effects.judging import is_there_before, judge_effect
from core.effects.sentences import sentence
from core.errors import EffectUnreadable
from core.runs.run import Check

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.effects.effect import Effect
    from core.effects.ports import EffectReader
    from core.effects.rows import Reading

_PAUSE_SECONDS: Final = 0.2
_STEP_SECONDS: Final = 0.05


class NothingDone(Exception):
    """The run must not act; the message is one sentence that says why."""


class NoEffectReader:
    """Implements ``EffectReader`` where nothing can be read."""

    def read(self, effect: Effect, raise_if_cancelled: Callable[[], None]) -> Reading:
        """See the port."""
        del raise_if_cancelled
        raise EffectUnreadable(f"There is no reader for effects of the kind {effect.kind} here.")


@dataclass
class EffectWatch:
    """Reads effects before and after the acts.

    Args:
        effects: with the values filled in, but for extracts.
        reader: reads them.
        seconds: how long after the acts an effect may take to be there.
        watch: called often; raises when the run shall stop.

    """

    effects: Sequence[Effect]
    reader: EffectReader
    seconds: float
    watch: Callable[[], None]
    _before: list[Reading] = field(default_factory=list["Reading"])

    def begin(self) -> None:
        """Read them before the acts.

        Raises:
            NothingDone: one cannot be read, so that nobody could tell afterwards what was done; or a row that may be
                there just once is there.

        """
        for effect in self.effects:
            try:
                reading = self.reader.read(effect, self.watch)
            except EffectUnreadable as error:
                raise NothingDone(f"Nothing was done, because its effect cannot be read: {error.message}") from error
            if is_there_before(effect, reading):
                raise NothingDone(
                    f"Nothing was done, because {reading.source} has this row already, and is to have it just once: "
                    f"{sentence(effect)}"
                )
            self._before.append(reading)

    def checks(self, fill: Callable[[str], str]) -> Sequence[Check]:
        """The check of each effect after the acts; ``fill`` puts the extracts into a text.

        One that is there is read a second time, because a program may save twice; one that is not there is waited for.
        """
        ends = time.monotonic() + self.seconds
        return [
            self._check(effect.mapped(fill), before, ends)
            for effect, before in zip(self.effects, self._before, strict=True)
        ]

    def _check(self, effect: Effect, before: Reading, ends: float) -> Check:
        last: Check | None = None
        while True:
            found = self._read_once(effect, before)
            is_late = time.monotonic() >= ends
            if last is not None and found.verdict == last.verdict and (found.verdict == "pass" or is_late):
                return found
            if is_late and found.verdict != "pass":
                return found
            last = found
            self._pause()

    def _read_once(self, effect: Effect, before: Reading) -> Check:
        try:
            return judge_effect(effect, before, self.reader.read(effect, self.watch))
        except EffectUnreadable as error:
            return Check(expected=sentence(effect), verdict="unclear", evidence=error.message)

    def _pause(self) -> None:
        ends = time.monotonic() + _PAUSE_SECONDS
        while time.monotonic() < ends:
            self.watch()
            time.sleep(_STEP_SECONDS)
