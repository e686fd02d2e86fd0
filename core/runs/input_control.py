"""Control of mouse and keyboard: by the run, by the user at the desktop, or by a person who holds the run from afar.

Any front end may request a hold. The run's own thread carries it out, so that only one thread touches the desktop.
"""

from __future__ import annotations

import queue
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from pydantic import AfterValidator, Field

from core.actions import ACTION, Action, Click, Drag, Key, Move, Scroll, Type
from core.errors import ActionFailed, Conflict, TakenOver
from core.key_names import parse_chord
from core.screens import Point  # noqa: TC001 - pydantic looks it up

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.runs.budget import Budget
    from core.runs.journal import Journal
    from core.runs.ports import Desktop


HELD: Final = "hold"
"""The ``source`` of a takeover that is a hold."""
_STOP_KEY: Final = "hotkey"
"""The ``source`` of a takeover that ends a run in any case; see ``core.runs.ports.Desktop``."""
_MESSAGE: Final = "A person holds the run."
_OVER: Final = "The run went on before this could be done."
_BEAT_SECONDS: Final = 0.02
_MOST_WAITING: Final = 64
_MAX_TEXT: Final = 2000


def _canonical(names: tuple[str, ...]) -> tuple[str, ...]:
    return parse_chord(names) if names else ()


_Name = Annotated[str, Field(min_length=1, max_length=40)]
_Held = Annotated[tuple[_Name, ...], Field(max_length=4), AfterValidator(_canonical)]


class _Click(Click):
    modifiers: _Held = ()


class _Drag(Drag):
    path: Annotated[tuple[Point, ...], Field(min_length=2, max_length=200)]
    modifiers: _Held = ()


class _Move(Move):
    modifiers: _Held = ()


class _Scroll(Scroll):
    modifiers: _Held = ()


class _Text(Type):
    text: Annotated[str, Field(max_length=_MAX_TEXT)]


class _Chord(Key):
    keys: Annotated[tuple[_Name, ...], Field(min_length=1, max_length=8), AfterValidator(_canonical)]
    repeat: Annotated[int, Field(ge=1, le=20)] = 1


Input = Annotated[_Click | _Drag | _Move | _Scroll | _Text | _Chord, Field(discriminator="action")]
"""What a person may do on the display of a run that is held; keys are named as in ``core.key_names``, by any name."""


def action_of(wanted: Input) -> Action:
    """The action of the vocabulary that an input is."""
    return ACTION.validate_python(wanted.model_dump())


class _Given(NamedTuple):
    action: Action
    done: Future[None]

    def fail(self, failure: Exception) -> None:
        """Pass the failure to the waiting caller, if there is one."""
        if self.done.running() or self.done.set_running_or_notify_cancel():
            self.done.set_exception(failure)


class Hold:
    """The hold on one run, and the inputs to carry out meanwhile.

    ``raise_if_cancelled`` and ``wait`` are for the run's thread; all else is safe from any thread. Typed text is
    not kept.

    Args:
        minutes: how long it may be held, 0 for ever.

    """

    def __init__(self, *, minutes: float = 0.0) -> None:
        self._seconds = minutes * 60
        self._wanted = threading.Event()
        self._let_go = threading.Event()
        self._given: queue.Queue[_Given] = queue.Queue(_MOST_WAITING)
        self._lock = threading.Lock()
        self._closed = False
        self.inputs = 0
        """How many actions were done for a person so far."""

    @property
    def is_wanted(self) -> bool:
        """Whether a hold is requested."""
        return self._wanted.is_set()

    @property
    def has_let_go(self) -> bool:
        """Whether the run has released every key and button, and waits."""
        return self._let_go.is_set()

    def hold(self, seconds: float = 0.0) -> None:
        """Request a hold; waits at most ``seconds`` until the run has released the display. Idempotent."""
        self._wanted.set()
        self._let_go.wait(seconds)

    def resume(self) -> None:
        """Resume the run."""
        self._wanted.clear()

    def put(self, action: Action) -> Future[None]:
        """Queue an input. Raises ``Conflict`` when the run is not held, or the queue is full.

        The answer raises ``ActionFailed``, ``TakenOver``, or ``Conflict`` when the run went on before.
        """
        given = _Given(action, Future())
        with self._lock:
            if self._closed or not self.is_wanted:
                raise Conflict("The run is not held: hold it before you act on its display.")
            try:
                self._given.put_nowait(given)
            except queue.Full:
                raise Conflict("The display does not keep up; wait for what was sent.") from None
        return given.done

    def close(self) -> None:
        """Fail the waiting inputs, because the run is over."""
        with self._lock:
            self._closed = True
        self._let_go.set()
        self._refuse_rest()

    def raise_if_cancelled(self) -> None:
        """Raise ``TakenOver`` when the run shall be held."""
        if self.is_wanted:
            raise TakenOver(_MESSAGE, source=HELD)

    def wait(self, desktop: Desktop, raise_if_cancelled: Callable[[], None]) -> int:
        """Release every key and button, and wait until the run is resumed; returns the number of inputs made meanwhile.

        A user who takes over meanwhile is ignored, unless by the stop key. Raises what
        ``raise_if_cancelled`` raises, ``DesktopLost``, and ``TakenOver`` when it was held for too long.
        """
        desktop.release()
        self._let_go.set()
        began, done = time.monotonic(), 0
        try:
            while self.is_wanted:
                raise_if_cancelled()
                _check(desktop)
                if self._seconds and time.monotonic() - began > self._seconds:
                    raise TakenOver(f"It was held for {self._seconds / 60:g} minutes, as long as a run may be.")
                with suppress(queue.Empty):
                    done += self._do(self._given.get(timeout=_BEAT_SECONDS), desktop, raise_if_cancelled)
            return done
        finally:
            self._let_go.clear()
            self._refuse_rest()

    def _do(self, given: _Given, desktop: Desktop, raise_if_cancelled: Callable[[], None]) -> bool:
        def raise_if_either_cancelled() -> None:
            raise_if_cancelled()
            if not self.is_wanted:
                raise Conflict(_OVER)

        if not given.done.set_running_or_notify_cancel():
            return False
        try:
            raise_if_either_cancelled()
            if _check(desktop):
                desktop.await_user(raise_if_either_cancelled, quiet_seconds=0)
            desktop.act(given.action, raise_if_either_cancelled)
        except (ActionFailed, Conflict, TakenOver) as failure:
            given.fail(failure)
            return False
        except BaseException:
            given.fail(Conflict(_OVER))
            raise
        self.inputs += 1
        given.done.set_result(None)
        return True

    def _refuse_rest(self) -> None:
        with suppress(queue.Empty):
            while True:
                self._given.get_nowait().fail(Conflict(_OVER))


