"""The decider that asks Anthropic's models, by whichever computer tool the model takes."""

from __future__ import annotations

import asyncio
import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol

from adapters.key_kinds import ANTHROPIC, missing_key
from adapters.models.computer.anthropic_messages import Messages, mark_for_cache
from adapters.models.computer.anthropic_models import BETAS, OLD_TOOL, TOOLSET, family_of
from adapters.models.computer.anthropic_replies import COMPUTER, read_turn, spent
from adapters.models.computer.briefings import instruction
from adapters.models.computer.function_tools import FUNCTIONS
from adapters.models.computer.pixel_arguments import Sight
from adapters.models.computer.screenshots import Frame
from adapters.models.failures import Provider
from adapters.models.retry import RetryPolicy
from core.deciding import Decision
from core.errors import InvalidCall, InvalidCredentials, VaiderError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from adapters.models.computer.anthropic_models import Family
    from adapters.models.computer.function_tools import Function
    from adapters.models.computer.screenshots import Shown
    from core.deciding import Briefing, Observation, Subtask
    from core.run_ports import Conversation, Eyes

_LOG = logging.getLogger(__name__)

ADDRESS: Final = "https://api.anthropic.com"
MODEL: Final = "claude-opus-4-6"


class AnthropicDecider:
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
    """How settings and answers call it."""

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
        self.model: Final = model
        """As Anthropic names it."""
        self._key = key
        self._prompt = prompt
        self._task_prompt = task_prompt
        self._family = family_of(model)
        self._tool = tool or self._family.tool
        self._retry = retry or RetryPolicy()
        self._request_seconds = request_seconds
        self._provider = Provider(
            title="Anthropic",
            address=base_url.rstrip("/"),
            key_place="ANTHROPIC_API_KEY",
            model=model,
            model_setting="replay_model",
            url_setting="anthropic_base_url",
            lighter="split the subtask",
        )

    def unavailable(self) -> str | None:
        """What is missing or wrong: key, model, tool, address."""
        try:
            if self._key() is None:
                return missing_key(ANTHROPIC)
        except VaiderError as error:
            return error.message
        if not self.model:
            return f"Set replay_model to one of Anthropic's models, such as {MODEL}."
        if self._tool not in BETAS:
            return f"There is no computer tool of that type; there are: {', '.join(BETAS)}."
        return self._provider.address_fault()

    @contextmanager
    def open(self, briefing: Briefing, eyes: Eyes) -> Generator[Conversation]:  # noqa: ARG002 - the port's; pictures are ours to encode
        """Begin a run. Raises ``InvalidCredentials`` without a key."""
        from adapters.models.computer.anthropic_api import AnthropicSession  # noqa: PLC0415 - the SDK takes a second

        key = self._key()
        fault = self.unavailable()
        if key is None or fault:
            raise InvalidCredentials(fault or missing_key(ANTHROPIC))
        _LOG.info("deciding with %s", self.model)
        with asyncio.Runner() as runner:
            session = AnthropicSession(
                runner=runner,
                key=key,
                provider=self._provider,
                retry=self._retry,
                request_seconds=self._request_seconds,
            )
            try:
                yield AnthropicConversation(
                    session,
                    briefing,
                    provider=self._provider,
                    family=self._family,
                    tool=self._tool,
                    prompt=instruction(briefing, self._prompt, self._task_prompt),
                )
            finally:
                session.close()


class Asking(Protocol):
    """Sends one request and returns the message that comes; see ``AnthropicSession``."""

    def ask(self, body: dict[str, Any], beta: str | None, heed: Callable[[], None]) -> dict[str, Any]:
        """One message."""
        ...


class AnthropicConversation:
    """One run; see ``core.run_ports.Conversation``. What was said is forgotten with each subtask."""

    def __init__(
        self, session: Asking, briefing: Briefing, *, provider: Provider, family: Family, tool: str, prompt: str
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
            "tools": [self._computer(shown), *map(_function, FUNCTIONS)],
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
