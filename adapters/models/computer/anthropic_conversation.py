"""One run that an Anthropic model decides: what it is sent, and what its replies mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters.models.computer.anthropic_messages import Messages, mark_for_cache
from adapters.models.computer.anthropic_models import BETAS, OLD_TOOL, TOOLSET
from adapters.models.computer.anthropic_replies import COMPUTER, read_turn, spent
from adapters.models.computer.function_tools import functions_for
from adapters.models.computer.pixel_arguments import Sight
from adapters.models.computer.screenshots import Frame
from core.errors import InvalidCall
from core.runs.deciding import Decision

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.models.computer.anthropic_api import AnthropicSession
    from adapters.models.computer.anthropic_models import Family
    from adapters.models.computer.function_tools import Function
    from adapters.models.computer.screenshots import Shown
    from adapters.models.failures import Provider
    from core.runs.deciding import Briefing, Observation, Subtask


class AnthropicConversation:
    """One run; see ``core.runs.ports.Conversation``. What was said is forgotten with each subtask."""

    def __init__(
        self,
        session: AnthropicSession,
        briefing: Briefing,
        *,
        provider: Provider,
        family: Family,
        tool: str,
        prompt: str,
    ) -> None:
        self._session = session
        self._briefing = briefing
        self._provider = provider
        self._family = family
        self._tool = tool
        self._prompt = prompt
        self._frame = Frame(family.limits)
        self._messages: Messages | None = None
        self._unpaid: dict[str, int] = {}

    def begin(self, subtask: Subtask) -> None:
        """The next subtask, in a conversation of its own; what it must know stands in ``task_memory``."""
        self._messages = Messages(self._briefing, subtask, self._frame, append_only=self._family.append_only)

    def decide(self, observation: Observation, heed: Callable[[], None]) -> Decision:
        """What to do now. A refusal of the model raises ``ProviderError``: it is no answer to the subtask."""
        if self._messages is None:
            raise InvalidCall("No subtask was begun.")
        heed()
        shown = self._frame.show(observation.picture)
        heed()
        messages = self._messages.next(observation, shown)
        reply = self._session.ask(self._body(messages, shown), BETAS[self._tool], heed)
        usage = spent(reply)
        for name, tokens in self._unpaid.items():
            usage[name] += tokens
        self._unpaid = usage
        desktop = (observation.picture.width, observation.picture.height)
        turn = read_turn(reply, Sight(shown.space, desktop), self._provider)
        self._messages.commit(messages, observation, turn)
        if turn.fault:
            raise InvalidCall(turn.fault)
        self._unpaid = {}
        return Decision(
            proposals=turn.proposals,
            observation=turn.observation,
            task_memory=turn.task_memory,
            usage={**usage, "calls": 1},
        )

    def _body(self, messages: list[dict[str, Any]], shown: Shown) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._provider.model,
            "max_tokens": self._family.max_tokens,
            "system": [{"type": "text", "text": self._prompt, "cache_control": {"type": "ephemeral"}}],
            "tools": [self._computer(shown), *map(_function, functions_for(self._briefing))],
            "messages": mark_for_cache(messages),
        }
        if self._family.thinks:
            # Without it the model's words between two calls arrive empty.
            body["thinking"] = {"type": "adaptive", "display": "summarized"}
        return body

    def _computer(self, shown: Shown) -> dict[str, Any]:
        if self._tool == TOOLSET:
            return {"type": TOOLSET, "configs": {"cursor_position": {"enabled": False}}}
        size = {"display_width_px": shown.width, "display_height_px": shown.height}
        zoom = {} if self._tool == OLD_TOOL else {"enable_zoom": True}
        return {"type": self._tool, "name": COMPUTER, **size, **zoom}


def _function(function: Function) -> dict[str, Any]:
    return {"name": function.name, "description": function.description, "input_schema": function.parameters}
