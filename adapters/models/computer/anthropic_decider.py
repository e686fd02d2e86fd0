"""The decider that asks Anthropic's models, by whichever computer tool the model takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.key_kinds import ANTHROPIC
from adapters.models.computer.anthropic_models import BETAS, family_of
from adapters.models.computer.model_decider import ModelDecider
from adapters.models.failures import Provider

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from adapters.models.computer.anthropic_api import AnthropicSession
    from adapters.models.retry import RetryPolicy
    from core.runs.deciding import Briefing
    from core.runs.ports import Conversation

ADDRESS: Final = "https://api.anthropic.com"
MODEL: Final = "claude-opus-4-6"


class AnthropicDecider(ModelDecider["AnthropicSession"]):
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
        super().__init__(
            Provider(
                title="Anthropic",
                address=base_url.rstrip("/"),
                key_place="ANTHROPIC_API_KEY",
                model=model,
                model_setting="replay_model",
                url_setting="anthropic_base_url",
                lighter="split the subtask",
            ),
            key=key,
            key_name=ANTHROPIC,
            prompt=prompt,
            task_prompt=task_prompt,
            retry=retry,
            request_seconds=request_seconds,
        )
        self._family = family_of(model)
        self._tool = tool or self._family.tool

    def _fault(self) -> str | None:
        if not self.model:
            return f"Set replay_model to one of Anthropic's models, such as {MODEL}."
        if self._tool not in BETAS:
            return f"There is no computer tool of that type; there are: {', '.join(BETAS)}."
        return None

    def _session(self, runner: asyncio.Runner, key: str) -> AnthropicSession:
        from adapters.models.computer.anthropic_api import AnthropicSession  # noqa: PLC0415 - the SDK takes a second

        return AnthropicSession(
            runner=runner,
            key=key,
            provider=self._provider,
            retry=self._retry,
            request_seconds=self._request_seconds,
        )

    def _conversation(self, session: AnthropicSession, briefing: Briefing, prompt: str) -> Conversation:
        from adapters.models.computer.anthropic_conversation import AnthropicConversation  # noqa: PLC0415 - only in a run

        return AnthropicConversation(
            session, briefing, provider=self._provider, family=self._family, tool=self._tool, prompt=prompt
        )
