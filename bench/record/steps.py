"""The words that sessions are written in: a session is a script of steps, and a bare number is a rest in seconds.

Every step is done by the stage that is driven: a ``Browser``, a ``Terminal`` or a ``Program``.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

T = TypeVar("T")
Step = Callable[[Any], None]
WANDERING_STEPS = 34
"""Moves of a glide that takes three quarters of a second."""


def script(*steps: Step | float) -> Step:
    """One step made of several, in their order."""

    def play(stage: Any) -> None:
        for step in steps:
            if callable(step):
                step(stage)
            else:
                stage.wait(step)

    return play


def look(stage: Any) -> None:
    """Note every word that stands on the screen now."""
    stage.calm()


def click(*names: str) -> Step:
    """Glide to a thing and click it, then to the next."""
    return _each(lambda stage, name: stage.click(name), names)


def double_click(name: str) -> Step:
    """Glide to a thing and click it twice."""
    return lambda stage: stage.click(name, 2)


def write(text: str, pace_ms: int = 140) -> Step:
    """Type letter by letter where the focus is."""
    return lambda stage: stage.write(text, pace_ms)


def press(*keys: str) -> Step:
    """Press and release keys by their X names, one after another."""
    return _each(lambda stage, key: stage.screen.press(key), keys)


def glide(x: int, y: int) -> Step:
    """Move the pointer there as a hand does."""
    return lambda stage: stage.screen.glide(x, y)


def wander(*places: tuple[int, int], rest: float = 0.0) -> Step:
    """Move the pointer about without any aim."""

    def go(stage: Any, place: tuple[int, int]) -> None:
        stage.screen.glide(*place, steps=WANDERING_STEPS)
        stage.wait(rest)

    return _each(go, places)


def wheel(notches: int) -> Step:
    """Turn the wheel down, up when negative."""
    return lambda stage: stage.screen.wheel(notches)


def run(code: str) -> Step:
    """Let the page do something by itself."""
    return lambda stage: stage.run(code)


def visit(page: str) -> Step:
    """Load another page."""
    return lambda stage: stage.open(page)


def send(command: str, seconds: float) -> Step:
    """Write a command into a terminal, send it, and wait for what it does."""
    return script(write(command), 0.7, press("Return"), seconds)


def _each(do: Callable[[Any, T], None], things: Iterable[T]) -> Step:
    """The same with one thing after another."""

    def play(stage: Any) -> None:
        for thing in things:
            do(stage, thing)

    return play
