"""A job's context without a job engine: keeps finished steps, notes what is reported, stops when told to."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

from core.errors import Cancelled
from core.jobs import Stage
from core.ports import ValueT

StopWhen = Callable[[Stage, dict[str, int | str | None]], bool]


class FakeContext:
    """Implements ``core.ports.JobContext``; hand ``kept`` of a crashed one to the next to resume its job."""

    def __init__(
        self, kept: dict[str, Any] | None = None, *, stop_when: StopWhen | None = None, job_id: str = "job-1"
    ) -> None:
        self.job_id = job_id
        self.kept: dict[str, Any] = {} if kept is None else kept
        self.reports: list[tuple[Stage, dict[str, int | str | None]]] = []
        self.reported: list[tuple[Stage, dict[str, Any]]] = []
        self._listeners: dict[Stage, Callable[[dict[str, Any]], None]] = {}
        self.stop = threading.Event()
        self._stop_when = stop_when
        self.extended_seconds = 0.0

    def publish(self, stage: Stage, data: Mapping[str, Any]) -> None:
        self.reported.append((stage, dict(data)))
        if stage in self._listeners:
            # In a thread of its own, as a person answers: whoever tells goes on meanwhile.
            threading.Thread(target=self._listeners[stage], args=(dict(data),)).start()

    def on_event(self, stage: Stage, listener: Callable[[dict[str, Any]], None]) -> None:
        """Call somebody when such an event is told."""
        self._listeners[stage] = listener

    def raise_if_cancelled(self) -> None:
        if self.stop.is_set():
            raise Cancelled("The job was cancelled.")

    def extend_deadline(self, seconds: float) -> None:
        self.extended_seconds += seconds

    def report(self, stage: Stage, **data: int | str | None) -> None:
        self.reports.append((stage, data))
        if self.stop.is_set() or (self._stop_when is not None and self._stop_when(stage, data)):
            raise Cancelled("The job was cancelled.")

    def step(self, name: str, result: type[ValueT], work: Callable[[], ValueT]) -> ValueT:
        if name not in self.kept:
            # What is kept goes through JSON, as it does in a database.
            self.kept[name] = work().model_dump_json()
        return result.model_validate_json(self.kept[name])

    @property
    def stages(self) -> list[Stage]:
        """The stages in their order, each once in a row."""
        return [stage for n, (stage, _) in enumerate(self.reports) if n == 0 or self.reports[n - 1][0] != stage]
