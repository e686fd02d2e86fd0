"""One run that Gemini decides: what it is sent, and what its replies mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from adapters.models.computer.function_tools import functions_for
from adapters.models.computer.gemini_actions import GeminiActions
from adapters.models.computer.gemini_messages import GeminiMessages
from adapters.models.computer.gemini_replies import read_turn, spent
from adapters.models.computer.held_keys import HeldKeys
from adapters.models.computer.screenshots import Frame, Limits
from core.errors import InvalidCall
from core.runs.deciding import Decision

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.models.computer.gemini_computer_api import GeminiComputerSession
    from adapters.models.failures import Provider
    from core.runs.deciding import Briefing, Observation, Subtask

LIMITS: Final = Limits(edge=3840)
"""Gemini scales as it needs; its coordinates are shares of the picture, so nothing is lost by that."""
_LEGACY: Final = ("gemini-2.5-", "gemini-3-flash-preview")
"""Models of the first generation of actions: they know no detection of injected prompts."""


class GeminiConversation:
    """One run; see ``core.runs.ports.Conversation``. What was said is forgotten with each subtask."""

    def __init__(self, session: GeminiComputerSession, briefing: Briefing, *, provider: Provider, prompt: str) -> None:
        self._session = session
        self._briefing = briefing
        self._provider = provider
        self._prompt = prompt
        self._frame = Frame(LIMITS)
        self._held = HeldKeys()
        self._actions = GeminiActions((briefing.width, briefing.height), self._held)
        self._messages: GeminiMessages | None = None
        self._unpaid: dict[str, int] = {}

    def begin(self, subtask: Subtask) -> None:
        """The next subtask, in a conversation of its own; what it must know stands in ``task_memory``."""
        self._messages = GeminiMessages(self._briefing, subtask)
        self._held.forget()

    def decide(self, observation: Observation, heed: Callable[[], None]) -> Decision:
        """What to do now."""
        if self._messages is None:
            raise InvalidCall("No subtask was begun.")
        contents = self._messages.next(observation, self._frame.show(observation.picture).png)
        reply = self._session.ask(self._body(contents), heed)
        for name, tokens in spent(reply).items():
            self._unpaid[name] = self._unpaid.get(name, 0) + tokens
        held = list(self._held.keys)
        turn = read_turn(reply, self._actions, self._provider)
        self._messages.commit(contents, observation, turn)
        if turn.fault:
            self._held.keys = held
            raise InvalidCall(turn.fault)
        usage, self._unpaid = self._unpaid, {}
        return Decision(
            proposals=turn.proposals,
            observation=turn.observation,
            task_memory=turn.task_memory,
            usage={**usage, "calls": 1},
        )

    def _body(self, contents: list[dict[str, Any]]) -> dict[str, Any]:
        computer: dict[str, Any] = {"environment": "ENVIRONMENT_DESKTOP"}
        if not self._provider.model.removeprefix("models/").startswith(_LEGACY):
            computer["enablePromptInjectionDetection"] = True
        declared = [
            {"name": each.name, "description": each.description, "parametersJsonSchema": each.parameters}
            for each in functions_for(self._briefing)
        ]
        return {
            "systemInstruction": {"parts": [{"text": self._prompt}]},
            "contents": contents,
            "tools": [{"computerUse": computer}, {"functionDeclarations": declared}],
        }
