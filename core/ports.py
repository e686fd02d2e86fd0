"""Ports of the core. Adapters and storage implement them; only the daemon knows which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar, Unpack

from core.jobs import NOBODY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence
    from pathlib import Path

    from core.analysis import Analysis, AnalysisRequest, Findings, Observation, Video
    from core.job_briefs import BriefJob
    from core.jobs import Job, JobEvent, JobFilter, JobState, NewJob, Sender, Stage, UnfinishedJob
    from core.traces import TestTrace, TraceFile
    from core.values import Value

ValueT = TypeVar("ValueT", bound="Value")


class JobContext(Protocol):
    """What a use case may do while it runs as a job."""

    @property
    def job_id(self) -> str:
        """The job's id; also usable where there is no daemon."""
        ...

    def report(self, stage: Stage, **data: int | str | None) -> None:
        """Report progress (``done=120, total=750``).

        MUST raise ``Cancelled`` or ``TimedOut`` once the job shall stop. Cheap enough to be called for every frame:
        implementations thin out what they store.
        """
        ...

    def publish(self, stage: Stage, data: Mapping[str, Any]) -> None:
        """Store an event with this JSON, and hand it to all viewers; none is thinned out, and it never raises to stop.

        Raises ``StorageFailed``.
        """
        ...

    def raise_if_cancelled(self) -> None:
        """Raise ``Cancelled`` or ``TimedOut`` once the job shall stop; as cheap as reading a flag."""
        ...

    def extend_deadline(self, seconds: float) -> None:
        """Extend the job's deadline by so many seconds, because the work waited for a person."""
        ...

    def step(self, name: str, result: type[ValueT], work: Callable[[], ValueT]) -> ValueT:
        """Do ``work`` once: after a crash and restart a finished step is not done again, its kept result returns.

        MUST be called in the same order with the same names whenever the same job is resumed.
        """
        ...


class VideoInspector(Protocol):
    """Looks at a file without decoding all of it."""

    def inspect(self, path: Path) -> Video:
        """Read container, size and content hash.

        MUST refuse with ``InvalidPath``, ``InvalidVideo`` or ``TooLarge`` before any memory in proportion to the
        claimed picture size or duration is taken.
        """
        ...


class TraceReader(Protocol):
    """Finds and reads the records that a test runner leaves beside its videos."""

    def video_of(self, path: Path) -> Path | None:
        """The video that lies beside a trace; ``None`` when ``path`` is no trace or lies alone."""
        ...

    def find(self, video: Video) -> TraceFile | None:
        """The trace beside a video, or the video itself if it is one."""
        ...

    def read(self, video: Video, trace: TraceFile, context: JobContext) -> TestTrace:
        """The trace on the video's clock; blocks until done.

        MUST be bounded whatever the file holds, and raise a ``VaiderError`` that says why it cannot be used.
        """
        ...


class Analyser(Protocol):
    """Answers «what happened in this video?», and with a model also «was it right?»."""

    @property
    def name(self) -> str:
        """The provider's name as settings and answers spell it, e.g. ``local``."""
        ...

    @property
    def model(self) -> str:
        """The model's name, for the answer."""
        ...

    def unavailable(self) -> str | None:
        """``None`` when it can be used now, else one sentence that says what is missing and how to supply it."""
        ...

    def analyse(self, video: Video, expectations: Sequence[str], frames: FrameFolder, context: JobContext) -> Findings:
        """Watch the video; blocks until done.

        MUST report progress at least every two seconds while it computes, and leave nothing running or stored with
        a provider when it returns or raises. Raises ``ProviderError``, ``InvalidVideo``, ``Cancelled``, ``TimedOut``.
        """
        ...


