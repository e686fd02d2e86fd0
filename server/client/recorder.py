"""A running daemon's recorder, asked over HTTP."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast

import httpx2

from core.errors import Internal
from server.client.jobs import error_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from server.client.address import Address

_PATIENCE: Final = httpx2.Timeout(900.0, connect=2.0)
"""To forget a long stretch, segments are encoded anew."""


def ask_recorder(where: Address, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What the daemon answers.

    Raises:
        VaiderError: what it refuses, as it words it.
        Internal: it does not answer.

    """
    headers = {"Authorization": f"Bearer {where.token}"} if where.token else {}
    try:
        with httpx2.Client(base_url=where.url, headers=headers, timeout=_PATIENCE, trust_env=False) as client:
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
