"""The decider that asks Gemini, by its own computer tool."""

from __future__ import annotations

import asyncio
import logging
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol

from adapters.key_kinds import GEMINI, missing_key
from adapters.models.computer.briefings import instruction
from adapters.models.computer.function_tools import FUNCTIONS
from adapters.models.computer.gemini_actions import GeminiActions
from adapters.models.computer.gemini_messages import GeminiMessages
from adapters.models.computer.gemini_replies import read_turn, spent
from adapters.models.computer.held_keys import HeldKeys
from adapters.models.computer.screenshots import Frame, Limits
from adapters.models.failures import Provider
from adapters.models.retry import RetryPolicy
from core.deciding import Decision
from core.errors import InvalidCall, InvalidCredentials, VaiderError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from core.deciding import Briefing, Observation, Subtask
    from core.run_ports import Eyes

_LOG = logging.getLogger(__name__)

ADDRESS: Final = "https://generativelanguage.googleapis.com"
MODEL: Final = "gemini-3.8-flash"
LIMITS: Final = Limits(edge=3840)
"""Gemini scales as it needs; its coordinates are shares of the picture, so nothing is lost by that."""
_LEGACY: Final = ("gemini-2.5-", "gemini-3-flash-preview")
"""Models of the first generation of actions: they know no detection of injected prompts."""


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
    def open(self, briefing: Briefing, eyes: Eyes) -> Generator[GeminiConversation]:  # noqa: ARG002 - the port's; pictures are sent as they are
        """Begin a run; the key is held until it ends. Raises ``InvalidCredentials`` without one."""
        from adapters.models.computer.gemini_computer_api import (  # noqa: PLC0415 - the SDK is loaded when it is used
            GeminiComputerSession,
        )

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


class Asking(Protocol):
    """Sends one request and returns the answer's JSON; see ``GeminiComputerSession``."""

    def ask(self, body: dict[str, Any], heed: Callable[[], None]) -> dict[str, Any]:
        """One answer."""
        ...


class GeminiConversation:
    """One run; see ``core.run_ports.Conversation``. What was said is forgotten with each subtask."""

    def __init__(self, session: Asking, briefing: Briefing, *, provider: Provider, prompt: str) -> None:
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
            for each in FUNCTIONS
        ]
        return {
            "systemInstruction": {"parts": [{"text": self._prompt}]},
            "contents": contents,
            "tools": [{"computerUse": computer}, {"functionDeclarations": declared}],
        }
