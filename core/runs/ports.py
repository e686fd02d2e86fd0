"""Ports of a run: its desktop, its decider, its reader of the screen, and its storage. See also ``core.ports``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from core.actions import Action
    from core.ports import JobContext
    from core.runs.deciding import Briefing, Decision, Observation, Subtask
    from core.runs.run import Run, RunRequest
    from core.screens import Box, Picture, Point, TextLine, Window
    from core.secrets import Secrets
    from core.workflows.workflow import Workflow


class Desktop(Protocol):
    """One display with its input, in a process of its own that can be killed at once without leaving a key down.

    Methods that block call ``raise_if_cancelled`` at least every 50 ms; it raises when the run shall stop, and then
    nothing that was held stays held. All of them raise ``DesktopLost`` when the display or the process is gone, and all
    but ``announce``, ``peek``, ``release`` and ``await_user`` raise ``TakenOver`` from when the user took over until
    ``await_user`` has returned. Its detail ``source`` is ``user``, ``foreign`` (a program that injects input),
    ``pointer`` (a program that moved it) or ``hotkey``, after which ``await_user`` raises it as well: that key ends a
    run which would pause.
    """

    @property
    def name(self) -> str:
        """The display as ``--display`` spells it, e.g. ``:99``."""
        ...

    @property
    def viewer(self) -> str | None:
        """Where a private display can be watched, if a viewer is installed."""
        ...

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of all monitors together."""
        ...

    @property
    def session_bus(self) -> str:
        """The address of the display's session bus, by which its programs tell of themselves; empty without one."""
        ...

    def look(self) -> Picture:
        """Grab the screen, without the overlay."""
        ...

    def peek(self) -> Picture | None:
        """The newest picture, also during an action; callable from any thread, without side effects.

        ``None`` while nothing has been seen yet.
        """
        ...

    def act(self, action: Action, raise_if_cancelled: Callable[[], None]) -> None:
        """Carry out the action; returns when its last event is sent. ``screenshot`` and ``zoom`` do nothing here.

        Raises ``ActionFailed`` for what cannot be done: a point outside, a key the layout lacks, no such program.
        """
        ...

    def read_field(
        self, at: Point, raise_if_cancelled: Callable[[], None], *, several_lines: bool, deletes: bool
    ) -> str | None:
        """Select the content of the field at a point, and read the selection; ``None`` where that is not possible.

        With ``deletes`` what was read is deleted. The user's own selection and clipboard are as before when it
        returns. Raises as ``act`` does.
        """
        ...

    def settle(
        self, before: Picture, raise_if_cancelled: Callable[[], None], *, seconds: float, rest: bool = True
    ) -> Picture:
        """Wait until the screen has reacted and, with ``rest``, is quiet, at most ``seconds``; return how it then is.

        ``before`` is how it looked before the action. A caret or a small spinner that never rests does not count.
        """
        ...

    def windows(self) -> Sequence[Window]:
        """The windows that are shown, the topmost first."""
        ...

    def announce(self, text: str) -> None:
        """Show the current activity in the overlay; the overlay exists from ``open`` on."""
        ...

    def raise_if_cancelled(self) -> None:
        """Raise ``TakenOver`` or ``DesktopLost`` after either happened; as cheap as reading a flag."""
        ...

    def await_user(self, raise_if_cancelled: Callable[[], None], *, quiet_seconds: float) -> None:
        """After a takeover: wait for so many seconds without user input, then take control back."""
        ...

    def release(self) -> None:
        """Release every key and button that is held."""
        ...


class Desktops(Protocol):
    """The displays of this machine, and private ones."""

    def unavailable(self, display: str) -> str | None:
        """``None`` when ``display`` (``private``, ``current`` or ``:N``) can be used, else what to do about it."""
        ...

    def open(
        self, display: str, *, run: str, size: tuple[int, int] | None, raise_if_cancelled: Callable[[], None]
    ) -> AbstractContextManager[Desktop]:
        """Acquire the display for the named run; a private one is started, in ``size`` if given, and ended afterwards.

        Raises ``DesktopUnavailable``; when another run has it, the message names that run.
        """
        ...


class Eyes(Protocol):
    """Looks at pictures of a desktop. Not safe to share between threads; fast where little has changed."""

    def read(self, picture: Picture) -> Sequence[TextLine]:
        """Every line of text, top to bottom."""
        ...

    def read_exactly(self, picture: Picture, windows: Sequence[Window]) -> Sequence[TextLine]:
        """The same, in the exact words of the programs of these windows where they tell what the lines say."""
        ...

    def changes(self, before: Picture, after: Picture) -> Sequence[Box]:
        """Where they differ, as boxes that do not touch; empty when nothing that can be seen has changed."""
        ...

    def png(self, picture: Picture) -> bytes:
        """The picture as a PNG file."""
        ...


class Conversation(Protocol):
    """A decider at work on one run."""

    def begin(self, subtask: Subtask) -> None:
        """Begin the next subtask; the messages of the previous one may be dropped."""
        ...

    def decide(self, observation: Observation, raise_if_cancelled: Callable[[], None]) -> Decision:
        """Decide the next moves; calls ``raise_if_cancelled`` at least every 500 ms.

        Raises ``InvalidCall`` when the model's answer cannot be used: it is asked again with ``repair`` set.
        Raises ``ProviderError`` when it cannot be reached or refuses.
        """
        ...


