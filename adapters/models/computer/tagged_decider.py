"""The decider that speaks in tagged text, over any OpenAI-compatible server."""

from __future__ import annotations

import asyncio
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Final

from adapters.key_kinds import KEY_KINDS, REPLAY, missing_key
from adapters.models.computer.briefings import (
    instruction,
)
from adapters.models.failures import Provider
from adapters.models.retry import RetryPolicy
from core.errors import VaiderError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from core.runs.deciding import Briefing
    from core.runs.ports import Conversation, Eyes


class TaggedDecider:
    """Asks a vision model for one ``<tool_call>`` at a time; nothing of a picture is kept but the newest.

    Args:
        name: how settings and answers call it.
        model: as the server names it; empty when it is not set.
        base_url: of the API, e.g. ``http://127.0.0.1:11434/v1``.
        key: finds the key, when it is used.
        prompt: the system prompt, with the tools' signatures.
        task_prompt: the same for a task, with a place for its document.
        title: how the server is spoken of.
        key_name: its key's name in ``adapters.key_kinds``.
        example: a model's name, for advice.
        needs_key: whether it can be asked without a key.
        extra: further fields of each request.
        retry: when to ask again.
        request_seconds: how long one request may be silent.

    """

    chooses = True

    def __init__(
        self,
        *,
        name: str,
        model: str,
        base_url: str,
        key: Callable[[], str | None],
        prompt: str,
        task_prompt: str,
        title: str = "The model server",
        key_name: str = REPLAY,
        example: str = "qwen3-vl-plus",
        needs_key: bool = False,
        extra: Mapping[str, Any] | None = None,
        retry: RetryPolicy | None = None,
        request_seconds: float = 180.0,
    ) -> None:
        self.name: Final = name
        self.model: Final = model
        self._key = key
        self._prompt = prompt
        self._task_prompt = task_prompt
        self._example = example
        self._key_name = key_name
        self._needs_key = needs_key
        self._extra = extra or {}
        self._retry = retry or RetryPolicy()
        self._request_seconds = request_seconds
        self._provider = Provider(
            title=title,
            address=base_url.rstrip("/"),
            key_place=" or ".join(KEY_KINDS[key_name].variables),
            model=model,
            model_setting="tagged_model (REPLAY_MODEL)",
            url_setting="tagged_base_url",
            lighter="use a smaller display",
        )

    def unavailable(self) -> str | None:
        """Which setting or key is missing, or what is wrong with it."""
        if not self.model:
            return (
                f"Set REPLAY_MODEL to the model's name as {self._provider.title} spells it, e.g. {self._example}: "
                "there is no default."
            )
        try:
            if self._key() is None and self._needs_key:
                return missing_key(self._key_name)
        except VaiderError as error:
            return error.message
        return self._provider.address_fault()

    @contextmanager
    def open(self, briefing: Briefing, eyes: Eyes) -> Generator[Conversation]:
        """Begin a run; the key is held until it ends."""
        from adapters.models.computer.tagged_api import ChatSession  # noqa: PLC0415 - the SDK is loaded when it is used
        from adapters.models.computer.tagged_conversation import TaggedConversation  # noqa: PLC0415 - with it

        del eyes
        with asyncio.Runner() as runner:
            session = ChatSession(
                runner=runner,
                key=self._key(),
                provider=self._provider,
                extra=self._extra,
                retry=self._retry,
                request_seconds=self._request_seconds,
            )
            with closing(session):
                yield TaggedConversation(
                    briefing, session, self._provider, instruction(briefing, self._prompt, self._task_prompt)
                )
