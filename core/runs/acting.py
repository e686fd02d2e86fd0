"""One action of a run: checked by the gate, carried out, and its effect observed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from core.actions import Action, Click, Look, OpenUrl, ReadField, Type, Wait, Zoom
from core.errors import ActionFailed
from core.runs.deciding import Outcome, Proposal, Result
from core.runs.run import Ended, RunOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.runs.budget import Budget
    from core.runs.gate import Gate
    from core.runs.journal import Journal, Turn
    from core.runs.ports import Approver, Desktop, Eyes
    from core.screens import Box, Picture
    from core.secrets import Secrets

_MOST_OF_IT: Final = 0.6
"""Of the screen: what changed as much changed all of it."""
_LONGEST_EVIDENCE: Final = 2000


@dataclass(frozen=True)
class Acting:
    """Carries out a decider's proposals that the gate allows.

    Args:
        desktop: the display that the run acts on.
        eyes: compares pictures to find the effect.
        gate: allows, asks about or refuses an action.
        approver: the person who is asked.
        journal: records each proposal and its result.
        budget: the run's limits.
        secrets: replaced by their values only in typed text.
        resolve: turns the address of an ``open_url`` into one that a browser takes; raises ``ActionFailed``.
        watch: raises when the run shall stop.

    """

    desktop: Desktop
    eyes: Eyes
    gate: Gate
    approver: Approver
    journal: Journal
    budget: Budget
    secrets: Secrets
    resolve: Callable[[str], str]
    watch: Callable[[], None]

    def act(
        self, turn: Turn, proposal: Proposal, action: Action, before: Picture, *, rest: bool = True
    ) -> tuple[Result, Picture]:
        """Carry out the action; returns its result and the screen after it reacted and, with ``rest``, came to rest."""
        acknowledged, refusal = self._gated(proposal, action, before)
        if refusal is not None:
            result = Result(proposal, Outcome.REFUSED, refusal)
            self.journal.acted(turn, action, result)
            if proposal.safety:
                # The provider's own safety check cannot be skipped: its next request would be refused.
                raise Ended(RunOutcome.REFUSED, refusal)
            return result, before
        if not isinstance(action, Wait | Look | Zoom):
            self.budget.act()
        self.journal.acting(turn, action)
        try:
            result, after = self._done(proposal, action, before, rest=rest)
        except ActionFailed as failure:
            self.journal.failed(turn, action, failure.message)
            result, after = Result(proposal, Outcome.FAILED, failure.message), self.desktop.look()
        if acknowledged:
            result = Result(proposal, result.outcome, result.evidence, result.picture, acknowledged=True)
        self.journal.acted(turn, action, result)
        return result, after

    def read(self, turn: Turn, proposal: Proposal, move: ReadField, before: Picture) -> tuple[Result, Picture]:
        """Read a field's content; that is no step of the budget, unless the content is deleted."""
        clicks = Click(action="triple_click", at=move.at)
        _, refusal = self._gated(proposal, clicks, before)
        if refusal is not None:
            result = Result(proposal, Outcome.REFUSED, refusal)
            self.journal.acted(turn, clicks, result)
            return result, before
        if move.deletes:
            self.budget.act()
        self.journal.acting(turn, clicks)
        try:
            text = self.desktop.read_field(move.at, self.watch, several_lines=move.several_lines, deletes=move.deletes)
        except ActionFailed as failure:
            self.journal.failed(turn, clicks, failure.message)
            result = Result(proposal, Outcome.FAILED, failure.message)
        else:
            sentence = "Its selection cannot be read." if text is None else f'The field holds "{text}".'
            result = Result(proposal, Outcome.CONFIRMED, sentence[:_LONGEST_EVIDENCE], text=text)
        self.journal.acted(turn, clicks, result)
        if move.deletes and result.text is not None:
            return result, self.desktop.settle(before, self.watch, seconds=self.budget.limits.settle_seconds)
        return result, self.desktop.look()

    def _gated(self, proposal: Proposal, action: Action, before: Picture) -> tuple[bool, str | None]:
        """Whether a person confirmed the action, and the reason if it must not be carried out."""
        lines = self.eyes.read(before) if self.gate.needs_text else ()
        ruling = self.gate.rule(proposal, action, self.desktop.windows(), lines)
        if ruling.ruling == "refuse":
            return False, ruling.reason
        if ruling.ruling == "ask":
            agreed = self.approver.approve(self.secrets.mask(ruling.reason), self.watch)
            return agreed, None if agreed else f"It was not confirmed: {ruling.reason}"
        return False, None

    def _done(self, proposal: Proposal, action: Action, before: Picture, *, rest: bool) -> tuple[Result, Picture]:
        if isinstance(action, Look | Zoom):
            picture = self.desktop.look()
            return Result(proposal, Outcome.CONFIRMED, "Here it is.", picture), picture
        self.desktop.act(self._spelt_out(action), self.watch)
        seconds = 0.0 if proposal.at_once else self.budget.limits.settle_seconds
        after = self.desktop.settle(before, self.watch, seconds=seconds, rest=rest)
        changes = self.eyes.changes(before, after)
        if not changes:
            return Result(proposal, Outcome.NO_VISIBLE_EFFECT, "Done, but the screen looks as before."), after
        return Result(proposal, Outcome.CONFIRMED, _describe_changes(changes, after.width, after.height)), after

    def _spelt_out(self, action: Action) -> Action:
        if isinstance(action, Type):
            return Type(text=self.secrets.reveal(action.text))
        return OpenUrl(url=self.resolve(action.url)) if isinstance(action, OpenUrl) else action


def _describe_changes(changes: Sequence[Box], width: int, height: int) -> str:
    """Where, as a person would say it: the largest of them decides."""
    largest = max(changes, key=lambda box: box.width * box.height)
    if largest.width * largest.height > _MOST_OF_IT * width * height:
        return "The whole screen changed."
    across = ("left", "", "right")[_third(largest.x + largest.width / 2, width)]
    down = ("top", "", "bottom")[_third(largest.y + largest.height / 2, height)]
    if across and down:
        return f"The screen changed at the {down} {across}."
    side = across or down
    return f"The screen changed {f'at the {side}' if side else 'in the middle'}."


def _third(at: float, length: int) -> int:
    return min(2, int(3 * at / length))