class FrameFolder(Protocol):
    """Where an analysis puts its pictures: a folder of the interaction log, with names that no other run uses."""

    @property
    def directory(self) -> Path:
        """The folder that pictures are written to; exists."""
        ...

    @property
    def prefix(self) -> str:
        """What each file name here begins with, e.g. ``03_``."""
        ...

    @property
    def relative(self) -> str:
        """The folder as seen from the interaction folder, e.g. ``frames``; events name ``relative/prefix…``."""
        ...


class Interaction(Protocol):
    """One numbered request and its answer in the interaction log of a video."""

    @property
    def directory(self) -> Path:
        """The interaction folder."""
        ...

    @property
    def frames(self) -> FrameFolder:
        """Where this request's pictures go."""
        ...

    def log(self, event: str, *, level: str = "info", **fields: str | float | bool | None) -> None:
        """Append one line to ``server.log``; secrets never reach it."""
        ...

    def answer(self, analysis: Analysis) -> None:
        """Write ``NN_response.json`` and ``timeline.md``, atomically."""
        ...

    def keep_observation(self, observation: Observation) -> None:
        """Write ``NN_observation.json`` for further questions; what cannot be written is not kept."""
        ...

    def fail(self, error: Mapping[str, Any]) -> None:
        """Write the error shape as ``NN_response.json``, atomically, and drop this request's pictures."""
        ...


class InteractionLogs(Protocol):
    """The interaction folders, beside the videos or in the data directory."""

    def open(self, video: Video, request: AnalysisRequest, job_id: str) -> Interaction:
        """Take the next number and write ``NN_request.json``; the same ``job_id`` finds its own number again.

        Goes below the data directory when the video is an upload or its folder cannot be written.
        Raises ``StorageFailed``.
        """
        ...

    def find(self, video: Video, request: AnalysisRequest, provider: str, model: str) -> Analysis | None:
        """A kept answer to the same question by the same provider and model about the same content, if any."""
        ...

    def find_observation(self, video: Video, provider: str, model: str, settings: str) -> KeptObservation | None:
        """What the same provider and model saw in the same content with the same settings, if it is kept."""
        ...


class KeptObservation(Protocol):
    """An observation where it is kept."""

    @property
    def observation(self) -> Observation:
        """The stored observation."""
        ...

    def open(self, video: Video, request: AnalysisRequest, job_id: str) -> Interaction:
        """The same as ``InteractionLogs.open``, in the folder with the observation's pictures."""
        ...


class Jobs(Protocol):
    """The job engine, as front ends see it. Every method raises ``NotFound`` for an unknown job."""

    async def submit(self, kind: str, request: Value, *, question: str | None = None, sender: Sender = NOBODY) -> Job:
        """Start a job, or put it in line when enough are running; it survives a crash from here on.

        While a job with the same ``question`` is under way, that one is returned, and nothing is started. Of the jobs
        that wait, those of the submitter go first of whom fewest run.
        """
        ...

    async def get(self, job_id: str) -> Job:
        """The job as it is now."""
        ...

    async def list(self, **which: Unpack[JobFilter]) -> Sequence[Job]:
        """Jobs, newest first."""
        ...

    async def briefs(self, **which: Unpack[JobFilter]) -> Sequence[BriefJob]:
        """The same as summaries for lists, read without requests and results."""
        ...

    async def cancel(self, job_id: str) -> Job:
        """Cancel the job for all callers; returns at once. A finished job stays as it is."""
        ...

    async def leave(self, job_id: str) -> Job:
        """Leave the job: cancels it unless other callers that asked for it still wait."""
        ...

    async def wait(self, job_id: str, seconds: float | None = None) -> Job:
        """Return when the job is final, or after ``seconds`` as it then is."""
        ...

    async def history(self, job_id: str, *, after: int = 0, limit: int = 500) -> Sequence[JobEvent]:
        """A job's events with an id above ``after`` that are stored by now, the oldest first."""
        ...

    def events(self, *, after: int = 0, job_id: str | None = None) -> AsyncIterator[JobEvent]:
        """Stored events with an id above ``after`` in order, then live ones, without a gap, until the engine stops.

        In between, places in line that changed, with the id 0: of the one job, or the first ten.
        """
        ...

    async def last_event_id(self) -> int:
        """The newest event's id, 0 when there is none."""
        ...


