"""Where a conversation stands: the newest look, what became of the last moves, and how the next ones are asked for."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, TypeVar

from adapters.models.local.view import View
from core.accessibility import AccessibleTree, Role, State
from core.actions import Ask, Done, Extract, ReadField, Wait
from core.runs.deciding import Briefing, Decision, Move, Observation, Outcome, Proposal, Result
from core.window_kinds import is_browser

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Sequence

    from core.accessibility import Accessibility, Element
    from core.runs.ports import Eyes
    from core.screens import TextLine, Window

Found = TypeVar("Found")

_FIRST_WAIT: Final = 0.15
_DOUBLING: Final = 2.0
_LONGEST_WAIT: Final = 3.0
_POLL_SECONDS: Final = 0.005
_TREE_SECONDS: Final = 1.0
_PAGE_SECONDS: Final = 3.0
"""So long a browser may take to tell of its page; one that does not tell of itself costs that once."""


class Impossible(Exception):
    """A step cannot be done; the text says what was looked for and what was seen."""


class Unsure(Exception):
    """Only a person can tell; the text is the question.

    Args:
        reason: the question, or without its end what it is about where ``instead`` is asked.
        instead: the words of a target that the person may agree to.

    """

    def __init__(self, reason: str, instead: str = "") -> None:
        super().__init__(f"{reason}. Is it {instead} now?" if instead else reason)
        self.reason, self.instead = reason, instead


class Disturbed(Exception):
    """Somebody used the desktop in the middle of a step."""


class Situation:
    """What the steps of a run share.

    Args:
        briefing: what holds for the run.
        eyes: who reads the pictures.
        accessibility: what the display's programs tell of themselves; ``None`` for pixels alone.
        patience: how many seconds are waited for what should be there.

    """

    def __init__(
        self, briefing: Briefing, eyes: Eyes, accessibility: Accessibility | None = None, *, patience: float
    ) -> None:
        self.briefing = briefing
        self.eyes = eyes
        self.accessibility = accessibility
        self.patience = patience
        self._view: View | None = None
        self.results: Sequence[Result] = ()
        self.doubts: list[str] = []
        """What was typed and could not be read back for certain, in sentences."""
        self.read_back: TextLine | None = None
        """What the last field holds in which was typed, when it was read exactly."""
        self._prepared: frozenset[int] = frozenset()
        self._awaited: set[int] = set()
        """The processes whose elements were waited for."""
        self._slow: set[str] = set()
        """The elements that were waited for in vain, as they go on loading."""
        self._answered: set[int] = set()
        """The processes that have told their elements, or were waited for in vain, before they were sent keys."""
        self.targets: Sequence[str] = ()
        """The words for the targets of all steps, in their order."""
        self._said: set[str] = set()
        self._remarks: list[str] = []
        self._notice = ""
        self._raise_if_cancelled: Callable[[], None] = _never_cancelled

    @property
    def view(self) -> View:
        """The newest look."""
        if self._view is None:
            raise RuntimeError("nothing was looked at yet")
        return self._view

    @property
    def focused_window(self) -> Window | None:
        """The window that has the keyboard."""
        return next((each for each in self.view.windows if each.focused), None)

    def update(self, observation: Observation, raise_if_cancelled: Callable[[], None]) -> None:
        """Take the next observation."""
        self._view = View(observation.picture, observation.windows, self.eyes, self._tree)
        shown = frozenset(each.pid for each in observation.windows if each.pid is not None)
        if self.accessibility is not None and shown - self._prepared:
            self.accessibility.prepare(shown)
        self._prepared = shown
        self.results = observation.results
        self._notice = observation.notice
        self._raise_if_cancelled = raise_if_cancelled

    def read_ahead(self) -> None:
        """Read the newest look; what is the same on the next one is then known."""
        self.eyes.read(self.view.picture)

    def _tree(self, pids: Collection[int]) -> AccessibleTree:
        """What these programs tell of themselves now; what they do not is said once."""
        if self.accessibility is None:
            return AccessibleTree()
        read = self.accessibility.read(pids)
        for sentence in read.left_out:
            self.remark(sentence)
        return read

    def remark(self, sentence: str) -> None:
        """Have the run's journal say this, once in a run."""
        if sentence not in self._said:
            self._said.add(sentence)
            self._remarks.append(sentence)

    def now(self, element: Element) -> Element | None:
        """An element as its program tells it now; ``None`` when it does not, or it has gone."""
        return None if self.accessibility is None else self.accessibility.again(element)

    def poll(self, seen: Callable[[], Found | None], *, seconds: float) -> Found | None:
        """Look for something that is not on the picture until it is there, at most for so long."""
        end = time.monotonic() + seconds
        while (found := seen()) is None and time.monotonic() < end:
            self.raise_if_cancelled()
            time.sleep(_POLL_SECONDS)
        return found

    def raise_if_cancelled(self) -> None:
        """Raise when the run shall stop."""
        self._raise_if_cancelled()

    def secret_in(self, text: str) -> bool:
        """Whether the text holds the place of a sensitive value, which is spelt out only when it is typed."""
        return any(f"{{{name}}}" in text for name, value in self.briefing.parameters.items() if value == f"{{{name}}}")

    def do(
        self, *moves: Move, note: str, rest: bool = True, at_once: bool = False
    ) -> Generator[Decision, None, Sequence[Result]]:
        """Propose moves and return what became of them; ``rest`` as in ``Proposal``, ``at_once`` for all but the last.

        Raises ``Impossible`` when one failed or was refused, ``Disturbed`` when the user was in between.
        """
        remarks, self._remarks = self._remarks, []
        yield decision(moves, " ".join((note, *remarks)), rest=rest, at_once=at_once)
        self.raise_if_cancelled()
        for result in self.results:
            if result.outcome in (Outcome.FAILED, Outcome.REFUSED):
                if self._notice:
                    raise Disturbed
                raise Impossible(f"{note}: {result.evidence}")
        return self.results

    def wait_for(self, seen: Callable[[], Found | None], *, seconds: float) -> Generator[Decision, None, Found | None]:
        """Look until something is seen, at most for so long; each wait is longer than the last."""
        waited, pause = 0.0, _FIRST_WAIT
        while True:
            found = seen()
            if found is not None or waited >= seconds:
                return found
            pause = min(pause, max(seconds - waited, _FIRST_WAIT))
            yield from self.do(Wait(seconds=round(pause, 2)), note="Waiting for the screen")
            waited += pause
            pause = min(pause * _DOUBLING, _LONGEST_WAIT)

    def await_tree(self) -> Generator[Decision, None, None]:
        """Wait a moment, once for each program, until it tells of its elements: one that has just come may not yet."""
        shown = {each.pid for each in self.view.windows if each.pid is not None}
        fresh = shown - self.view.tree.pids - self._awaited if self.accessibility is not None else set[int]()
        if fresh:
            self._awaited |= fresh
            yield from self.wait_for(lambda: True if fresh <= self.view.tree.pids else None, seconds=_TREE_SECONDS)

    def await_loaded(self) -> Generator[Decision, None, bool]:
        """Wait, once for each, for the pages that are still loading: their scripts miss what is done before.

        Whether there was one.
        """
        waits = False
        for loading, seconds in ((self._untold, _PAGE_SECONDS), (self._busy, self.patience)):
            if loading():
                waits = True
                yield from self.wait_for(lambda loading=loading: None if loading() else True, seconds=seconds)
                self._slow |= loading()
        return waits

    def _busy(self) -> set[str]:
        """The elements that say that they are still being made."""
        states = frozenset({State.BUSY, State.VISIBLE})
        return {each.id for each in self.view.tree.elements if states <= each.states} - self._slow

    def _untold(self) -> set[str]:
        """The browsers that have not told of their page yet, by their processes: it may be loading."""
        if self.accessibility is None:
            return set()
        pages = {each.pid for each in self.view.tree.elements if each.role is Role.DOCUMENT}
        browsers = {each.pid for each in self.view.windows if each.pid is not None and is_browser(each.application)}
        return {f"page of {pid}" for pid in browsers - pages} - self._slow

    def await_keyboard(self) -> Generator[Decision, None, None]:
        """Wait until a window has the keyboard: what is typed while a program only shows its picture goes nowhere."""

        def has_keyboard() -> bool | None:
            return True if any(each.focused for each in self.view.windows) or not self.view.windows else None

        yield from self.wait_for(has_keyboard, seconds=self.patience)
        yield from self._await_answer()
        yield from self.await_loaded()

    def _await_answer(self) -> Generator[Decision, None, None]:
        """Wait until the program that has the keyboard has answered once: one that is starting drops keys."""
        window = self.focused_window
        pid = window.pid if window is not None else None
        if self.accessibility is None or pid is None or pid in self._answered:
            return
        yield from self.wait_for(lambda: True if pid not in self.view.tree.late else None, seconds=self.patience)
        self._answered.add(pid)


def decision(moves: Sequence[Move], note: str, *, rest: bool = True, at_once: bool = False) -> Decision:
    """The moves as the loop takes them."""
    proposals = tuple(
        Proposal(move=move, tool_call=_call(move), rest=rest, at_once=at_once and number < len(moves))
        for number, move in enumerate(moves, 1)
    )
    return Decision(proposals=proposals, observation=note)


def _call(move: Move) -> dict[str, Any]:
    name = move.action if isinstance(move, Done | Ask | Extract | ReadField) else "computer_use"
    return {"name": name, "arguments": move.model_dump(mode="json")}


def _never_cancelled() -> None:
    """Before the first observation nothing can stop."""
