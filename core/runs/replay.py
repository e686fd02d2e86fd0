"""The use case: a workflow or a task and its values in, a run on a desktop, and an honest account of it."""

from __future__ import annotations

import secrets as tokens
import threading
import time
from typing import TYPE_CHECKING, Final

from core.errors import Conflict, InvalidRequest, NotFound
from core.provider_choice import unknown_provider, usable
from core.runs.execution import Execution, ReplayParts
from core.runs.run import Run, RunRequest, resolve_parameters, secrets_of, shown_values
from core.runs.task_run_subject import TaskRunSubject, WorkflowRunSubject
from core.secrets import Secrets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.ports import JobContext
    from core.runs.ports import Decider, RunSubject

_KEPT_SECONDS: Final = 3600.0


class Replay:
    """Carries out workflows and tasks, whichever front end asked for it.

    Sensitive values never get into a job's stored request: ``admit`` keeps them here, in memory, until the run begins.
    """

    def __init__(self, parts: ReplayParts) -> None:
        self._parts = parts
        self._held = HeldValues()

    @property
    def providers(self) -> Mapping[str, str | None]:
        """Each decider and what it lacks, ``None`` for those that can be used now."""
        return {name: make(None).unavailable() for name, make in self._parts.deciders.items()}

    def admit(self, request: RunRequest) -> RunRequest:
        """Validate a request before a job is made of it; returns the request as the job may store it.

        Raises ``CallerError``: no such workflow or task, an invalid one, a missing or unknown parameter, one without an
        effect, a provider or a display that cannot be used.
        """
        if request.reload is not None:
            request = self._reloading(request)
        if request.trial:
            request = _tried(request)
        subject = self._find(request)
        workflow = subject.workflow
        if subject.faults:
            raise InvalidRequest(subject.faults[0], faults="\n".join(subject.faults))
        values = resolve_parameters(workflow, subject.request.params)
        hidden = secrets_of(workflow, values)
        self._choose(request)
        lack = self._parts.desktops.unavailable(request.display)
        if lack is not None:
            raise Conflict(f"Display {request.display!r} cannot be used: {lack}")
        held = self._held.keep(hidden.values) if hidden.values else ""
        return subject.request.model_copy(update={"params": shown_values(workflow, values), "held": held})

    def run(self, request: RunRequest, context: JobContext) -> Run:
        """Carry it out; blocks until it is over.

        A run that ends otherwise than by success is a result as well, unless it was stopped or something failed
        outside of it. Raises any ``VaiderError``; the run's folder records it in each case.
        """
        hidden: Mapping[str, str] = self._held.take(request.held) if request.held else {}
        subject = self._find(request)
        secrets = Secrets(hidden)
        rendered = subject.rendered(request.params, secrets)
        decider = self._choose(request)
        kept = subject.open(context.job_id, list(hidden.values()))
        kept.rendered(rendered.model_dump(mode="json"))
        reload_extensions = self._parts.reload_extensions()
        shown = {name: value for name, value in request.params.items() if name not in hidden}
        reload_extension = (
            reload_extensions.reload_extension(subject, shown, secrets, context)
            if reload_extensions is not None
            else None
        )
        return Execution(self._parts, subject, rendered, secrets, decider, kept, context, reload_extension).carry_out()

    def _reloading(self, request: RunRequest) -> RunRequest:
        if request.task or request.workflow:
            raise InvalidRequest("Name a workflow, a task or what is cached, just one of them.")
        reload_extensions = self._parts.reload_extensions()
        if reload_extensions is None:
            raise Conflict("Reload is switched off; the setting `reload` switches it on.")
        return reload_extensions.admitted(request)

    def _find(self, request: RunRequest) -> RunSubject:
        reload_extensions = self._parts.reload_extensions() if request.reload is not None else None
        if reload_extensions is not None and not (request.task or request.workflow):
            return reload_extensions.subject(request)
        if bool(request.task) is bool(request.workflow):
            raise InvalidRequest("Name either a workflow or a task to carry out.")
        if request.task:
            return TaskRunSubject.find(request, self._parts)
        return WorkflowRunSubject.find(request, self._parts)

    def _choose(self, request: RunRequest) -> Decider:
        deciders = self._parts.deciders
        make = deciders.get(request.provider)
        if make is None:
            raise unknown_provider(request.provider, deciders, " for runs")
        return usable(request.provider, make(request.model))


def _tried(request: RunRequest) -> RunRequest:
    """The same where it disturbs nobody. Raises ``InvalidRequest``: it is no task."""
    if not request.task:
        raise InvalidRequest("Only a task is tried: name one.")
    return request.model_copy(update={"display": "private"}) if request.display == "current" else request


class HeldValues:
    """Sensitive values between a request and its run: in memory only, for an hour at most."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, Mapping[str, str]]] = {}
        self._lock = threading.Lock()

    def keep(self, values: Mapping[str, str]) -> str:
        """Store them; returns a ticket."""
        ticket = tokens.token_hex(8)
        now = time.monotonic()
        with self._lock:
            self._kept = {key: kept for key, kept in self._kept.items() if now - kept[0] < _KEPT_SECONDS}
            self._kept[ticket] = (now, values)
        return ticket

    def take(self, ticket: str) -> Mapping[str, str]:
        """Get them back, once. Raises ``NotFound``."""
        with self._lock:
            kept = self._kept.pop(ticket, None)
        if kept is None:
            raise NotFound("The run's sensitive values are no longer here, for they are never stored: start it again.")
        return kept[1]
