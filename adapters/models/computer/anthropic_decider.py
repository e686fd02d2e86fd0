"""The decider that asks Anthropic's models, by whichever computer tool the model takes."""

from __future__ import annotations

import asyncio
import logging
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

from adapters.key_kinds import ANTHROPIC, missing_key
from adapters.models.computer.anthropic_models import BETAS, family_of
from adapters.models.computer.briefings import instruction
from adapters.models.failures import Provider
from adapters.models.retry import RetryPolicy
from core.errors import InvalidCredentials, VaiderError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from core.deciding import Briefing
    from core.run_ports import Conversation, Eyes

_LOG = logging.getLogger(__name__)

ADDRESS: Final = "https://api.anthropic.com"
MODEL: Final = "claude-opus-4-6"


class AnthropicDecider:
    """Lets one of Anthropic's models decide.

    Args:
        key: finds the key.
        prompt: the instruction.
        task_prompt: the same for a task, with a place for its document.
        model: as Anthropic names it; a table says which computer tool and what history it takes.
        base_url: where its API is.
        tool: the computer tool's type, where the table is wrong or too old.
        retry: when to ask again.
        request_seconds: how long one request may be silent.

    """

    name = "anthropic"
    """How settings and answers call it."""

    def __init__(
        self,
        *,
        key: Callable[[], str | None],
        prompt: str,
        task_prompt: str,
        model: str = MODEL,
        base_url: str = ADDRESS,
        tool: str = "",
        retry: RetryPolicy | None = None,
        request_seconds: float = 300.0,
    ) -> None:
        self.model: Final = model
        """As Anthropic names it."""
        self._key = key
        self._prompt = prompt
        self._task_prompt = task_prompt
        self._family = family_of(model)
        self._tool = tool or self._family.tool
        self._retry = retry or RetryPolicy()
        self._request_seconds = request_seconds
        self._provider = Provider(
            title="Anthropic",
            address=base_url.rstrip("/"),
            key_place="ANTHROPIC_API_KEY",
            model=model,
            model_setting="replay_model",
            url_setting="anthropic_base_url",
            lighter="split the subtask",
        )

    def unavailable(self) -> str | None:
        """What is missing or wrong: key, model, tool, address."""
        try:
            if self._key() is None:
                return missing_key(ANTHROPIC)
        except VaiderError as error:
            return error.message
        if not self.model:
            return f"Set replay_model to one of Anthropic's models, such as {MODEL}."
        if self._tool not in BETAS:
            return f"There is no computer tool of that type; there are: {', '.join(BETAS)}."
        return self._provider.address_fault()

    @contextmanager
    def open(self, briefing: Briefing, eyes: Eyes) -> Generator[Conversation]:  # noqa: ARG002 - the port's; pictures are ours to encode
        """Begin a run. Raises ``InvalidCredentials`` without a key."""
        from adapters.models.computer.anthropic_api import AnthropicSession  # noqa: PLC0415 - the SDK takes a second
        from adapters.models.computer.anthropic_conversation import AnthropicConversation  # noqa: PLC0415 - with it

        key = self._key()
        fault = self.unavailable()
        if key is None or fault:
            raise InvalidCredentials(fault or missing_key(ANTHROPIC))
        _LOG.info("deciding with %s", self.model)
        with asyncio.Runner() as runner:
            session = AnthropicSession(
                runner=runner,
                key=key,
                provider=self._provider,
                retry=self._retry,
                request_seconds=self._request_seconds,
            )
            with closing(session):
                yield AnthropicConversation(
                    session,
                    briefing,
                    provider=self._provider,
                    family=self._family,
                    tool=self._tool,
                    prompt=instruction(briefing, self._prompt, self._task_prompt),
                )
