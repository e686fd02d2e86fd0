"""What a browser shows instead of the token itself: derived from it, so that they outlive the daemon's process."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import Final

PAGE_HEADER: Final = "x-vaider-page"
"""The request header by which a page of ours shows that the daemon served it."""
SESSION_COOKIE: Final = "vaider_session"


@dataclass(frozen=True, slots=True)
class Credentials:
    """Who a browser is.

    Args:
        secret: of this data directory; it is in no page, no cookie and no answer.

    """

    secret: str

    @property
    def page(self) -> str:
        """What each page of ours holds; other origins cannot read it, so what carries it is ours."""
        return self._derived("page")

    @property
    def session(self) -> str:
        """What the cookie of a browser holds that has signed in."""
        return self._derived("session")

    def is_page(self, given: str) -> bool:
        """Whether a request comes from a page of ours."""
        return hmac.compare_digest(given.encode(), self.page.encode())

    def is_session(self, given: str) -> bool:
        """Whether a cookie is of a browser that has signed in."""
        return hmac.compare_digest(given.encode(), self.session.encode())

    def _derived(self, purpose: str) -> str:
        return hmac.new(self.secret.encode(), purpose.encode(), hashlib.sha256).hexdigest()
