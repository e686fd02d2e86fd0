"""Runs with reload beside them, on a desktop of plain memory whose notes are written, sent and told of."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.actions import Action, Click, Done, Key, Type
from core.reload.context import ContextGate
from core.reload.entry import Entry, Origin
from core.reload.entry_keys import Origins
from core.reload.extension import ActionCacheExtensions
from core.reload.offers import OfferBook, Option, Question
from core.reload.options import ActionCacheOptions
from core.reload.ports import Surroundings
from core.runs.budget import Limits
from core.runs.run import Run
from core.screens import Box, Point, Window
from core.steps import Step, Target
from core.workflows.workflow import Parameter, Plan, PlannedSubtask, Workflow
from storage.database import Database
from storage.reload.entries import SqlEntryStore
from tests.fakes.desktops.drawn_desktop import DrawnDesktop, DrawnEyes
from tests.fakes.desktops.drawn_targets import DrawnTargets, NamedPrograms
from tests.fakes.models.scripted_decider import propose
from tests.fakes.reload.entries import static_words
from tests.fakes.runs.replay_scene import Scene

TO, SEND = Point(x=20, y=10), Point(x=20, y=30)
WRITE = [
    propose(Click(action="left_click", at=TO), Type(text="Alice"), step=0),
    propose(Click(action="left_click", at=SEND), step=1),
    propose(Done(result="sent")),
]


def notes(*, request: str = "Send a note to {person}", sensitive: bool = False) -> Workflow:
    """Send a note to somebody: a field and a button."""

    def step(number: int, intent: str, kind: Any, value: str | None, target: str) -> Step:
        return Step(
            i=number,
            expected_current_state="",
            intent=intent,
            action_type=kind,
            action_value=value,
            target=Target(primary=target),
            post_action=(),
        )

    steps = (step(0, "Name the person", "TYPE", "{person}", "the field"), step(1, "Send it", "CLICK", None, "Send"))
    return Workflow(
        task_name="notes",
        task_description_user=request,
        task_params=(Parameter(name="person", example="Alice", sensitive=sensitive),),
        success_criteria='"Sent" is shown',
        plan=Plan(subtasks=(PlannedSubtask(subtask_i=0, text="Send it to {person}.", steps=steps),)),
    )


class Notes(DrawnDesktop):
    """A field in the first row, a button in the second; ``rows`` tells where else they may stand."""

    def __init__(self, *, title: str = "Notes", field: str = "To:", button: str = "Send") -> None:
        super().__init__([field, button], lambda _desktop, action: self._react_to(action))
        self.field, self.button = field, button
        self.typed = ""
        self.sent: list[str] = []
        self.deaf = False
        self.shown = [window(1, title)]

    def _react_to(self, action: Action) -> None:
        if self.deaf:
            return
        if isinstance(action, Type):
            self.typed = action.text
            self.lines[self.lines.index(self.field)] = f"{self.field} {action.text}"
            self.field = f"{self.field} {action.text}"
        elif isinstance(action, Click) and action.at is not None:
            row = self.lines[action.at.y // 20] if action.at.y // 20 < len(self.lines) else ""
            if row == self.button:
                self.sent.append(self.typed)
                self.lines.append("Sent")
            elif row == self.field:
                self.lines.append("|") if "|" not in self.lines else None
        elif isinstance(action, Key):
            self.lines.append("key")


def window(number: int, title: str, *, application: str = "Notes", focused: bool = True) -> Window:
    return Window(
        id=number,
        title=title,
        application=application,
        pid=None,
        box=Box(x=0, y=0, width=800, height=600),
        focused=focused,
    )


class FixedDesktopObserver:
    """Implements ``core.reload.ports.DesktopObserver``: the desktop of the test."""

    def __init__(self) -> None:
        self.desktop: DrawnDesktop = Notes()

    def look(self) -> Surroundings:
        return Surroundings(self.desktop.look(), tuple(self.desktop.windows()), self.desktop.size)


@dataclass
class CacheScene:
    """A store, and runs one after the other, each on a fresh desktop."""

    folder: Path
    workflow: Workflow = field(default_factory=notes)
    automatic: bool = False
    programs: NamedPrograms = field(default_factory=NamedPrograms)

    def __post_init__(self) -> None:
        self.database = Database(f"sqlite:///{self.folder / 'vaider.db'}")
        self.database.open()
        self.entries = SqlEntryStore(self.database, "test")
        self.desktop_observer = FixedDesktopObserver()
        self.scenes: list[Scene] = []
        self.options = ActionCacheOptions(
            self.entries,
            OfferBook(),
            ContextGate(self.desktop_observer, DrawnTargets(), DrawnEyes, self.programs),
            static_words,
            self._revision,
            least=0.2,
        )

    def run(
        self,
        script: Iterable[Any] = (),
        desktop: DrawnDesktop | None = None,
        **request: Any,
    ) -> Run:
        """One run; ``request`` names what is not the workflow as it is."""
        limits = Limits(verify_seconds=2, quiet_seconds=0)
        named: dict[str, Any] = {} if "reload" in request or "task" in request else {"workflow": "note"}
        asked = {"provider": "scripted", **named, **request}
        scene = Scene(
            script,
            self.workflow,
            desktop or Notes(),
            limits,
            request=asked,
            reload_extensions=lambda: self.reload_extensions(self.last),
        )
        self.scenes.append(scene)
        return scene.run()

    def reload_extensions(self, scene: Scene) -> ActionCacheExtensions:
        return ActionCacheExtensions(
            self.entries, self.options, DrawnTargets, self.programs, scene.runs, "/reload", automatic=self.automatic
        )

    def close(self) -> None:
        """Close the store."""
        self.database.close()

    def _revision(self, origin: Origin) -> str | None:
        return Origins(self.last.workflows, self.last.tasks, self.last.runs).revision(origin)

    def asked(self, request: str, desktop: DrawnDesktop | None = None) -> tuple[Option, ...]:
        """What is offered for a request on a desktop."""
        self.desktop_observer.desktop = desktop or Notes()
        return self.options.options(Question(request=request))

    @property
    def only(self) -> Entry:
        """The one entry that there is."""
        (entry,) = self.entries.newest(10)
        return entry

    @property
    def last(self) -> Scene:
        """The last run's."""
        return self.scenes[-1]
