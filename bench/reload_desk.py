"""A desk to ask for reload: a real store of entries, programs that come and go, and a clock that is set.

What is asked goes through the use case of every front end. The entries begin with a key, so that no target has to be
found in a picture: how well that is done is measured by itself.
"""

from __future__ import annotations

import base64
import functools
import random
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from adapters.desktop.eyesight.targets import ScreenTargets
from adapters.embeddings import StaticWords
from bench.reload_set import Recording
from core.reload.context import ContextGate
from core.reload.entry import Anchor, CachedAction, Draft, Fingerprint, Origin, Slot, WindowIdentity
from core.reload.entry_keys import keys_of, ngrams, window_state_hash
from core.reload.offers import OfferBook, Option, Question
from core.reload.options import ActionCacheOptions
from core.reload.ports import Surroundings
from core.reload.templates import PARTS, Template
from core.screens import Box, Picture, Point, TextLine, Window
from storage.database import Database
from storage.reload.entries import SqlEntryStore

WORKBENCH: Final = "Workbench"
BEGIN: Final = datetime(2026, 11, 23, 8, tzinfo=UTC)
PICTURE: Final = 6_000
"""Bytes of a target's picture: what a button and its surroundings take."""
SIZE: Final = Box(x=0, y=0, width=800, height=600)


@functools.cache
def _meanings() -> StaticWords:
    return StaticWords()


class Unread:
    """Reads nothing: the desk's windows are blank."""

    def read(self, picture: Picture) -> Sequence[TextLine]:  # noqa: ARG002 - the port's
        """No line."""
        return ()


class Desk:
    """Keeps entries, and tells what may be done again.

    Args:
        database: of its own.
        max_entries: as the store has it.
        max_bytes: the same.
        max_idle_hours: the same.

    """

    def __init__(self, database: Database, *, max_entries: int, max_bytes: int, max_idle_hours: float) -> None:
        self.now = BEGIN
        self.applications: Sequence[str] = (WORKBENCH,)
        """Whose windows are there."""
        self.revisions: dict[str, str] = {}
        """Of workflows that were changed since the beginning."""
        self.entries = SqlEntryStore(
            database,
            "bench",
            max_entries=max_entries,
            max_bytes=max_bytes,
            max_idle_hours=max_idle_hours,
            clock=lambda: self.now,
        )
        self._picture = Picture(SIZE.width, SIZE.height, bytes(SIZE.width * SIZE.height * 4), 0.0)
        self._options = ActionCacheOptions(
            entries=self.entries,
            book=OfferBook(),
            context=ContextGate(self, ScreenTargets(), Unread, self),
            meanings=_meanings,
            revision=lambda origin: self.revision(origin.name),
        )

    @classmethod
    @contextmanager
    def opened(
        cls, folder: Path, *, max_entries: int = 10_000, max_bytes: int = 1 << 30, max_idle_hours: float = 720.0
    ) -> Generator[Desk]:
        """One with a new store in that folder."""
        folder.mkdir(exist_ok=True)
        database = Database(f"sqlite:///{folder / 'reload.db'}")
        database.open()
        try:
            yield cls(database, max_entries=max_entries, max_bytes=max_bytes, max_idle_hours=max_idle_hours)
        finally:
            database.close()

    def keep(self, draft: Draft) -> str:
        """Tells its id."""
        return self.entries.keep(draft, keys_of(draft)).id

    def options(self, question: Question) -> tuple[Option, ...]:
        """What every front end is told."""
        return self._options.options(question)

    def revision(self, workflow: str) -> str:
        """How a workflow is now."""
        return self.revisions.get(workflow, "as it was")

    def look(self) -> Surroundings:
        """Its desktop: a window for each application that is there."""
        windows = (
            Window(id=number, title=name, application=name, pid=None, box=SIZE, focused=number == 1)
            for number, name in enumerate(self.applications, 1)
        )
        return Surroundings(self._picture, tuple(windows), (SIZE.width, SIZE.height))

    def program(self, window: Window) -> str:
        """What is behind a window."""
        return window.application.lower()


def build_draft(recording: Recording) -> Draft:
    """The entry of a labelled recording: each value is typed into a field of its own."""
    return draft_with(
        recording.question, recording.values, WORKBENCH, picked=recording.picked, unsaid=recording.typed, picture=0
    )


def draft_with(
    question: Question,
    values: Mapping[str, str],
    application: str,
    *,
    picked: Iterable[str] = (),
    unsaid: Iterable[str] = (),
    origin: Origin | None = None,
    picture: int = PICTURE,
) -> Draft:
    """An entry of a verified run.

    Args:
        question: what was asked for, and when.
        values: of the request, each of which was typed into a field of its own.
        application: in whose window.
        picked: names of values that were clicked instead.
        unsaid: what was typed besides.
        origin: the workflow that was carried out; without one a client did it.
        picture: bytes of what a target looks like; 0 for targets without.

    """
    shown = random.Random(question.request)
    window = WindowIdentity(application=application, program=application.lower(), title=Template(parts=(application,)))

    def click() -> CachedAction:
        place = Point(x=40, y=40)
        anchor = Anchor(
            image=base64.b64encode(shown.randbytes(picture)).decode(),
            core=Box(x=8, y=8, width=24, height=24),
            point=Point(x=20, y=20),
            place=place,
        )
        action = {"action": "left_click", "at": {"x": 40, "y": 40}}
        return CachedAction(action=action, window=window, anchor=anchor if picture else None)

    def entered(text: object) -> CachedAction:
        return CachedAction(action={"action": "type", "text": text}, window=window, follows=True)

    first = CachedAction(action={"action": "key", "keys": ["ctrl", "n"]}, window=window)
    clicked = set(picked)
    typed: list[object] = [{PARTS: [{"slot": name}]} for name in values if name not in clicked]
    fields = [action for text in (*typed, *unsaid) for action in (click(), entered(text))]
    return Draft(
        fingerprint=Fingerprint(
            trigger_type=question.trigger_type or "user_message",
            trigger_target=question.trigger_target or "",
            context_ngrams=ngrams(question.request),
            window_state_hash=window_state_hash(question.window_state),
        ),
        requests=(Template.of(question.request, values),),
        slots=tuple(Slot(name=name, value=value, rebinds=name not in clicked) for name, value in values.items()),
        actions=(first, *fields, click()),
        summary=question.request[:200],
        origin=origin or Origin(),
        duration_ms=30_000,
        model_calls=6,
        verified=True,
    )
