"""Where a daemon listens, as its clients see it; apart from them, since the daemon itself asks too."""

from __future__ import annotations

import contextlib
import ipaddress
import os
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from config.settings import Settings


class Address(NamedTuple):
    """Where a daemon of these settings listens, or a server that is named, and the token that it may ask for."""

    url: str
    token: str | None
    is_named: bool = False
    """Whether it is a server that the caller names: it has none of this machine's files."""

    @property
    def is_far(self) -> bool:
        """Whether it may be reached by a proxy that the environment names."""
        host = urlsplit(self.url).hostname or ""
        with contextlib.suppress(ValueError):
            return self.is_named and not ipaddress.ip_address(host).is_loopback
        return self.is_named and host != "localhost"


def address(settings: Settings, environment: Mapping[str, str] = os.environ) -> Address:
    """The daemon's address as seen from this machine.

    The token is read, never made, and only on request, so that a foreign server on a loopback port does not learn it.
    """
    host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(settings.host, settings.host)  # noqa: S104 - compared, not bound
    url = f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"
    asks = settings.require_token or settings.public_url
    if not asks and settings.host in {"127.0.0.1", "localhost", "::1"}:
        return Address(url, None)
    token = environment.get("VAIDER_TOKEN")
    if not token:
        with contextlib.suppress(OSError, UnicodeDecodeError):
            token = (settings.data_path / "token").read_text(encoding="utf-8").strip()
    return Address(url, token or None)
