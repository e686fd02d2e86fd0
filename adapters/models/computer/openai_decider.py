"""The decider that asks OpenAI's models through the Responses API's computer tool."""

from __future__ import annotations

import asyncio
import logging
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

from adapters.key_kinds import OPENAI, missing_key
from adapters.models.computer.briefings import instruction
from adapters.models.failures import Provider
from adapters.models.retry import RetryPolicy
from core.errors import InvalidCredentials, VaiderError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from core.deciding import Briefing
    from core.run_ports import Conversation, Eyes

_LOG = logging.getLogger(__name__)

ADDRESS: Final = "https://api.openai.com/v1"


class OpenAiDecider:
    """Lets one of OpenAI's models decide.

    Nothing is stored with OpenAI (``store: false``): every request holds the whole subtask, with the model's reasoning
    as OpenAI has encrypted it.

    Args:
        key: finds the key.
        prompt: the instruction.
        task_prompt: the same for a task, with a place for its document.
        model: as OpenAI names it; one that takes the ``computer`` tool.
        base_url: where its API is, with the version.
        retry: when to ask again.
        request_seconds: how long one request may be silent.

    """

    name = "openai"
    """How settings and answers call it."""

    def __init__(
        self,
        *,
        key: Callable[[], str | None],
        prompt: str,
        task_prompt: str,
        model: str,
        base_url: str = ADDRESS,
        retry: RetryPolicy | None = None,
        request_seconds: float = 300.0,
    ) -> None:
        self.model: Final = model
        """As OpenAI names it."""
        self._key = key
        self._prompt = prompt
        self._task_prompt = task_prompt
        self._retry = retry or RetryPolicy()
        self._request_seconds = request_seconds
        self._provider = Provider(
            title="OpenAI",
            address=base_url.rstrip("/"),
            key_place="OPENAI_API_KEY",
            model=model,
            model_setting="replay_model",
            url_setting="openai_base_url",
            lighter="split the subtask",
        )

    def unavailable(self) -> str | None:
        """What is missing or wrong: key, model, address."""
        try:
            if self._key() is None:
                return missing_key(OPENAI)
        except VaiderError as error:
            return error.message
        if not self.model:
            return "Set replay_model to one of OpenAI's models that take the computer tool."
        return self._provider.address_fault()

    @contextmanager
    def open(self, briefing: Briefing, eyes: Eyes) -> Generator[Conversation]:  # noqa: ARG002 - the port's; pictures are ours to encode
        """Begin a run. Raises ``InvalidCredentials`` without a key."""
        from adapters.models.computer.openai_api import OpenAiSession  # noqa: PLC0415 - the SDK takes a second
        from adapters.models.computer.openai_conversation import OpenAiConversation  # noqa: PLC0415 - with it

        key = self._key()
        fault = self.unavailable()
        if key is None or fault:
            raise InvalidCredentials(fault or missing_key(OPENAI))
        _LOG.info("deciding with %s", self.model)
        with asyncio.Runner() as runner:
            session = OpenAiSession(
                runner=runner,
                key=key,
                provider=self._provider,
                retry=self._retry,
                request_seconds=self._request_seconds,
            )
            with closing(session):
                yield OpenAiConversation(
                    session,
                    briefing,
                    provider=self._provider,
                    prompt=instruction(briefing, self._prompt, self._task_prompt),
                )
