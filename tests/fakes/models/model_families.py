"""All families of models at once: each on a server of its own that looks at the screenshots, with its real decider."""

from __future__ import annotations

import contextlib
import threading
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from adapters.models.computer.deciders import (
    anthropic_decider,
    gemini_decider,
    openai_compatible_decider,
    openai_decider,
)
from adapters.models.computer.providers import CUSTOM
from adapters.models.retry import RetryPolicy
from config.prompts import load_prompt
from tests.fakes.models import anthropic_messages, gemini, gemini_computer, openai_compatible_chat, openai_responses
from tests.fakes.models.anthropic_messages import FakeAnthropic
from tests.fakes.models.gemini_computer import FakeGeminiComputer
from tests.fakes.models.openai_compatible_chat import FakeOpenAiCompatible
from tests.fakes.models.openai_responses import FakeResponses
from tests.fakes.web.servers import Response

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from core.runs.ports import Decider
    from tests.fakes.runs.replaying import Make

NAMES = ("anthropic", "openai", "gemini", "tagged")


@dataclass(frozen=True)
class Families:
    """The servers by the name of their provider, and what makes the deciders that ask them."""

    servers: Mapping[str, Any]
    makers: Mapping[str, Make]
    _let_go: list[threading.Event] = field(default_factory=list[threading.Event])

    def script(self, provider: str, *responses: Response) -> None:
        """Let the next requests be answered so, instead of by sight."""
        self.servers[provider].script.extend(responses)

    def hang(self, provider: str) -> None:
        """Let the next request have no answer until the end of the test; then its connection is cut."""
        self._let_go.append(threading.Event())
        self.script(provider, Response(hold=self._let_go[-1], drop=True))

    def await_asked(self, provider: str) -> None:
        """Wait until all that was scripted has been asked for."""
        server = self.servers[provider]
        server.wait_for(lambda: not server.script)

    def close(self) -> None:
        """Let hanging requests go."""
        for event in self._let_go:
            event.set()


@contextlib.contextmanager
def model_families(retry: RetryPolicy | None = None, *, elements: bool = False) -> Generator[Families]:
    """The servers run while the block does; with ``elements`` their models read what programs tell."""
    asks: dict[str, Any] = {"retry": retry or RetryPolicy(), "elements": elements}
    prompt, task_prompt = load_prompt("computer_use").text, load_prompt("execution_agent").text
    prompts: dict[str, Any] = {"prompt": prompt, "task_prompt": task_prompt}
    tools = load_prompt("computer_use_tagged").text
    with_tools: dict[str, Any] = {name: f"{text}\n{tools}" for name, text in prompts.items()}
    with ExitStack() as stack:
        anthropic = stack.enter_context(FakeAnthropic(batches=True))
        openai = stack.enter_context(FakeResponses(batches=True))
        google = stack.enter_context(FakeGeminiComputer(together=True))
        compatible = stack.enter_context(FakeOpenAiCompatible())

        def to_anthropic(_: str | None) -> Decider:
            of: dict[str, Any] = {"base_url": anthropic.url, "model": "claude-opus-4-6"}
            return anthropic_decider(key=lambda: anthropic_messages.KEY, **prompts, **of, **asks)

        def to_openai(_: str | None) -> Decider:
            of: dict[str, Any] = {"base_url": openai.base_url, "model": openai_responses.MODEL}
            return openai_decider(key=lambda: openai_responses.KEY, **prompts, **of, **asks)

        def to_gemini(_: str | None) -> Decider:
            of: dict[str, Any] = {"base_url": google.url, "model": gemini_computer.MODEL}
            return gemini_decider(key=lambda: gemini.KEY, **prompts, **of, **asks)

        def to_openai_compatible(_: str | None) -> Decider:
            of: dict[str, Any] = {"base_url": compatible.base_url, "model": openai_compatible_chat.MODEL}
            return openai_compatible_decider(CUSTOM, key=lambda: openai_compatible_chat.KEY, **with_tools, **of, **asks)

        families = Families(
            dict(zip(NAMES, (anthropic, openai, google, compatible), strict=True)),
            dict(zip(NAMES, (to_anthropic, to_openai, to_gemini, to_openai_compatible), strict=True)),
        )
        stack.callback(families.close)
        yield families
