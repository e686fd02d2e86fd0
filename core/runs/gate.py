"""The gate for actions: which are always allowed, which need a person's approval, which are refused.

The gate looks at the action, at the application that it would reach and at the words it would hit. What a screen or a
model says can make it ask more often, never less.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, Literal

from core.actions import Action, Click, Drag, HoldKey, Key, OpenApp, OpenUrl, Press, Scroll, Type
from core.values import Value
from core.window_kinds import is_terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.runs.deciding import Proposal
    from core.screens import Point, TextLine, Window

RISKY_WORDS: Final = (
    "send", "pay", "delete", "submit", "buy", "order", "purchase", "checkout", "transfer", "remove", "erase", "format",
    "discard", "publish", "post", "confirm", "agree", "accept", "sign", "uninstall", "reset", "shut down", "restart",
)  # fmt: skip
_RISKY: Final = re.compile(rf"\b(?:{'|'.join(RISKY_WORDS)})\b", re.IGNORECASE)
_NEAR: Final = 8
"""Pixels around a line of text that still belong to its button."""
_INPUT: Final = (Click, Press, Drag, Scroll, Type, Key, HoldKey)


class GatePolicy(Value):
    """What the gate asks about. ``allow_apps`` empty = every application; patterns as in a shell, case ignored."""

    mode: Literal["allow", "confirm_risky"] = "allow"
    allow_apps: tuple[str, ...] = ()
    block_apps: tuple[str, ...] = ()


class Ruling(Value):
    """The gate's ruling on an action; ``reason`` is a sentence, or the question for the person."""

    ruling: Literal["allow", "ask", "refuse"]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Gate:
    """Rules on actions, the same for every decider."""

    policy: GatePolicy

    @property
    def needs_text(self) -> bool:
        """Whether the words on the screen matter."""
        return self.policy.mode == "confirm_risky"

    def rule(self, proposal: Proposal, action: Action, windows: Sequence[Window], lines: Sequence[TextLine]) -> Ruling:
        """Allow, ask or refuse; ``lines`` may be empty unless ``needs_text``."""
        application = _reached(action, windows)
        if application is not None:
            blocked = next((name for name in self.policy.block_apps if _fits(application, name)), None)
            if blocked is not None:
                return Ruling(ruling="refuse", reason=f"{application} is on the list of blocked applications.")
            if self.policy.allow_apps and not any(_fits(application, name) for name in self.policy.allow_apps):
                return Ruling(ruling="refuse", reason=f"{application or 'It'} is not among the allowed applications.")
        if proposal.safety:
            text = " ".join(check.message or check.code for check in proposal.safety)
            return Ruling(ruling="ask", reason=f"The model's provider wants this confirmed: {text}")
        if self.policy.mode == "confirm_risky":
            risk = _risk(action, application or "", lines)
            if risk:
                return Ruling(ruling="ask", reason=risk)
        return Ruling(ruling="allow")


def _reached(action: Action, windows: Sequence[Window]) -> str | None:
    """The application that would get the input; ``None`` when the action is none."""
    if isinstance(action, OpenApp):
        return action.name.rsplit("/", 1)[-1]
    if not isinstance(action, _INPUT):
        return None
    point = _point(action)
    hit = next((window for window in windows if point is not None and window.box.contains(point)), None)
    focused = next((window for window in windows if window.focused), None)
    window = hit if point is not None else focused
    return window.application if window is not None else ""


def _risk(action: Action, application: str, lines: Sequence[TextLine]) -> str:
    if isinstance(action, OpenApp):
        return f"Start {action.name}?"
    if isinstance(action, OpenUrl):
        return ""
    if isinstance(action, Type | Key | HoldKey) and is_terminal(application):
        return f"Type into the terminal {application}?"
    if isinstance(action, Key) and "enter" in action.keys:
        return "Press Enter, which may send or submit?"
    point = _point(action)
    if not isinstance(action, Click | Press | Drag) or point is None:
        return ""
    hit = next((line.text for line in lines if _is_near(line, point) and _RISKY.search(line.text)), None)
    return f'Click "{hit}"?' if hit is not None else ""


def _point(action: Action) -> Point | None:
    if isinstance(action, Drag):
        return action.path[-1]
    return action.at if isinstance(action, Click | Press | Scroll) else None


def _is_near(line: TextLine, point: Point) -> bool:
    box = line.box
    return (
        box.x - _NEAR <= point.x < box.x + box.width + _NEAR and box.y - _NEAR <= point.y < box.y + box.height + _NEAR
    )


def _fits(application: str, pattern: str) -> bool:
    return fnmatchcase(application.lower(), pattern.lower())
