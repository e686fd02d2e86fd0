"""Does the steps of a web session as a test does: no pointer is drawn, text comes at once, nothing rests for long."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Final, Literal

from playwright.sync_api import Error

from bench.world.hands import is_place
from bench.world.session import VERBS
from bench.world.web import Browsing

if TYPE_CHECKING:
    from bench.world.session import Step

_PACE: Final = 0.3
"""Of a person's rests: a test waits for what it looks for alone."""
_NOTCH_PX: Final = 100
_FILL_MS: Final = 500
_SELECTS_ALL: Final = "ctrl+a"
_BEHIND: Final = frozenset({"ctrl+End", "End"})
"""Keys after which text is added to what a field holds."""
_KEYS: Final = {"ctrl": "Control", "shift": "Shift", "alt": "Alt", "Return": "Enter", "BackSpace": "Backspace",
                "Up": "ArrowUp", "Down": "ArrowDown", "Left": "ArrowLeft", "Right": "ArrowRight"}  # fmt: skip


class Runner(Browsing):
    """Hands that are Playwright's own calls."""

    _is_behind = False

    def wait(self, seconds: float) -> None:
        """Rest for a part of the time."""
        super().wait(_PACE * seconds)

    def _do(self, step: Step) -> None:
        if step.words == _SELECTS_ALL:
            # What is filled replaces what a field holds.
            return
        target, point, began = "", None, time.time()
        value = step.words
        match step.verb:
            case "click" | "double" | "choose" | "right":
                target, point = self.find(step.words)
                began, value = time.time(), ""
                self._click(step.words, "right" if step.verb == "right" else "left", 1 + (step.verb == "double"))
            case "type":
                self._fill(step.words)
            case "press":
                for key in step.words.split():
                    self.page.keyboard.press("+".join(_KEYS.get(each, each) for each in key.split("+")))
            case "scroll":
                self.page.mouse.wheel(0, _NOTCH_PX * int(step.words))
            case _:
                self.visit(step.words)
        self._is_behind = step.verb == "press" and step.words in _BEHIND
        self._note(VERBS[step.verb], began, target=target, value=value, point=point)

    def _click(self, words: str, button: Literal["left", "right"], count: int) -> None:
        if is_place(words):
            x, y = map(int, re.findall(r"\d+", words))
            self.page.mouse.click(x, y, button=button, click_count=count)
        else:
            self.page.locator(words).locator("visible=true").first.click(button=button, click_count=count)

    def _fill(self, text: str) -> None:
        """Fill the field that has the focus; what is no field, or in a frame, gets the text at once as well."""
        if not self._is_behind:
            try:
                self.page.locator(":focus").fill(text, timeout=_FILL_MS)
            except Error:
                pass
            else:
                return
        self.page.keyboard.insert_text(text)