def is_hold(takeover: TakenOver) -> bool:
    """Whether a person holds the run from afar, rather than touching the mouse."""
    return takeover.details.get("source") == HELD


def _check(desktop: Desktop) -> bool:
    """Whether the user has taken over; raises when that was by the stop key, or the display is gone."""
    try:
        desktop.raise_if_cancelled()
    except TakenOver as takeover:
        if takeover.details.get("source") == _STOP_KEY:
            raise
        return True
    return False


HANDED_BACK: Final = "The user took over mouse and keyboard in the middle, and has given them back: look afresh."


@dataclass(frozen=True)
class InputControl:
    """The input control of one run.

    Args:
        desktop: the display that the run acts on.
        hold: a person's hold on the run.
        journal: records each takeover and its end.
        budget: the run's limits; its minutes and the job's stand still while the run is held.
        stop: raises when the run shall stop.
        extend_deadline: called with the seconds that the job has waited for a person.
        pauses: whether a takeover pauses the run; else it ends it. A hold always does.

    """

    desktop: Desktop
    hold: Hold
    journal: Journal
    budget: Budget
    stop: Callable[[], None]
    extend_deadline: Callable[[float], None]
    pauses: bool = False

    def raise_if_cancelled(self) -> None:
        """Raise when the run shall stop, or shall be held."""
        self.stop()
        self.hold.raise_if_cancelled()

    def watch(self) -> None:
        """Raise when the run shall stop, also after a takeover or when the display is gone."""
        self.raise_if_cancelled()
        self.desktop.raise_if_cancelled()

    def wait_for_handback(self, takeover: TakenOver) -> None:
        """Wait until the takeover is over. Raises ``TakenOver`` when a takeover ends the run."""
        taken: TakenOver | None = takeover
        while taken is not None:
            if not (self.pauses or is_hold(taken)):
                raise taken
            try:
                self._wait(taken)
                taken = None
            except TakenOver as again:
                if not is_hold(again):
                    raise
                taken = again

    def _wait(self, takeover: TakenOver) -> None:
        held, inputs = is_hold(takeover), 0
        self.journal.taken_over(takeover.message, resumed=False, held=held)
        if held:
            self.desktop.announce(takeover.message)
            inputs = self.hold.wait(self.desktop, self._stop_while_held())
        if not held or self._is_taken_over():
            self.desktop.await_user(self.raise_if_cancelled, quiet_seconds=self.budget.limits.quiet_seconds)
        self.journal.taken_over(HANDED_BACK, resumed=True, held=held, inputs=inputs)

    def _stop_while_held(self) -> Callable[[], None]:
        """``stop``, which excludes the time between its calls from the budget and the deadline."""
        last = time.monotonic()

        def stop() -> None:
            nonlocal last
            now = time.monotonic()
            self.budget.extend_deadline(now - last)
            self.extend_deadline(now - last)
            last = now
            self.stop()

        return stop

    def _is_taken_over(self) -> bool:
        try:
            self.desktop.raise_if_cancelled()
        except TakenOver:
            return True
        return False
