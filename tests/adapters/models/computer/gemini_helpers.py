"""The Gemini decider as the tests build it."""

from typing import Any

from adapters.models.computer.deciders import gemini_decider
from adapters.models.computer.model_decider import ModelDecider
from config.prompts import load_prompt
from tests.adapters.models.clip_helpers import QUICK
from tests.fakes.models.gemini import KEY
from tests.fakes.models.gemini_computer import MODEL, FakeGeminiComputer

PROMPT = load_prompt("computer_use").text


def decider(server: FakeGeminiComputer, *, key: str | None = KEY, **options: Any) -> ModelDecider:
    settings: dict[str, Any] = {"model": MODEL, "base_url": server.url, "retry": QUICK, **options}
    return gemini_decider(key=lambda: key, prompt=PROMPT, task_prompt=PROMPT, **settings)
