"""The answer to an HTTP GET: bounded in size and time, and of the named host alone."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

from core.errors import EffectUnreadable

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_BYTES: Final = 8 * 2**20
SECONDS: Final = 15.0
_SILENT_SECONDS: Final = 5.0
_REDIRECTS: Final = 3


def get(address: str, raise_if_cancelled: Callable[[], None], *, accept: str = "application/json") -> bytes:
    """The body. Raises ``EffectUnreadable`` for everything but a whole answer with status 2xx."""
    import httpx2  # noqa: PLC0415 - a tenth of a second, and few runs need it

    ends = time.monotonic() + SECONDS
    headers = {"accept": accept, "user-agent": "vaider", "cache-control": "no-cache"}
    try:
        with httpx2.Client(headers=headers, timeout=_SILENT_SECONDS, follow_redirects=False) as client:
            at = address
            for _ in range(_REDIRECTS + 1):
                with client.stream("GET", at) as response:
                    if response.is_redirect:
                        at = _same_host(address, urljoin(at, response.headers.get("location", "")))
                        continue
                    if not response.is_success:
                        raise EffectUnreadable(f"{address} answers with status {response.status_code}.")
                    body = bytearray()
                    for piece in response.iter_bytes():
                        raise_if_cancelled()
                        body += piece
                        if len(body) > MAX_BYTES:
                            raise EffectUnreadable(f"{address} answers with more than {MAX_BYTES // 2**20} MB.")
                        if time.monotonic() > ends:
                            raise EffectUnreadable(f"{address} has not answered whole in {SECONDS:.0f} s.")
                    return bytes(body)
    except (httpx2.RequestError, httpx2.InvalidURL) as error:
        raise EffectUnreadable(f"{address} gives no answer ({type(error).__name__}).") from error
    raise EffectUnreadable(f"{address} redirects more than {_REDIRECTS} times.")


def _same_host(address: str, target: str) -> str:
    named, other = urlsplit(address), urlsplit(target)
    if (named.scheme, named.netloc) != (other.scheme, other.netloc):
        raise EffectUnreadable(f"{address} redirects to another host, {other.netloc[:100]}, which is not read.")
    return target
