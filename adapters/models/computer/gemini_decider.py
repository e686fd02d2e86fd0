"""The decider that asks Gemini, by its own computer tool."""

from __future__ import annotations

import asyncio
import logging
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

from adapters.key_kinds import GEMINI, missing_key
from adapters.models.computer.briefings import instruction
from adapters.models.failures import Provider
from adapters.models.retry import RetryPolicy
from core.errors import InvalidCredentials, VaiderError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from core.deciding import Briefing
    from core.run_ports import Conversation, Eyes

_LOG = logging.getLogger(__name__)

ADDRESS: Final = "https://generativelanguage.googleapis.com"
MODEL: Final = "gemini-3.8-flash"


class GeminiComputerDecider:
    """Lets Gemini decide.

    Args:
        key: finds the key, when it is used.
        prompt: the instruction.
        task_prompt: the same for a task, with a place for its document.
        model: e.g. ``gemini-3.8-flash``.
        base_url: empty for Google's.
        api_version: ``v1beta`` has the computer tool.
        retry: when to ask again.
        request_seconds: how long one request may be silent.

    """

    name = "gemini"
    """How settings and answers call it."""

    def __init__(
        self,
        *,
        key: Callable[[], str | None],
        prompt: str,
        task_prompt: str,
        model: str = MODEL,
        base_url: str = "",
        api_version: str = "v1beta",
        retry: RetryPolicy | None = None,
        request_seconds: float = 180.0,
    ) -> None:
        self.model: Final = model
        """As Gemini names it."""
        self._key = key
        self._prompt = prompt
        self._task_prompt = task_prompt
        self._api_version = api_version
        self._retry = retry or RetryPolicy()
        self._request_seconds = request_seconds
        self._provider = Provider(
            title="Gemini",
            address=base_url.rstrip("/") or ADDRESS,
            key_place="GOOGLE_API_KEY or GEMINI_API_KEY",
            model=model,
            model_setting="gemini_model",
            url_setting="gemini_base_url",
            lighter="split the subtask",
        )

    def unavailable(self) -> str | None:
        """What is wrong with the key, the model or the address, if anything."""
        try:
            if not self._key():
                return missing_key(GEMINI)
        except VaiderError as error:
            return error.message
        return self._provider.address_fault() if self.model else f"Set gemini_model, e.g. to {MODEL}."

    @contextmanager
    def open(self, briefing: Briefing, eyes: Eyes) -> Generator[Conversation]:  # noqa: ARG002 - the port's; pictures are sent as they are
        """Begin a run; the key is held until it ends. Raises ``InvalidCredentials`` without one."""
        from adapters.models.computer.gemini_computer_api import (  # noqa: PLC0415 - the SDK is loaded when it is used
            GeminiComputerSession,
        )
        from adapters.models.computer.gemini_conversation import GeminiConversation  # noqa: PLC0415 - with it

        key = self._key()
        if not key:
            raise InvalidCredentials(missing_key(GEMINI))
        _LOG.info("deciding with %s", self.model)
        with asyncio.Runner() as runner:
            session = GeminiComputerSession(
                runner=runner,
                key=key,
                provider=self._provider,
                api_version=self._api_version,
                retry=self._retry,
                request_seconds=self._request_seconds,
            )
            with closing(session):
                yield GeminiConversation(
                    session,
                    briefing,
                    provider=self._provider,
                    prompt=instruction(briefing, self._prompt, self._task_prompt),
                )
