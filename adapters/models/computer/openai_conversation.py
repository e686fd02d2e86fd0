"""One run that one of OpenAI's models decides: what it is sent, and what its replies mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from adapters.models.computer.function_tools import functions_for
from adapters.models.computer.openai_items import Items
from adapters.models.computer.openai_replies import read_turn, spent
from adapters.models.computer.pixel_arguments import Sight
from adapters.models.computer.screenshots import Frame, Limits
from core.errors import InvalidCall
from core.runs.deciding import Decision

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.models.computer.function_tools import Function
    from adapters.models.computer.openai_api import OpenAiSession
    from adapters.models.failures import Provider
    from core.runs.deciding import Briefing, Observation, Subtask

LIMITS: Final = Limits(pixels=10_240_000)
"""Of a picture that is sent with ``detail: original``."""
_MAX_TOKENS: Final = 16_000


class OpenAiConversation:
    """One run; see ``core.runs.ports.Conversation``. What was said is forgotten with each subtask."""

    def __init__(self, session: OpenAiSession, briefing: Briefing, *, provider: Provider, prompt: str) -> None:
        self._session = session
        self._briefing = briefing
        self._provider = provider
        self._prompt = prompt
        self._frame = Frame(LIMITS)
        self._items: Items | None = None
        self._unpaid: dict[str, int] = {}

    def begin(self, subtask: Subtask) -> None:
        """The next subtask, in a conversation of its own; what it must know stands in ``task_memory``."""
        self._items = Items(self._briefing, subtask)

    def decide(self, observation: Observation, heed: Callable[[], None]) -> Decision:
        """What to do now. A refusal of the model raises ``ProviderError``: it is no answer to the subtask."""
        if self._items is None:
            raise InvalidCall("No subtask was begun.")
        heed()
        shown = self._frame.show(observation.picture)
        heed()
        request = self._items.next(observation, shown)
        reply = self._session.ask(self._body(request.items), heed)
        usage = spent(reply)
        for name, tokens in self._unpaid.items():
            usage[name] += tokens
        self._unpaid = usage
        desktop = (observation.picture.width, observation.picture.height)
        turn = read_turn(reply, Sight(shown.space, desktop), self._provider)
        self._items.commit(request, observation, turn)
        self._unpaid = {}
        return Decision(
            proposals=turn.proposals,
            observation=turn.observation,
            task_memory=turn.task_memory,
            usage={**usage, "calls": 1},
        )

    def _body(self, items: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "model": self._provider.model,
            "instructions": self._prompt,
            "input": items,
            "tools": [{"type": "computer"}, *map(_tool, functions_for(self._briefing))],
            "store": False,
            "include": ["reasoning.encrypted_content"],
            "truncation": "auto",
            "max_output_tokens": _MAX_TOKENS,
        }


def _tool(function: Function) -> dict[str, Any]:
    return {
        "type": "function",
        "name": function.name,
        "description": function.description,
        "parameters": function.parameters,
        "strict": False,
    }
