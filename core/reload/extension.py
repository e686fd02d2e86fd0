"""Reload in a run: what is offered to its decider, what is replayed for it, and the entry that is made of it."""

from __future__ import annotations

import json
import logging
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from core.errors import Conflict, InvalidRequest, NotFound, VaiderError
from core.reload.build_entry import build_draft
from core.reload.context import Look
from core.reload.entry import Entry, SlotKind
from core.reload.entry_keys import keys_of, origin_of, phrasings
from core.reload.offers import MOST_PROMPTED, NOT_FOUND, Option, Question
from core.reload.ports import EntryStore, Programs, Surroundings, Targets
from core.reload.recording import SequenceRecorder
from core.reload.replays.replaying import Replaying, WholeReplay
from core.reload.replays.replaying_session import ReplayingSession
from core.runs.run import ReplayRequest, Run, RunOutcome, RunRequest
from core.workflows.workflow import Plan, PlannedSubtask, Workflow

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from core.ports import JobContext
    from core.reload.options import ActionCacheOptions
    from core.runs.ports import Conversation, Desktop, Eyes, RunFolder, Runs, RunSubject
    from core.secrets import Secrets


@dataclass(frozen=True)
class CachedRunSubject:
    """Implements ``core.runs.ports.RunSubject``: the request in words is all that a decider can go on by."""

    request: RunRequest
    entry: Entry
    runs: Runs
    root: str

    @property
    def workflow(self) -> Workflow:
        """The request as one subtask, with its values."""
        values = dict(self.entry.values())
        if self.request.reload is not None:
            values |= self.request.reload.values
        asked = self.entry.requests[0].filled(values) if self.entry.requests else self.entry.summary
        return Workflow(
            task_name=self.entry.summary or self.entry.id,
            task_description_user=asked,
            detailed_task_description=asked,
            success_criteria=self.entry.success_criteria.filled(values),
            plan=Plan(subtasks=(PlannedSubtask(subtask_i=0, text=asked),)),
        )

    @property
    def faults(self) -> Sequence[str]:
        """None: which slots may have other values is known of each."""
        return ()

    def rendered(self, values: Mapping[str, str], secrets: Secrets) -> Workflow:
        """Its values are filled in already."""
        del values, secrets
        return self.workflow

    def open(self, job_id: str, secrets: Sequence[str]) -> RunFolder:
        """See the port."""
        return self.runs.open(self.root, job_id, secrets)

    def conclude(self, run: Run, *, blocked: bool) -> Run:
        """Return the run unchanged, because an entry keeps no questions."""
        del blocked
        return run


_LOG: Final = logging.getLogger("vaider.reload")
_STOPPED: Final = frozenset({RunOutcome.CANCELLED, RunOutcome.TAKEN_OVER})


@dataclass(frozen=True)
class ActionCacheExtensions:
    """Implements ``core.runs.ports.ActionCacheExtensions``.

    Args:
        entries: where entries are kept.
        options: finds what may be done again.
        targets: cuts and finds anchors.
        programs: tells windows apart.
        runs: where runs are kept that replay what a client carried out.
        root: the folder of those runs.
        records: whether what succeeds becomes an entry.
        automatic: whether what is the same is replayed without asking the decider.

    """

    entries: EntryStore
    options: ActionCacheOptions
    targets: Callable[[], Targets]
    programs: Programs
    runs: Runs
    root: str
    records: bool = True
    automatic: bool = False

    def admitted(self, request: RunRequest) -> RunRequest:
        """The request with what its entry says, if it names one.

        Raises ``NotFound``: no such entry, or the offer is over. ``Conflict``: it is stale, it cannot have these
        values, or its actions are not Vaider's.
        """
        wanted = request.reload
        if wanted is None:
            return request
        chosen = self.options.book.chosen(wanted.cache_id)
        entry = self.options.entry(chosen.cache_id)
        if entry.vocabulary != "desktop":
            raise Conflict(f"{entry.id} holds actions of another front end: they are emitted, not carried out here.")
        stale = self.options.stale(entry)
        if stale:
            raise Conflict(f"{stale} Proceed manually.")
        given = {**chosen.values, **wanted.values, **request.params}
        _check(entry, given, wanted)
        values = {**entry.values(), **given}
        named = {
            "workflow": entry.origin.name if entry.origin.kind == "workflow" else "",
            "task": entry.origin.name if entry.origin.kind == "task" else "",
        }
        reload = ReplayRequest(
            cache_id=entry.id,
            skip_indices=wanted.skip_indices,
            values={
                slot.name: values[slot.name]
                for slot in entry.slots
                if slot.kind is SlotKind.VALUE and slot.name in values
            },
        )
        return request.model_copy(
            update={**named, "params": values if entry.origin.kind != "client" else {}, "reload": reload}
        )

    def subject(self, request: RunRequest) -> RunSubject:
        """What a run of a client's entry carries out. Raises ``NotFound``."""
        if request.reload is None:
            raise NotFound(NOT_FOUND)
        return CachedRunSubject(request, self.options.entry(request.reload.cache_id), self.runs, self.root)

    def reload_extension(
        self, subject: RunSubject, params: Mapping[str, str], secrets: Secrets, context: JobContext
    ) -> ActionCacheExtension:
        """The one of a run. ``params`` are its values, sensitive ones not among them."""
        return ActionCacheExtension(self, subject, params, secrets, context)


