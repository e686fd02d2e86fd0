"""The token that strangers need, what a browser shows instead of it, and this installation's name."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from core.errors import InvalidSetting, StorageFailed
from core.files import Folder, make_private

_SHORTEST_TOKEN: Final = 16


def load_token(directory: Path, given: str | None = None) -> str:
    """The token that requests from elsewhere must carry: the given one, or that of ``<directory>/token``.

    The file is made when it is missing, readable by this user alone.

    Raises:
        InvalidSetting: the given token, or the file's, is too short to guard anything.
        StorageFailed: the file can be neither made nor read.

    """
    token = given or _read_or_make(directory / "token", 32)
    if len(token) < _SHORTEST_TOKEN:
        source = "VAIDER_TOKEN" if given else str(directory / "token")
        raise InvalidSetting(f"The token of {source} is shorter than {_SHORTEST_TOKEN} characters; take a longer one.")
    return token


def installation(directory: Path) -> str:
    """This data directory's name among those that share a database: the same at each start, on whatever host."""
    return _read_or_make(directory / "installation", 8)


def _read_or_make(path: Path, length: int) -> str:
    try:
        with Folder.open(make_private(path.parent)) as folder:
            folder.create(path.name, f"{secrets.token_urlsafe(length)}\n".encode())
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise StorageFailed(f"{path} cannot be used: {getattr(error, 'strerror', None) or 'it is no text'}.") from None


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