class AnsweringJobs(Jobs, Protocol):
    """The engine itself: it also keeps jobs whose answer is known when they are asked for, and counts its jobs."""

    async def answered(self, job_id: str, kind: str, request: Value, result: Value, *, sender: Sender = NOBODY) -> Job:
        """Store a job that is already done."""
        ...

    async def amend(self, job_id: str, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> Job:
        """Change the result of a job that is done, by what ``change`` makes of it; what that raises changes nothing."""
        ...

    async def counts(self) -> Mapping[JobState, int]:
        """How many jobs there are of each state; a state without any may be missing."""
        ...


class JobStore(Protocol):
    """Where jobs and their events are kept. Safe to call from any thread; each method is one transaction.

    Raises ``StorageFailed`` when the database cannot be read or written.
    """

    @property
    def owner(self) -> str:
        """The installation whose jobs these are, the same at each start; jobs of others are not seen."""
        ...

    def claim(self) -> None:
        """Be the only process that runs the installation's jobs, until ``release`` or this process ends.

        Raises ``Conflict`` when another process is.
        """
        ...

    def release(self) -> None:
        """Release the claim."""
        ...

    def create(self, new: NewJob, data: Mapping[str, Any]) -> JobEvent:
        """Keep a new job, queued, and its first event with ``data``."""
        ...

    def create_done(self, new: NewJob, result: Mapping[str, Any]) -> tuple[JobEvent, JobEvent]:
        """Keep a new job that is done already, and its first and last event."""
        ...

    def get(self, job_id: str) -> Job | None:
        """The job with its newest event, if there is one of that id."""
        ...

    def list(self, **which: Unpack[JobFilter]) -> Sequence[Job]:
        """Jobs, newest first."""
        ...

    def briefs(self, **which: Unpack[JobFilter]) -> Sequence[BriefJob]:
        """The same as summaries for lists, read without requests and results."""
        ...

    def counts(self) -> Mapping[JobState, int]:
        """How many jobs there are of each state; a state without any may be missing."""
        ...

    def unfinished(self) -> Sequence[UnfinishedJob]:
        """The jobs that are not final, oldest first."""
        ...

    def begin(self, job_id: str) -> int:
        """Mark the job running; returns the number of starts. 0 when it is already final."""
        ...

    def put_back(self, job_id: str) -> None:
        """Take back the last ``begin``: the daemon stops in good order, the job is queued again."""
        ...

    def note_deaths(self, job_id: str, deaths: int) -> None:
        """Queue the job again; the process has ended so many times while it was running."""
        ...

    def append(self, job_id: str, stage: Stage, data: Mapping[str, Any]) -> JobEvent | None:
        """Keep a progress event; ``None`` when another process has begun the job since."""
        ...

    def finish(
        self,
        job_id: str,
        state: JobState,
        *,
        result: Mapping[str, Any] | None = None,
        error: Mapping[str, Any] | None = None,
    ) -> JobEvent | None:
        """Make the job final and keep its last event; ``None`` when it was final before, or is another process's."""
        ...

    def amend(self, job_id: str, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> Job:
        """Change the result of a job that is done, in one transaction. Raises ``NotFound``."""
        ...

    def events(
        self, *, after: int, job_id: str | None = None, stage: Stage | None = None, limit: int = 500
    ) -> Sequence[JobEvent]:
        """Events with an id above ``after``, oldest first; those of one job, or of one stage."""
        ...

    def last_event_id(self) -> int:
        """The highest id ever given, 0 when there was none; also when its event has been pruned."""
        ...

    def prune(self, days: int) -> int:
        """Forget the events of jobs that have been final for ``days``; returns their number."""
        ...
