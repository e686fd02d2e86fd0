"""Whole runs with real parts: displays, eyes, folders and deciders; and programs that tell themselves how it went."""

from __future__ import annotations

import atexit
import contextlib
import json
import shutil
import sys
import threading
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adapters.desktop.desktop_observer import LocalDesktopObserver, ProcessPrograms
from adapters.desktop.displays import LocalDesktops
from adapters.desktop.warm_eyes import WarmEyes
from adapters.effects.readers import EffectReaders
from adapters.perception.client import ProcessDecider, ProcessEyes, ProcessTargets
from core.reload.context import ContextGate
from core.reload.entry_keys import Origins
from core.reload.extension import ActionCacheExtensions
from core.reload.offers import OfferBook
from core.reload.options import ActionCacheOptions
from core.runs.budget import Limits
from core.runs.execution import ReplayParts
from core.runs.gate import GatePolicy
from core.runs.live import Approvals, LiveRuns
from core.runs.ports import Decider
from core.runs.replay import Replay
from core.runs.run import Run, RunRequest
from storage.database import Database
from storage.reload.entries import SqlEntryStore
from storage.runs import RunFolders
from storage.tasks.runs import TaskRunFolders
from storage.tasks.tasks import TaskFolders
from storage.workflows.workflows import WorkflowFolders
from tests.clock import until
from tests.fakes.desktops.browser_sandbox import require_browser_sandbox
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.reload.entries import static_words
from tests.fakes.web.servers import FakeServer, Request, Response

Make = Callable[[str | None], Decider]

ROOT = Path(__file__).parents[3]
REPLAYED = ROOT / "tests" / "apps" / "replayed"
PARCEL_FORM = ROOT / "examples" / "workflows" / "parcel-form"
PATIENCE = 10.0
_EYES = WarmEyes(lambda: ProcessEyes(2))
"""Shared by all runs, as the daemon's are."""
atexit.register(_EYES.close)


class Replays:
    """The use case as the daemon builds it, but for the job engine.

    Args:
        folder: for the data directory and copies of the workflows.
        deciders: by their names; ``local`` is always there.
        limits: of a run.
        policy: of the gate.
        patience: how many seconds ``local`` waits for what should be there.
        reload: whether what succeeded is kept and can be done again.

    """

    def __init__(
        self,
        folder: Path,
        deciders: Mapping[str, Make] | None = None,
        *,
        limits: Limits | None = None,
        policy: GatePolicy | None = None,
        patience: float = PATIENCE,
        reload: bool = False,
    ) -> None:
        self.folder = folder
        self.reloading = ReplayedCache(folder) if reload else None
        self.approvals = Approvals(seconds=5)
        self.live = LiveRuns()
        local: Mapping[str, Make] = {"local": lambda _model: ProcessDecider(patience=patience)}
        self.replay = Replay(
            ReplayParts(
                deciders={**local, **(deciders or {})},
                workflows=WorkflowFolders([]),
                runs=RunFolders(data_dir=folder / "data", encode=_EYES.png, redact=lambda text: text),
                tasks=TaskFolders(folder / "data" / "tasks"),
                task_runs=TaskRunFolders(encode=_EYES.png, redact=lambda text: text),
                desktops=LocalDesktops(data_dir=folder / "data", browser="chromium"),
                eyes=_EYES.borrow,
                approvals=self.approvals,
                effects=EffectReaders(),
                live=self.live,
                limits=limits or Limits(),
                policy=policy or GatePolicy(),
                reload_extensions=lambda: self.reloading.reload_extensions if self.reloading else None,
            )
        )

    def close(self) -> None:
        """Close what is kept for reload."""
        if self.reloading:
            self.reloading.database.close()

    def run(self, case: Case, context: FakeContext | None = None, **request: Any) -> Run:
        """Carry out a copy of the case's workflow, on a private display unless ``request`` says otherwise."""
        named = {} if "reload" in request else {"workflow": str(case.workflow), "params": case.params}
        asked = {**named, "display": "private", **request}
        admitted = self.replay.admit(RunRequest.model_validate(asked))
        return self.replay.run(admitted, context or FakeContext())