@dataclass
class ActionCacheExtension:
    """Implements ``core.runs.ports.ActionCacheExtension``."""

    parts: ActionCacheExtensions
    subject: RunSubject
    params: Mapping[str, str]
    secrets: Secrets
    context: JobContext
    _offered: tuple[Option, ...] = ()
    _whole_replay: WholeReplay | None = None
    _replaying: Replaying | None = None
    _recorder: SequenceRecorder | None = None
    _size: tuple[int, int] | None = None

    def offered(self, desktop: Desktop, eyes: Eyes, *, chooses: bool) -> str:
        """The block for the decider, empty when nothing is offered, or the whole run is a replay."""
        self._size = desktop.size
        with _log_and_continue("offering"):
            self._arm(desktop, eyes)
        if not chooses or self._whole_replay is not None or self.subject.request.reload is not None:
            return ""
        with _log_and_continue("offering"):
            self._offered = self._options(_surroundings(desktop), eyes)
        return _block(self._offered)

    def _options(self, now: Surroundings, eyes: Eyes) -> tuple[Option, ...]:
        """What was recorded of just this workflow or task, else what is the same by its words."""
        origin, options = origin_of(self.subject), self.parts.options
        found = options.recorded(origin, self.params, MOST_PROMPTED, now=now, reader=eyes)
        if found:
            return found
        asked = phrasings(origin, self.subject.workflow)[0].filled(self.params)
        nearest = options.options(Question(request=asked), MOST_PROMPTED, Look(options.context, now, eyes))
        return tuple(each for each in nearest if each.match == "same")

    def wrap_conversation(self, conversation: Conversation, eyes: Eyes) -> Conversation:
        """The decider's conversation with reload beside it."""
        targets = self.parts.targets()
        records = self.parts.records and self._whole_replay is None
        if records:
            self._recorder = SequenceRecorder(eyes, targets, self.parts.programs, self.params, self.secrets)
        self._replaying = Replaying(
            entries=self.parts.entries,
            book=self.parts.options.book,
            targets=targets,
            programs=self.parts.programs,
            eyes=eyes,
            secrets=self.secrets,
            context=self.context,
            whole_replay=self._whole_replay,
            offered=frozenset(each.cache_id for each in self._offered),
        )
        return ReplayingSession(conversation, self._replaying, self._recorder)

    def concluded(self, run: Run) -> Run:
        """Count what was replayed, keep what was done; the run with its account. Raises nothing."""
        with _log_and_continue(run.run_id):
            if self._replaying is not None:
                # Where nothing says how success looks, nothing says that it did not succeed.
                is_reported = run.outcome not in _STOPPED and (
                    run.outcome is not RunOutcome.UNCLEAR
                    or (run.success_check is not None and run.success_check.verdict == "fail")
                )
                succeeded = run.outcome is RunOutcome.SUCCEEDED if is_reported else None
                spent = {"took_ms": run.duration_ms, "calls": run.spent.model_calls}
                account = self._replaying.concluded(succeeded, run.reason, **spent)
                run = run.model_copy(update={"reload": account})
            # What a person did for it is in no entry.
            if self._recorder is not None and run.outcome is RunOutcome.SUCCEEDED and not run.inputs:
                run = run.model_copy(update={"entry": self._keep(run, self._recorder)})
        return run

    def _keep(self, run: Run, recorder: SequenceRecorder) -> str:
        """Tells the entry's id, empty when it is nothing to repeat."""
        origin = origin_of(self.subject)
        draft = build_draft(run, origin, self.subject.workflow, recorder)
        if isinstance(draft, str):
            self.parts.entries.note({("refusal", f"not recorded: {draft}"): 1})
            return ""
        kept = draft.model_copy(update={"screen": self._size})
        entry = self.parts.entries.keep(kept, keys_of(kept), message_id=run.job_id, agent_id=run.provider)
        _LOG.info("%s is kept as %s: %d actions", run.run_id, entry.id, len(entry.actions))
        return entry.id

    def _arm(self, desktop: Desktop, eyes: Eyes) -> None:
        wanted = self.subject.request.reload
        if wanted is not None:
            entry = self.parts.entries.get(wanted.cache_id)
            self._whole_replay = WholeReplay(entry, {**self.params, **wanted.values}, frozenset(wanted.skip_indices))
            return
        if not self.parts.automatic:
            return
        origin, options = origin_of(self.subject), self.parts.options
        found = options.recorded(origin, self.params, 1, now=_surroundings(desktop), reader=eyes)
        option = next(iter(found), None)
        if option is None or option.match != "same":
            return
        entry = options.entry(options.book.chosen(option.cache_id).cache_id)
        if entry.verified or entry.metadata.success_count:
            self._whole_replay = WholeReplay(entry, dict(self.params), frozenset())


