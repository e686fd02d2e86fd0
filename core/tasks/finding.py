"""The task that somebody names: by its id, or by its title where that is enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import Conflict, NotFound

if TYPE_CHECKING:
    from core.tasks.ports import StoredTask, Tasks


def find_task(tasks: Tasks, name: str) -> StoredTask:
    """The task of that id, else the only one of that title.

    Raises:
        NotFound: there is none; the message has the nearest id.
        Conflict: several have that title.

    """
    words = " ".join(name.split()).casefold()
    try:
        return tasks.load(name)
    except NotFound:
        same = [each.id for each in tasks.list() if each.title.casefold() == words]
        if not same:
            raise
    if len(same) > 1:
        raise Conflict(f"Several tasks are called {name[:100]!r}: name one by its id, {' or '.join(same[:5])}.")
    return tasks.load(same[0])
