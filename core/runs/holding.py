"""Runs that a person holds: the run lets go of its display, and does there what the person does, until it is resumed.

Asked for by any front end, heeded by the run's own thread, which remains the only one that touches the desktop.
"""

from __future__ import annotations

import queue
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from pydantic import AfterValidator, Field

from core.actions import ACTION, Click, Drag, Key, Move, Scroll, Type
from core.errors import ActionFailed, Conflict, TakenOver
from core.key_names import parse_chord
from core.screens import Point  # noqa: TC001 - pydantic looks it up

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.actions import Action
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
        """Tell whoever waits, if anybody does."""
        if self.done.running() or self.done.set_running_or_notify_cancel():
            self.done.set_exception(failure)


class Hold:
    """Whether one run is held, and what is to be done meanwhile.

    ``heed`` and ``wait`` are the run's own; all else is safe from any thread. What is typed is kept nowhere.

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
        """Whether it shall be held."""
        return self._wanted.is_set()

    @property
    def has_let_go(self) -> bool:
        """Whether the run has let go of everything, and waits."""
        return self._let_go.is_set()

    def hold(self, seconds: float = 0.0) -> None:
        """Have it held; waits at most ``seconds`` until it has let go. Held twice is held."""
        self._wanted.set()
        self._let_go.wait(seconds)

    def resume(self) -> None:
        """Let it go on."""
        self._wanted.clear()

    def put(self, action: Action) -> Future[None]:
        """Have it done. Raises ``Conflict`` when the run is not held, or too much waits already.

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
        """The run is over."""
        with self._lock:
            self._closed = True
        self._let_go.set()
        self._refuse_rest()

    def heed(self) -> None:
        """Raise ``TakenOver`` when the run shall be held."""
        if self.is_wanted:
            raise TakenOver(_MESSAGE, source=HELD)

    def wait(self, desktop: Desktop, heed: Callable[[], None]) -> int:
        """Let go of everything, and wait until the run is resumed; tells how many actions were done meanwhile.

        A user who takes over meanwhile is none of its business, unless by the stop key. Raises what ``heed`` raises,
        ``DesktopLost``, and ``TakenOver`` when it was held for too long.
        """
        desktop.release()
        self._let_go.set()
        began, done = time.monotonic(), 0
        try:
            while self.is_wanted:
                heed()
                _check(desktop)
                if self._seconds and time.monotonic() - began > self._seconds:
                    raise TakenOver(f"It was held for {self._seconds / 60:g} minutes, as long as a run may be.")
                with suppress(queue.Empty):
                    done += self._do(self._given.get(timeout=_BEAT_SECONDS), desktop, heed)
            return done
        finally:
            self._let_go.clear()
            self._refuse_rest()

    def _do(self, given: _Given, desktop: Desktop, heed: Callable[[], None]) -> bool:
        def heed_both() -> None:
            heed()
            if not self.is_wanted:
                raise Conflict(_OVER)

        if not given.done.set_running_or_notify_cancel():
            return False
        try:
            heed_both()
            if _check(desktop):
                desktop.await_user(heed_both, quiet_seconds=0)
            desktop.act(given.action, heed_both)
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
    """Whether it is a person who holds the run, and no hand on the mouse."""
    return takeover.details.get("source") == HELD


def _check(desktop: Desktop) -> bool:
    """Whether the user has taken over; raises when that was by the stop key, or the display is gone."""
    try:
        desktop.heed()
    except TakenOver as takeover:
        if takeover.details.get("source") == _STOP_KEY:
            raise
        return True
    return False