class ReplayedCache:
    """Reload as the daemon builds it; the user's own desktop is none of its business here."""

    def __init__(self, folder: Path) -> None:
        (folder / "data").mkdir(exist_ok=True)
        self.database = Database(f"sqlite:///{folder / 'data' / 'vaider.db'}")
        self.database.open()
        self.entries = SqlEntryStore(self.database, "test")
        runs = RunFolders(data_dir=folder / "data", encode=_EYES.png, redact=lambda text: text)
        self.options = ActionCacheOptions(
            self.entries,
            OfferBook(),
            ContextGate(LocalDesktopObserver(environment={}), ProcessTargets(_EYES), lambda: _EYES, ProcessPrograms()),
            static_words,
            Origins(WorkflowFolders([]), TaskFolders(folder / "data" / "tasks"), runs).revision,
            least=0.2,
        )
        self.reload_extensions = ActionCacheExtensions(
            self.entries, self.options, lambda: ProcessTargets(_EYES), ProcessPrograms(), runs, str(folder / "data")
        )


@dataclass
class Case:
    """A workflow, the values for its parameters, and what its program says of itself."""

    workflow: Path
    params: dict[str, str]
    state: Callable[[], Any]
    """What the program has written or sent, ``None`` before it did."""

    def await_state(self) -> Any:
        """What the program says, once it says anything."""
        until(lambda: self.state() is not None, PATIENCE)
        return self.state()

    @property
    def run_folder(self) -> Path:
        """The folder of its only run."""
        (found,) = (self.workflow / ".replay").iterdir()
        return found


def program_case(name: str, folder: Path, **params: str) -> Case:
    """The native program of that name in ``tests/apps/replayed``, which writes its state to a file."""
    workflow = _copied(REPLAYED / name, folder)
    state = workflow / "state.json"

    def read_reports() -> Any:
        return json.loads(state.read_text(encoding="utf-8")) if state.exists() else None

    own = {"python": sys.executable, "program": str(workflow / "program.py"), "state": str(state)}
    return Case(workflow, {**own, **params}, read_reports)


@contextlib.contextmanager
def page_case(name: str, folder: Path, **params: str) -> Generator[Case]:
    """The page of that name, on a server of its own to which it tells its state."""
    page = "members" if name == "members_alike" else name
    workflow = _copied(REPLAYED / name, folder)
    with PageServer(REPLAYED / page) as server:
        yield Case(workflow, {"address": server.url, **params}, server.read_reports)


@contextlib.contextmanager
def form_case(folder: Path, **params: str) -> Generator[Case]:
    """The ten-step form of the examples; it is served, for from a file it could hand its order to nobody."""
    workflow = _copied(PARCEL_FORM, folder)
    with PageServer(workflow) as server:
        schema = workflow / "schema.json"
        text = schema.read_text(encoding="utf-8")
        assert '"form.html"' in text
        schema.write_text(text.replace('"form.html"', f'"{server.url}/form.html"'), encoding="utf-8")
        yield Case(workflow, dict(params), server.read_reports)


def _copied(source: Path, folder: Path) -> Path:
    number = sum(1 for _ in folder.glob("*")) if folder.exists() else 0
    return Path(shutil.copytree(source, folder / f"{number:03}-{source.name}", ignore=shutil.ignore_patterns(".*")))


class PageServer(FakeServer):
    """Serves the files of a folder to a run's browser, and keeps what its pages send by POST."""

    def __init__(self, folder: Path) -> None:
        require_browser_sandbox()
        super().__init__()
        self._folder = folder
        self._sent: list[Any] = []

    def answer(self, request: Request) -> Response:
        if request.method == "POST":
            self._sent.append(request.json)
            return Response(200, {})
        file = self._folder / Path(request.path).name
        return (
            Response(200, file.read_text(encoding="utf-8"))
            if file.is_file()
            else Response(404, "There is no such file.")
        )

    def all_reports(self) -> list[Any]:
        """All that was sent, in order."""
        with self.lock:
            return list(self._sent)

    def read_reports(self) -> Any:
        """What was sent last."""
        with self.lock:
            return self._sent[-1] if self._sent else None


@dataclass
class Running:
    """A run in a thread of its own, for tests that do something meanwhile."""

    work: Callable[[], Run]
    run: Run | None = None
    error: BaseException | None = None
    ended: threading.Event = field(default_factory=threading.Event)

    def start(self) -> threading.Thread:
        """Begin."""
        thread = threading.Thread(target=self._carry_out, name="run")
        thread.start()
        return thread

    def _carry_out(self) -> None:
        try:
            self.run = self.work()
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test judges it
            self.error = error
        self.ended.set()
