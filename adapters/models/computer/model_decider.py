"""What deciders have in common that ask a model with a key of its provider's; what differs by wire is theirs."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from adapters.key_kinds import missing_key
from adapters.models.computer.briefings import instruction
from adapters.models.retry import RetryPolicy
from core.errors import InvalidCredentials, VaiderError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from adapters.models.computer.model_session import ModelSession
    from adapters.models.failures import Provider
    from core.runs.deciding import Briefing
    from core.runs.ports import Conversation, Eyes

SessionT = TypeVar("SessionT", bound="ModelSession")

_LOG = logging.getLogger(__name__)


class ModelDecider(ABC, Generic[SessionT]):
    """Implements ``core.runs.ports.Decider``.

    Args:
        provider: how it is spoken of, with the model's name and the address.
        key: finds the key.
        key_name: its name in ``adapters.key_kinds``.
        prompt: the instruction.
        task_prompt: the same for a task, with a place for its document.
        retry: when to ask again.
        request_seconds: how long one request may be silent.

    """

    name: str
    """How settings and answers call it."""
    chooses = True

    def __init__(
        self,
        provider: Provider,
        *,
        key: Callable[[], str | None],
        key_name: str,
        prompt: str,
        task_prompt: str,
        retry: RetryPolicy | None,
        request_seconds: float,
    ) -> None:
        self.model: Final = provider.model
        """As the provider names it."""
        self._provider = provider
        self._key = key
        self._key_name = key_name
        self._prompt = prompt
        self._task_prompt = task_prompt
        self._retry = retry or RetryPolicy()
        self._request_seconds = request_seconds

    def unavailable(self) -> str | None:
        """What is missing or wrong: key, model, address."""
        try:
            if not self._key():
                return missing_key(self._key_name)
        except VaiderError as error:
            return error.message
        return self._fault() or self._provider.address_fault()

    @contextmanager
    def open(self, briefing: Briefing, eyes: Eyes) -> Generator[Conversation]:  # noqa: ARG002 - the port's; pictures are ours to encode
        """Begin a run; the key is held until it ends. Raises ``InvalidCredentials`` without one."""
        key = self._key()
        fault = self.unavailable()
        if not key or fault:
            raise InvalidCredentials(fault or missing_key(self._key_name))
        _LOG.info("deciding with %s", self.model)
        with asyncio.Runner() as runner, closing(self._session(runner, key)) as session:
            yield self._conversation(session, briefing, instruction(briefing, self._prompt, self._task_prompt))

    @abstractmethod
    def _fault(self) -> str | None:
        """What is wrong with the model's name, or what is asked of it."""

    @abstractmethod
    def _session(self, runner: asyncio.Runner, key: str) -> SessionT:
        """What asks; the SDK is loaded here, which takes a second."""

    @abstractmethod
    def _conversation(self, session: SessionT, briefing: Briefing, prompt: str) -> Conversation:
        """What is said in a run."""
