"""Builds the reload cache, which stores, offers and replays actions, at its first use. Part of the composition root."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from core.reload.foreign import ForeignReplays, ForeignRun, Reports
from server.composition.memory import build_words
from server.identity import installation

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.desktop.desktop_observer import LocalDesktopObserver
    from config.settings import Settings
    from core.ports import JobContext
    from core.reload.extension import ActionCacheExtensions
    from core.reload.options import ActionCacheOptions
    from core.reload.ports import EntryStore, Programs, Reader, Targets
    from core.reload.reloads import ActionCache
    from core.runs.ports import Runs, Workflows
    from core.runs.run import ReplayRequest
    from core.tasks.ports import Tasks
    from storage.database import Database

FOLDER: Final = "reload"
"""Below the data directory: the runs that replay a client's actions."""


class ActionCacheServices:
    """The reload cache, for front ends and runs. Safe to share between threads.

    Nothing of it is imported before its first use.

    Args:
        settings: the user's.
        database: gives it, open.
        workflows: where workflows are; an entry is stale when its own has changed.
        tasks: the same for tasks.
        runs: where runs are kept.
        reader: reads the screen for questions that come from outside of runs.
        targets: finds the targets of actions on pictures.
        is_alive: whether the job of that id may still go on.
        offered: called when something was offered, which is likely to be taken soon.

    """

    def __init__(
        self,
        settings: Settings,
        database: Callable[[], Database],
        *,
        workflows: Workflows,
        tasks: Tasks,
        runs: Runs,
        reader: Reader,
        targets: Targets,
        is_alive: Callable[[str], bool],
        offered: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._database = database
        self._workflows, self._tasks, self._runs = workflows, tasks, runs
        self._reader, self._targets = reader, targets
        self._is_alive, self._offered = is_alive, offered
        self._lock = threading.RLock()
        self._reports = Reports()
        self._entries: EntryStore | None = None
        self._options: ActionCacheOptions | None = None
        self._reloads: ActionCache | None = None
        self._reload_extensions: ActionCacheExtensions | None = None
        self._desktop_observer: LocalDesktopObserver | None = None

    @property
    def entries(self) -> EntryStore:
        """The stored entries."""
        with self._lock:
            if self._entries is None:
                from storage.reload.entries import SqlEntryStore  # noqa: PLC0415 - as the class says

                entries = SqlEntryStore(self._database(), installation(self._settings.data_path))
                entries.close_abandoned(self._is_alive)
                self._entries = entries
            return self._entries

    @property
    def reloads(self) -> ActionCache:
        """The use case that front ends share."""
        with self._lock:
            if self._reloads is None:
                from core.reload.reloads import ActionCache  # noqa: PLC0415 - as the class says

                enabled = self._settings.reload
                self._reloads = ActionCache(
                    self.entries, self._built_options(), self._reports, self._offered, enabled=enabled
                )
            return self._reloads

    @property
    def reload_extensions(self) -> ActionCacheExtensions:
        """The extension of runs."""
        with self._lock:
            if self._reload_extensions is None:
                from core.reload.extension import ActionCacheExtensions  # noqa: PLC0415 - as the class says

                self._reload_extensions = ActionCacheExtensions(
                    entries=self.entries,
                    options=self._built_options(),
                    targets=lambda: self._targets,
                    programs=_programs(),
                    runs=self._runs,
                    root=str(self._settings.data_path / FOLDER),
                    automatic=self._settings.reload_auto,
                )
            return self._reload_extensions

    def emit(self, request: ReplayRequest, context: JobContext) -> ForeignRun:
        """Replay actions of a front end; blocks until the front end has reported. Raises ``VaiderError``."""
        return ForeignReplays(self.entries, self._reports).run(request, context)

    def close(self) -> None:
        """Close the connection to the display."""
        with self._lock:
            if self._desktop_observer is not None:
                self._desktop_observer.close()

    def _built_options(self) -> ActionCacheOptions:
        with self._lock:
            if self._options is None:
                from core.reload.context import ContextGate  # noqa: PLC0415 - as the class says
                from core.reload.entry_keys import Origins  # noqa: PLC0415 - same
                from core.reload.offers import OfferBook  # noqa: PLC0415 - same
                from core.reload.options import ActionCacheOptions  # noqa: PLC0415 - same

                self._desktop_observer = _desktop_observer()
                self._options = ActionCacheOptions(
                    entries=self.entries,
                    book=OfferBook(),
                    context=ContextGate(self._desktop_observer, self._targets, lambda: self._reader, _programs()),
                    meanings=build_words,
                    revision=Origins(self._workflows, self._tasks, self._runs).revision,
                )
            return self._options


def _programs() -> Programs:
    from adapters.desktop.desktop_observer import ProcessPrograms  # noqa: PLC0415 - only where entries are looked for

    return ProcessPrograms()


def _desktop_observer() -> LocalDesktopObserver:
    from adapters.desktop.desktop_observer import LocalDesktopObserver  # noqa: PLC0415 - the daemon starts without numpy

    return LocalDesktopObserver()
