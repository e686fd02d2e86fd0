"""The decider that asks a model for each step, over whichever API the model has, and can be stopped at any moment."""

from __future__ import annotations

import logging
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NotRequired, Protocol, TypedDict

from adapters.keys import missing_key
from adapters.models.api_formats import counts_of, sum_of
from adapters.models.computer.briefings import instruction
from adapters.models.computer.element_lines import element_lines
from adapters.models.computer.screenshots import Frame, Limits, Shown
from adapters.models.retry import Patience, RetryPolicy
from core.errors import InvalidCall, InvalidCredentials, VaiderError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from adapters.models.failures import Provider
    from adapters.models.http_client import ModelClient
    from core.accessibility import Accessibility
    from core.runs.deciding import Briefing, Decision, Observation, Subtask
    from core.runs.ports import Conversation, Eyes
    from core.screens import Space

    Ask = Callable[[dict[str, Any]], dict[str, Any]]
    """Sends the body of a request, and returns the JSON object that was answered."""


BEAT_SECONDS: Final = 0.05
"""A user who takes over is obeyed within 0.2 s."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Where a reply tells the tokens that it has cost: the object of the counts, and their names in it.

    What was read from a cache or written to it is input, what was thought is output.
    """

    place: str
    input: tuple[str, ...]
    output: tuple[str, ...]


class Wire(Protocol):
    """What differs between APIs: what a model is sent, and what its replies mean. One lives as long as a run."""

    limits: Limits
    """Of a picture."""
    tokens: Tokens

    @property
    def space(self) -> Space | None:
        """The coordinates in which the model speaks; ``None``: the pixels of the picture that it is sent."""
        ...

    def begin(self, subtask: Subtask, frame: Frame) -> None:
        """The next subtask, in a conversation of its own; what it must know stands in ``task_memory``."""
        ...

    def decide(self, observation: Observation, shown: Shown, ask: Ask) -> Decision:
        """Ask what to do now, once or more. Raises ``InvalidCall`` when the answer cannot be used."""
        ...


class ModelConversation:
    """Implements ``core.runs.ports.Conversation``.

    Args:
        wire: the API's.
        client: sends the requests.
        path: of a request, below the provider's address.
        retry: when to ask again.
        accessibility: what the display's programs tell of themselves; ``None`` when the model is not to read it.

    """

    def __init__(
        self,
        wire: Wire,
        client: ModelClient,
        path: str,
        retry: RetryPolicy,
        accessibility: Accessibility | None = None,
    ) -> None:
        self._wire = wire
        self._client = client
        self._path = path
        self._retry = retry
        self._accessibility = accessibility
        self._frame = Frame(wire.limits)
        self._begun = False
        self._unpaid: dict[str, int] = {}

    def begin(self, subtask: Subtask) -> None:
        """The next subtask; what was said in the last one is forgotten."""
        self._wire.begin(subtask, self._frame)
        self._begun = True

    def decide(self, observation: Observation, raise_if_cancelled: Callable[[], None]) -> Decision:
        """What to do now; see the port. What answers that could not be used have cost, the next decision counts."""
        if not self._begun:
            raise InvalidCall("No subtask was begun.")
        raise_if_cancelled()
        shown = self._frame.show(observation.picture)
        raise_if_cancelled()
        if self._accessibility is not None:
            observation = replace(observation, elements=self._elements(self._accessibility, observation, shown))
        patience = Patience(self._retry, raise_if_cancelled, BEAT_SECONDS)

        def ask(body: dict[str, Any]) -> dict[str, Any]:
            reply = self._client.post(self._path, body, patience)
            self._count(reply)
            return reply

        try:
            decision = self._wire.decide(observation, shown, ask)
        except InvalidCall:
            # The caller counts one call for an answer that could not be used.
            self._unpaid["calls"] = max(0, self._unpaid.get("calls", 0) - 1)
            raise
        usage, self._unpaid = self._unpaid, {}
        return decision.model_copy(update={"usage": usage})

    def _elements(self, accessibility: Accessibility, observation: Observation, shown: Shown) -> tuple[str, ...]:
        space = self._wire.space or shown.space
        size = observation.picture.width, observation.picture.height
        pids = {each.pid for each in observation.windows if each.pid is not None}
        tree = accessibility.read(pids)
        return element_lines(tree, observation.windows, lambda point: space.back(point, size))

    def _count(self, reply: dict[str, Any]) -> None:
        tokens = self._wire.tokens
        counts = counts_of(reply.get(tokens.place))
        spent = {
            "input_tokens": sum_of(counts, *tokens.input),
            "output_tokens": sum_of(counts, *tokens.output),
            "calls": 1,
        }
        for name, count in spent.items():
            self._unpaid[name] = self._unpaid.get(name, 0) + count