class Decider(Protocol):
    """A decider: chooses the next action."""

    @property
    def name(self) -> str:
        """The provider's name as settings and answers spell it, e.g. ``local``."""
        ...

    @property
    def model(self) -> str:
        """The model's name, for the answer."""
        ...

    @property
    def chooses(self) -> bool:
        """Whether it reads the offered options (``Briefing.reload_options``), and may choose one."""
        ...

    def unavailable(self) -> str | None:
        """``None`` when it can be used now, else one sentence that says what is missing and how to supply it."""
        ...

    def open(self, briefing: Briefing, eyes: Eyes) -> AbstractContextManager[Conversation]:
        """Begin a run."""
        ...


class Approver(Protocol):
    """Asks a person through a terminal, the dashboard or an MCP client."""

    def approve(self, question: str, raise_if_cancelled: Callable[[], None]) -> bool:
        """Whether the person agrees; blocks. ``False`` when no person can be asked, or on a timeout."""
        ...


class RunFolder(Protocol):
    """The folder of one run. Sensitive values are masked in all that is written here."""

    @property
    def directory(self) -> Path:
        """The folder's path."""
        ...

    def rendered(self, document: Mapping[str, Any]) -> None:
        """Keep ``schema.rendered.json``."""
        ...

    def screenshot(self, subtask: int, iteration: int, picture: Picture) -> str:
        """Keep ``subtask_NN_iter_NNN.png``, in the background; tells its name."""
        ...

    def row(self, row: Mapping[str, Any]) -> None:
        """Append one row to ``events.jsonl``; its time is added."""
        ...

    def memory(self, task_memory: str, extracts: Mapping[str, str]) -> None:
        """Keep ``task_memory.json`` and ``extracts.json`` as they now are."""
        ...

    def finish(self, run: Run) -> None:
        """Write ``run.json`` and ``report.html``, when all pictures are kept."""
        ...


class Runs(Protocol):
    """Where runs are kept."""

    def open(self, folder: str, job_id: str, secrets: Sequence[str]) -> RunFolder:
        """Make the folder of a run below that of its workflow or task. Raises ``StorageFailed``, ``NotFound``."""
        ...


class RunSubject(Protocol):
    """The subject of a run: the workflow or task that a request names."""

    @property
    def request(self) -> RunRequest:
        """The request, with the resolved names."""
        ...

    @property
    def workflow(self) -> Workflow:
        """The workflow to carry out, before its values are filled in."""
        ...

    @property
    def root(self) -> str:
        """The folder whose files its addresses may name."""
        ...

    @property
    def faults(self) -> Sequence[str]:
        """The reasons why it must not be carried out with its parameters, a sentence each; usually none."""
        ...

    def rendered(self, values: Mapping[str, str], secrets: Secrets) -> Workflow:
        """The workflow for one run: as ``core.workflows.workflow.render``."""
        ...

    def open(self, job_id: str, secrets: Sequence[str]) -> RunFolder:
        """Make the folder of a run. Raises ``StorageFailed``."""
        ...

    def conclude(self, run: Run, *, blocked: bool) -> Run:
        """Post-process a finished run. ``blocked``: it could not go on, and was not cancelled."""
        ...


class ActionCacheExtension(Protocol):
    """Extends one run's decider: offers cached actions, replays them, and records new ones."""

    def offered(self, desktop: Desktop, eyes: Eyes, *, chooses: bool) -> str:
        """The text of ``Briefing.reload_options`` for a decider that ``chooses``; called once, before it begins."""
        ...

    def wrap_conversation(self, conversation: Conversation, eyes: Eyes) -> Conversation:
        """Wrap the decider's conversation; the loop uses the result instead."""
        ...

    def concluded(self, run: Run) -> Run:
        """Finish after the run, whatever its outcome. Raises nothing."""
        ...


class ActionCacheExtensions(Protocol):
    """Makes the extension of each run; see ``core.reload.extension``."""

    def admitted(self, request: RunRequest) -> RunRequest:
        """The request, with the workflow or task and the values of the entry that it names. Raises ``CallerError``."""
        ...

    def subject(self, request: RunRequest) -> RunSubject:
        """The subject of a request that names only an entry. Raises ``NotFound``."""
        ...

    def reload_extension(
        self, subject: RunSubject, params: Mapping[str, str], secrets: Secrets, context: JobContext
    ) -> ActionCacheExtension:
        """The extension of one run; ``params`` without the sensitive ones, ``context`` of its job."""
        ...


class Workflows(Protocol):
    """The folders that hold a ``schema.json``."""

    def find(self, name: str) -> str:
        """The absolute folder of a workflow, by its name or its path. Raises ``NotFound`` with the nearest names."""
        ...

    def load(self, folder: str) -> Workflow:
        """Read and validate it; version 1 is read too. Raises ``InvalidWorkflow``, ``NotFound``."""
        ...

    def names(self) -> Sequence[str]:
        """All there are, also those that are not valid."""
        ...
