"""Reload on a database of its own, which is made when somebody first asks for it; no screen is read."""

import contextlib
import functools
from collections.abc import Sequence

from adapters.desktop.eyesight.targets import ScreenTargets
from config.settings import Settings
from core.screens import Picture, TextLine
from server.composition.reload import ActionCacheServices
from server.presenters import tasks_of
from storage.database import Database
from storage.runs import RunFolders
from storage.workflows.workflows import WorkflowFolders


class NoReader:
    """Implements ``core.reload.ports.Reader`` for whom no picture is shown."""

    def read(self, picture: Picture) -> Sequence[TextLine]:
        raise AssertionError(f"a picture of {picture.width} pixels was read")


def kept_reload(settings: Settings, closing: contextlib.ExitStack) -> ActionCacheServices:
    """Ready to be asked; ``closing`` lets go of the database."""

    @functools.cache
    def database() -> Database:
        made = Database(settings.resolved_database_url)
        made.open()
        closing.callback(made.close)
        return made

    return ActionCacheServices(
        settings,
        database,
        workflows=WorkflowFolders(settings.workflow_roots),
        tasks=tasks_of(settings),
        runs=RunFolders(data_dir=settings.data_path, encode=lambda _: b"", redact=lambda text: text),
        reader=NoReader(),
        targets=ScreenTargets(),
        is_alive=lambda _: True,
        offered=lambda: None,
    )
