"""The decider that asks OpenAI's models through the Responses API's computer tool."""

from __future__ import annotations

import asyncio
import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol

from adapters.key_kinds import OPENAI, missing_key
from adapters.models.computer.briefings import instruction
from adapters.models.computer.function_tools import FUNCTIONS
from adapters.models.computer.openai_items import Items
from adapters.models.computer.openai_replies import read_turn, spent
from adapters.models.computer.pixel_arguments import Sight
from adapters.models.computer.screenshots import Frame, Limits
from adapters.models.failures import Provider
from adapters.models.retry import RetryPolicy
from core.deciding import Decision
from core.errors import InvalidCall, InvalidCredentials, VaiderError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from adapters.models.computer.function_tools import Function
    from core.deciding import Briefing, Observation, Subtask
    from core.run_ports import Conversation, Eyes

_LOG = logging.getLogger(__name__)

ADDRESS: Final = "https://api.openai.com/v1"
LIMITS: Final = Limits(pixels=10_240_000)
"""Of a picture that is sent with ``detail: original``."""
_MAX_TOKENS: Final = 16_000


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
            try:
                yield OpenAiConversation(
                    session,
                    briefing,
                    provider=self._provider,
                    prompt=instruction(briefing, self._prompt, self._task_prompt),
                )
            finally:
                session.close()


class Asking(Protocol):
    """Sends one request and returns the response that comes; see ``OpenAiSession``."""

    def ask(self, body: dict[str, Any], heed: Callable[[], None]) -> dict[str, Any]:
        """One response."""
        ...


class OpenAiConversation:
    """One run; see ``core.run_ports.Conversation``. What was said is forgotten with each subtask."""

    def __init__(self, session: Asking, briefing: Briefing, *, provider: Provider, prompt: str) -> None:
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
            "tools": [{"type": "computer"}, *map(_tool, FUNCTIONS)],
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
