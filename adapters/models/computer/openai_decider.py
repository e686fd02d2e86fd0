"""The decider that asks OpenAI's models through the Responses API's computer tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.key_kinds import OPENAI
from adapters.models.computer.model_decider import ModelDecider
from adapters.models.failures import Provider

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from adapters.models.computer.openai_api import OpenAiSession
    from adapters.models.retry import RetryPolicy
    from core.runs.deciding import Briefing
    from core.runs.ports import Conversation

ADDRESS: Final = "https://api.openai.com/v1"


class OpenAiDecider(ModelDecider["OpenAiSession"]):
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
        super().__init__(
            Provider(
                title="OpenAI",
                address=base_url.rstrip("/"),
                key_place="OPENAI_API_KEY",
                model=model,
                model_setting="replay_model",
                url_setting="openai_base_url",
                lighter="split the subtask",
            ),
            key=key,
            key_name=OPENAI,
            prompt=prompt,
            task_prompt=task_prompt,
            retry=retry,
            request_seconds=request_seconds,
        )

    def _fault(self) -> str | None:
        return None if self.model else "Set replay_model to one of OpenAI's models that take the computer tool."

    def _session(self, runner: asyncio.Runner, key: str) -> OpenAiSession:
        from adapters.models.computer.openai_api import OpenAiSession  # noqa: PLC0415 - the SDK takes a second

        return OpenAiSession(
            runner=runner,
            key=key,
            provider=self._provider,
            retry=self._retry,
            request_seconds=self._request_seconds,
        )

    def _conversation(self, session: OpenAiSession, briefing: Briefing, prompt: str) -> Conversation:
        from adapters.models.computer.openai_conversation import OpenAiConversation  # noqa: PLC0415 - only in a run

        return OpenAiConversation(session, briefing, provider=self._provider, prompt=prompt)
