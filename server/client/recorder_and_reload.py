"""A running daemon's recorder and its reload, asked over HTTP."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote

import httpx2

from core.errors import Internal
from core.reload.views import EntryView, ImportAnswer, ListedEntry, OptionView
from core.runs.run import ReloadRequest
from server.client.jobs import error_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.reload.offers import Question
    from core.runs.run import RunRequest
    from core.values import Value
    from server.client.address import Address


_PATIENCE: Final = httpx2.Timeout(120.0, connect=2.0)


class RemoteActionCache:
    """Implements ``server.client.reloading.ActionCacheClient`` by a daemon's HTTP routes.

    Args:
        where: the daemon's address.

    """

    def __init__(self, where: Address) -> None:
        self._where = where

    def options(self, question: Question) -> Sequence[OptionView]:
        """See ``server.client.reloading.ActionCacheClient``, as for the others."""
        asked = {
            "triggerType": question.trigger_type,
            "triggerTarget": question.trigger_target,
            "request": question.request,
            "windowState": question.window_state,
        }
        body = {name: value for name, value in asked.items() if value is not None}
        return [OptionView.model_validate(each) for each in self._ask("POST", "/reload/options", body)["options"]]

    def begin(
        self, cache_id: str, skip_indices: Sequence[int], params: Mapping[str, str], usual: RunRequest
    ) -> tuple[str, Value]:
        """The daemon judges it when it is submitted."""
        wanted = ReloadRequest(cache_id=cache_id, skip_indices=tuple(skip_indices))
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
        return self._send("GET", "/reload/export")

    def import_(self, data: bytes) -> ImportAnswer:
        """Store the valid entries of a file."""
        return ImportAnswer.model_validate_json(self._send("POST", "/reload/import", data))

    def statistics(self) -> Mapping[str, Any]:
        """Statistics since the first entry."""
        return self._ask("GET", "/reload/stats")

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return _object(self._send(method, path, json.dumps(body).encode() if body is not None else None))

    def _send(self, method: str, path: str, content: bytes | None = None) -> bytes:
        headers = {"Authorization": f"Bearer {self._where.token}"} if self._where.token else {}
        headers |= {"Content-Type": "application/json"} if content is not None else {}
        url = self._where.url
        try:
            with httpx2.Client(base_url=url, headers=headers, timeout=_PATIENCE, trust_env=False) as client:
                response = client.request(method, path, content=content)
        except httpx2.HTTPError as error:
            raise Internal(
                f"The daemon at {url} does not answer ({type(error).__name__}): start it with `vaider serve`."
            ) from None
        if not response.is_success:
            raise error_from(_object(response.content))
        return response.content


def _object(content: bytes) -> dict[str, Any]:
    try:
        found: Any = json.loads(content)
    except ValueError:
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


_RECORDER_PATIENCE: Final = httpx2.Timeout(900.0, connect=2.0)
"""To forget a long stretch, segments are encoded anew."""


def ask_recorder(where: Address, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What the daemon answers.

    Raises:
        VaiderError: what it refuses, as it words it.
        Internal: it does not answer.

    """
    headers = {"Authorization": f"Bearer {where.token}"} if where.token else {}
    try:
        with httpx2.Client(base_url=where.url, headers=headers, timeout=_RECORDER_PATIENCE, trust_env=False) as client:
            response = client.request(method, path, json=body)
            found: Any = json.loads(response.content)
    except (httpx2.HTTPError, ValueError) as error:
        raise Internal(
            f"The daemon at {where.url} does not answer ({type(error).__name__}): start it with `vaider serve`."
        ) from None
    answer = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    if not response.is_success:
        raise error_from(answer)
    return answer
