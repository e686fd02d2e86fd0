"""A running daemon's recorder and its reload, asked over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from core.reload.offers import Option, Question
from core.reload.views import EntryView, ImportAnswer, ListedEntry
from core.runs.run import ReplayRequest, RunRequest
from server.client.jobs import ask, object_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from core.values import Value
    from server.client.address import Address


class RemoteActionCache:
    """``core.reload.reloads.ActionCache`` by a daemon's HTTP routes.

    Args:
        where: the daemon's address.

    """

    def __init__(self, where: Address) -> None:
        self._where = where

    def options(self, question: Question) -> Sequence[Option]:
        """What may be done again now."""
        asked = {
            "triggerType": question.trigger_type,
            "triggerTarget": question.trigger_target,
            "request": question.request,
            "windowState": question.window_state,
        }
        body = {name: value for name, value in asked.items() if value is not None}
        return [Option.model_validate(each) for each in self._ask("POST", "/reload/options", json=body)["options"]]

    def begin(
        self,
        cache_id: str,
        skip_indices: Collection[int],
        params: Mapping[str, str],
        usual: RunRequest,
        admit: Callable[[RunRequest], RunRequest],
    ) -> tuple[str, Value]:
        """The daemon judges it when it is submitted."""
        del admit
        wanted = ReplayRequest(cache_id=cache_id, skip_indices=tuple(skip_indices))
        return "replay", usual.model_copy(update={"reload": wanted, "params": dict(params)})

    def entries(self, limit: int, offset: int = 0) -> Sequence[ListedEntry]:
        """A page of the entries, the newest first."""
        found = self._ask("GET", f"/reload?limit={limit}&offset={offset}")
        return [ListedEntry.model_validate(each) for each in found["entries"]]

    def count(self) -> int:
        """Number of entries."""
        return int(self._ask("GET", "/reload?limit=1")["count"])

    def entry(self, entry_id: str) -> EntryView:
        """The entry of that id."""
        return EntryView.model_validate(self._ask("GET", f"/reload/{quote(entry_id, safe='')}"))

    def forget(self, entry_id: str) -> None:
        """Remove the entry permanently."""
        self._ask("DELETE", f"/reload/{quote(entry_id, safe='')}")

    def forget_all(self) -> int:
        """Remove all entries permanently; returns their number."""
        return int(self._ask("DELETE", "/reload")["forgotten"])

    def export(self) -> bytes:
        """All entries as a file of UTF-8 JSON."""
        return ask(self._where, "GET", "/reload/export")

    def import_(self, data: bytes) -> ImportAnswer:
        """Store the valid entries of a file."""
        headers = {"Content-Type": "application/json"}
        answer = ask(self._where, "POST", "/reload/import", content=data, headers=headers)
        return ImportAnswer.model_validate_json(answer)

    def statistics(self) -> Mapping[str, Any]:
        """Statistics since the first entry."""
        return self._ask("GET", "/reload/stats")

    def _ask(self, method: str, path: str, **content: Any) -> dict[str, Any]:
        return object_of(ask(self._where, method, path, **content))


def ask_recorder(where: Address, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What the daemon answers; to forget a long stretch takes minutes, because segments are encoded anew."""
    return object_of(ask(where, method, path, seconds=900.0, json=body))
