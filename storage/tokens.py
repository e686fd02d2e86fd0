"""The tokens of a team's server; of each secret its hash alone is kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from core.errors import Conflict, NotFound
from core.tokens import PREFIX, Bearer, Limits, Scope, TokenInfo
from storage.schema import TOKENS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from storage.database import Database

_SECRET_BYTES: Final = 32
_UNLIMITED: Final = Limits()
_LONGEST: Final = 200
"""Characters of what is looked at as a token; a real one has 64."""


class Tokens:
    """Makes, lists and revokes tokens, and tells whose a given one is. Safe from any thread.

    Args:
        database: open.
        owner: the installation that they open.

    """

    def __init__(self, database: Database, owner: str) -> None:
        self._database = database
        self._owner = owner
        self._mine = TOKENS.c.owner == owner

    def add(self, name: str, scope: Scope, expires_at: datetime | None, limits: Limits = _UNLIMITED) -> str:
        """Make a token; it is returned this once. Raises ``Conflict`` for a name that is taken."""
        key = secrets.token_hex(4)
        token = f"{PREFIX}{key}_{secrets.token_urlsafe(_SECRET_BYTES)}"
        row = {"owner": self._owner, "name": name, "key": key, "hash": _hash(token), "scope": scope.value}
        row |= {"created_at": _text(datetime.now(UTC)), "expires_at": _text(expires_at) if expires_at else None}
        row |= limits.model_dump()
        with self._database.write() as connection:
            taken = connection.execute(sa.select(TOKENS.c.key).where(self._mine, TOKENS.c.name == name)).first()
            if taken is not None:
                raise Conflict(f"There is a token {name!r} already; revoke it first, or take another name.")
            connection.execute(sa.insert(TOKENS).values(**row, used_on=""))
        return token

    def list(self) -> Sequence[TokenInfo]:
        """All that were not revoked, by name."""
        with self._database.read() as connection:
            rows = connection.execute(sa.select(TOKENS).where(self._mine).order_by(TOKENS.c.name)).all()
        return [_info(row) for row in rows]

    def revoke(self, name: str) -> None:
        """Refuse a token from now on. Raises ``NotFound``."""
        with self._database.write() as connection:
            if not connection.execute(sa.delete(TOKENS).where(self._mine, TOKENS.c.name == name)).rowcount:
                raise NotFound(f"There is no token {name!r}; `vaider tokens list` names them.")

    def bearer(self, token: str) -> Bearer | None:
        """Whose it is; ``None`` for one that is unknown, revoked or expired."""
        key = token.removeprefix(PREFIX).partition("_")[0]
        if not token.startswith(PREFIX) or len(token) > _LONGEST or not token.isascii():
            return None
        with self._database.read() as connection:
            row = connection.execute(sa.select(TOKENS).where(self._mine, TOKENS.c.key == key)).first()
        if row is None or not hmac.compare_digest(row.hash, _hash(token)):
            return None
        now = datetime.now(UTC)
        info = _info(row)
        if info.expires_at is not None and info.expires_at <= now:
            return None
        today = now.date().isoformat()
        if info.used_on != today:
            with self._database.write() as connection:
                connection.execute(sa.update(TOKENS).where(self._mine, TOKENS.c.key == key).values(used_on=today))
        limits = Limits(waiting=info.waiting, bytes_a_day=info.bytes_a_day)
        return Bearer(name=info.name, scope=info.scope, limits=limits)


def _info(row: sa.Row[tuple[object, ...]]) -> TokenInfo:
    return TokenInfo.model_validate({name: getattr(row, name) for name in TokenInfo.model_fields})


def _hash(token: str) -> str:
    # No slow hash: what is hashed has 256 random bits.
    return hashlib.sha256(token.encode()).hexdigest()


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")
