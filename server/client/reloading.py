"""Reload as commands and stdio use it, wherever it is: in the running daemon, or in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from core.reload.views import listed, offered, to_entry_view
from core.runs.run import RunRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from core.reload.offers import Question
    from core.reload.reloads import ActionCache
    from core.reload.views import EntryView, ImportAnswer, ListedEntry, OptionView
    from core.values import Value


class ActionCacheClient(Protocol):
    """What there is to ask; every method blocks, and raises ``VaiderError`` as ``core.reload.reloads`` does."""

    def options(self, question: Question) -> Sequence[OptionView]:
        """What may be done again now."""
        ...

    def begin(
        self, cache_id: str, skip_indices: Sequence[int], params: Mapping[str, str], usual: RunRequest
    ) -> tuple[str, Value]:
        """The kind and the request of the job that does it again, to be submitted."""
        ...

    def entries(self, limit: int, offset: int = 0) -> Sequence[ListedEntry]:
        """Those used last, the newest first."""
        ...

    def count(self) -> int:
        """Number of entries."""
        ...

    def entry(self, entry_id: str) -> EntryView:
        """One whole, without its pictures."""
        ...

    def forget(self, entry_id: str) -> None:
        """Remove the entry permanently."""
        ...

    def forget_all(self) -> int:
        """Remove all entries permanently; returns their number."""
        ...

    def export(self) -> bytes:
        """All entries as a file of UTF-8 JSON."""
        ...

    def import_(self, data: bytes) -> ImportAnswer:
        """Store the valid entries of a file."""
        ...

    def statistics(self) -> Mapping[str, Any]:
        """What is kept, what came of it, and what it saved."""
        ...


class LocalActionCache:
    """Implements ``ActionCacheClient`` in this process.

    Args:
        reloads: the use case, built when it is first needed.
        admit: refuses at once a run that is plainly wrong, see ``core.runs.replay.Replay.admit``.

    """

    def __init__(self, reloads: Callable[[], ActionCache], admit: Callable[[RunRequest], RunRequest]) -> None:
        self._reloads = reloads
        self._admit = admit

    def options(self, question: Question) -> Sequence[OptionView]:
        """See ``ActionCacheClient``, as for the others."""
        return [offered(option) for option in self._reloads().options(question)]

    def begin(
        self, cache_id: str, skip_indices: Sequence[int], params: Mapping[str, str], usual: RunRequest
    ) -> tuple[str, Value]:
        """Admitted already."""
        kind, request = self._reloads().begin(cache_id, skip_indices, params, usual)
        return kind, self._admit(request) if isinstance(request, RunRequest) else request

    def entries(self, limit: int, offset: int = 0) -> Sequence[ListedEntry]:
        """A page of the entries, the newest first."""
        return [listed(entry) for entry in self._reloads().entries(limit, offset)]

    def count(self) -> int:
        """Number of entries."""
        return self._reloads().count()

    def entry(self, entry_id: str) -> EntryView:
        """The entry of that id."""
        reloads = self._reloads()
        entry = reloads.entry(entry_id)
        return to_entry_view(entry, stale=reloads.stale(entry))

    def forget(self, entry_id: str) -> None:
        """Remove the entry permanently."""
        self._reloads().forget(entry_id)

    def forget_all(self) -> int:
        """Remove all entries permanently; returns their number."""
        return self._reloads().forget_all()

    def export(self) -> bytes:
        """All entries as a file of UTF-8 JSON."""
        return self._reloads().export()

    def import_(self, data: bytes) -> ImportAnswer:
        """Store the valid entries of a file."""
        return self._reloads().import_(data)

    def statistics(self) -> Mapping[str, Any]:
        """Statistics since the first entry."""
        return self._reloads().statistics()