def _check(entry: Entry, given: Mapping[str, str], wanted: ReplayRequest) -> None:
    """Refuse values that the entry cannot have, and indices that it does not have."""
    if any(at >= len(entry.actions) for at in wanted.skip_indices):
        raise Conflict(f"skip_indices: {entry.id} has {len(entry.actions)} actions, numbered from 0 on.")
    slots = {slot.name: slot for slot in entry.slots}
    for name, value in given.items():
        slot = slots.get(name)
        if slot is None or slot.kind is SlotKind.READ:
            text = ", ".join(slot.name for slot in entry.slots if slot.kind is not SlotKind.READ) or "none"
            raise Conflict(f"{entry.id} has no value called {name!r}; it has {text}.")
        if not value.strip():
            raise InvalidRequest(f"Give {entry.id} a value for {name}, or leave it out: an empty one is not typed.")
        if slot.kind is SlotKind.VALUE and value != slot.value and not slot.rebinds:
            raise Conflict(
                f"{entry.id} cannot have another {name}: {slot.value!r} was picked on the screen, not typed. Proceed "
                "manually."
            )


def _surroundings(desktop: Desktop) -> Surroundings:
    return Surroundings(desktop.look(), tuple(desktop.windows()), desktop.size)


def _block(options: tuple[Option, ...]) -> str:
    """YAAR's block; JSON without a ``<``, so that nothing in it can end it."""
    if not options:
        return ""
    reported = [
        {
            "cacheId": each.cache_id,
            "match": each.match,
            "similarity": each.similarity,
            "label": each.label,
            "slots": [slot.model_dump() for slot in each.slots],
            "differs": each.differs,
            "actions": each.actions,
        }
        for each in options
    ]
    text = json.dumps(reported, ensure_ascii=False).replace("<", "\\u003c")
    return f"<reload_options>\n{text}\n</reload_options>"


@contextmanager
def _log_and_continue(what: str) -> Generator[None]:
    """Reload is an extra: what goes wrong with it is logged, and the run goes on."""
    try:
        yield
    except VaiderError as error:
        _LOG.warning("reload, %s: %s", what, error.message)