_LOG = logging.getLogger(__name__)


class Asking(TypedDict):
    """What holds for each model: how its key is found, what it is instructed, and how patiently it is asked."""

    key: Callable[[], str | None]
    prompt: str
    """The instruction."""
    task_prompt: str
    """The same for a task, with a place for its document."""
    elements: NotRequired[bool]
    """Whether it reads what programs tell of their elements, beside each screenshot."""
    retry: NotRequired[RetryPolicy | None]
    request_seconds: NotRequired[float]
    """How long one request may be silent."""


class ModelDecider:
    """Implements ``core.runs.ports.Decider``.

    Args:
        name: how settings and answers call it.
        provider: how it is spoken of, with the model's name and the address.
        path: of a request, below the address.
        headers: of each request, from the key.
        wire: makes what a run's model is sent and what its replies mean, from the briefing and the instruction.
        key_name: the key's name in ``adapters.keys``.
        asking: see there.
        needs_key: whether it can be asked without a key.
        fault: what is wrong with the model's name, or what is asked of it; ``None`` when nothing is.

    """

    chooses = True

    def __init__(
        self,
        name: str,
        provider: Provider,
        *,
        path: str,
        headers: Callable[[str], dict[str, str]],
        wire: Callable[[Briefing, str], Wire],
        key_name: str,
        asking: Asking,
        needs_key: bool = True,
        fault: str | None = None,
    ) -> None:
        self.name: Final = name
        self.model: Final = provider.model
        """As the provider names it."""
        self._provider = provider
        self._path = path
        self._headers = headers
        self._wire = wire
        self._key_name = key_name
        self._asking = asking
        self._needs_key = needs_key
        self._fault = fault

    def unavailable(self) -> str | None:
        """What is missing or wrong: key, model, address."""
        try:
            return self._lack(self._asking["key"]())
        except VaiderError as error:
            return error.message

    @contextmanager
    def open(self, briefing: Briefing, eyes: Eyes) -> Generator[Conversation]:
        """Begin a run; the key is held until it ends. Raises ``InvalidCredentials`` when something is missing."""
        from adapters.models.http_client import ModelClient  # noqa: PLC0415 - as above

        del eyes  # A model looks for itself.
        key = self._asking["key"]()
        lack = self._lack(key)
        if lack:
            raise InvalidCredentials(lack)
        _LOG.info("deciding with %s", self.model)
        asking = self._asking
        client = ModelClient(
            self._provider,
            key=key,
            headers=self._headers(key or ""),
            seconds=asking.get("request_seconds", 180.0),
            too_long=InvalidCall("The answer was endless: call one tool, with short arguments."),
        )
        with ExitStack() as stack:
            stack.enter_context(closing(client))
            accessibility = None
            if asking.get("elements") and briefing.session_bus:
                from adapters.desktop.accessibility.display import DisplayAccessibility  # noqa: PLC0415 - as above

                accessibility = stack.enter_context(closing(DisplayAccessibility(briefing.session_bus)))
            wire = self._wire(briefing, instruction(briefing, asking["prompt"], asking["task_prompt"]))
            retry = asking.get("retry") or RetryPolicy()
            yield ModelConversation(wire, client, self._path, retry, accessibility)

    def _lack(self, key: str | None) -> str | None:
        if self._needs_key and not key:
            return missing_key(self._key_name)
        return self._fault or self._provider.address_fault()
