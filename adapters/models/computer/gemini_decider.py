"""The decider that asks Gemini, by its own computer tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.key_kinds import GEMINI
from adapters.models.computer.model_decider import ModelDecider
from adapters.models.failures import Provider

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from adapters.models.computer.gemini_computer_api import GeminiComputerSession
    from adapters.models.retry import RetryPolicy
    from core.runs.deciding import Briefing
    from core.runs.ports import Conversation

ADDRESS: Final = "https://generativelanguage.googleapis.com"
MODEL: Final = "gemini-3.8-flash"


class GeminiComputerDecider(ModelDecider["GeminiComputerSession"]):
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
        super().__init__(
            Provider(
                title="Gemini",
                address=base_url.rstrip("/") or ADDRESS,
                key_place="GOOGLE_API_KEY or GEMINI_API_KEY",
                model=model,
                model_setting="gemini_model",
                url_setting="gemini_base_url",
                lighter="split the subtask",
            ),
            key=key,
            key_name=GEMINI,
            prompt=prompt,
            task_prompt=task_prompt,
            retry=retry,
            request_seconds=request_seconds,
        )
        self._api_version = api_version

    def _fault(self) -> str | None:
        return None if self.model else f"Set gemini_model, e.g. to {MODEL}."

    def _session(self, runner: asyncio.Runner, key: str) -> GeminiComputerSession:
        from adapters.models.computer.gemini_computer_api import GeminiComputerSession  # noqa: PLC0415 - the SDK takes a second

        return GeminiComputerSession(
            runner=runner,
            key=key,
            provider=self._provider,
            api_version=self._api_version,
            retry=self._retry,
            request_seconds=self._request_seconds,
        )

    def _conversation(self, session: GeminiComputerSession, briefing: Briefing, prompt: str) -> Conversation:
        from adapters.models.computer.gemini_conversation import GeminiConversation  # noqa: PLC0415 - only in a run

        return GeminiConversation(session, briefing, provider=self._provider, prompt=prompt)
