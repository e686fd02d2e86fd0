"""The Gemini decider as the tests build it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters.models.computer.gemini_decider import GeminiComputerDecider
from config.prompts import load_prompt
from tests.adapters.models.clip_helpers import QUICK
from tests.fakes.gemini import KEY
from tests.fakes.gemini_computer import MODEL

if TYPE_CHECKING:
    from tests.fakes.gemini_computer import FakeGeminiComputer

PROMPT = load_prompt("computer_use").text


def decider(server: FakeGeminiComputer, *, key: str | None = KEY, **options: Any) -> GeminiComputerDecider:
    settings: dict[str, Any] = {"model": MODEL, "base_url": server.url, "retry": QUICK, **options}
    return GeminiComputerDecider(key=lambda: key, prompt=PROMPT, task_prompt=PROMPT, **settings)
