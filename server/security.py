"""Who may talk to the daemon: one guard before every route, and the account at the other end of a connection."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import ipaddress
import logging
import os
import re
import socket
import struct
from enum import StrEnum
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

from sse_starlette.sse import SendTimeoutError
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, cookie_parser

from core.tokens import PREFIX, Bearer
from server.dashboard.pages import ROOT, SIGN_IN
from server.dashboard.pages import response as page_response
from server.http.errors import WRITES, failed_response, methods_of, refusal, shaped, stopping
from server.identity import PAGE_HEADER, SESSION_COOKIE, Credentials
from server.scopes import BEARER, LIVE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from starlette.requests import HTTPConnection
    from starlette.responses import Response
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from config.settings import Settings
    from server.metrics import Requests
    from server.scopes import ScopeRules
    from storage.tokens import Tokens


PEER_ACCOUNT: Final = "peer_account"
"""Where a request's ASGI scope has in its ``state`` what ``account_of`` answered for its connection."""
Address = tuple[Any, ...]
"""As ``getsockname`` gives it: host and port first."""

_NETLINK_SOCK_DIAG: Final = 4
_SOCK_DIAG_BY_FAMILY: Final = 20
_NLM_F_REQUEST: Final = 1
_HEADER: Final = struct.Struct("=IHHII")
"""``struct nlmsghdr``: length, type, flags, sequence, port."""
_REQUEST: Final = struct.Struct("=BBBxI 2s2s16s16sIII")
"""``struct inet_diag_req_v2``: family, protocol, extensions, states; ports and addresses, interface, cookie."""
_ANSWER: Final = struct.Struct("=xB2x 48x 12x II")
"""The part of ``struct inet_diag_msg`` that is used: state, account, inode."""
_ANY_COOKIE: Final = 0xFFFFFFFF
_CONNECTED: Final = frozenset({1, 4, 5, 8, 9, 11})
"""Socket states after a complete handshake: established, or one side has closed (include/net/tcp_states.h)."""
_ACCOUNTS: Final = 2**32 - 1
"""How many ids there are; a user namespace that maps as many has a name for each account."""


class _Row(NamedTuple):
    state: int
    account: int
    inode: int


def account_of(peer: Address, own: Address) -> int | None:
    """The user id that opened the socket at ``peer`` which is connected to ``own``; ``None`` when it is not certain.

    It takes some 20 µs and never blocks. A socket that its program has closed, or that waits for late packets, belongs
    to no account any more: the kernel reports it with inode 0 and user id 0, which must not be taken for root.
    """
    row = _row(peer, own)
    return row.account if row is not None and row.state in _CONNECTED else None


def can_ask(listener: socket.socket) -> bool:
    """Whether the kernel answers here: asked for a listening socket of this process."""
    own = listener.getsockname()
    row = _row(own, (own[0], 1))
    return row is not None and row.account == os.geteuid()


def is_own(account: int | None) -> bool:
    """Whether it is the account of this process, or root's, which can read and stop this process anyway."""
    return account is not None and account in {0, os.geteuid()}


def _row(local: Address, remote: Address) -> _Row | None:
    """What the kernel knows of the socket at ``local``, if that belongs to an account."""
    try:
        answer = _ask(_question(local, remote))
    except (OSError, AttributeError):  # AttributeError: a platform without netlink
        return None
    length, kind, *_ = _HEADER.unpack_from(answer)
    if kind != _SOCK_DIAG_BY_FAMILY or length < _HEADER.size + _ANSWER.size:
        return None
    row = _Row(*_ANSWER.unpack_from(answer, _HEADER.size))
    return None if row.inode == 0 or row.account == _unnamed() else row


def _question(local: Address, remote: Address) -> bytes:
    family = socket.AF_INET6 if ":" in local[0] else socket.AF_INET
    ports = (port.to_bytes(2, "big") for port in (local[1], remote[1]))
    hosts = (socket.inet_pton(family, host.partition("%")[0]) for host in (local[0], remote[0]))
    exact = (0, _ANY_COOKIE, _ANY_COOKIE)
    body = _REQUEST.pack(family, socket.IPPROTO_TCP, 0, 0xFFFFFFFF, *ports, *hosts, *exact)
    return _HEADER.pack(_HEADER.size + len(body), _SOCK_DIAG_BY_FAMILY, _NLM_F_REQUEST, 1, 0) + body


def _ask(question: bytes) -> bytes:
    # A socket for each question: no answer can be that to another one. The kernel answers within `sendto`.
    kind = socket.SOCK_RAW | socket.SOCK_CLOEXEC
    with contextlib.closing(socket.socket(socket.AF_NETLINK, kind, _NETLINK_SOCK_DIAG)) as kernel:
        kernel.sendto(question, (0, 0))
        return kernel.recv(4096, socket.MSG_DONTWAIT)


@cache
def _unnamed() -> int | None:
    """The id by which this user namespace calls every account that it has no id for, ``None`` where it has them all."""
    try:
        lines = Path("/proc/self/uid_map").read_bytes().splitlines()
        if sum(int(line.split()[2]) for line in lines) >= _ACCOUNTS:
            return None
        return int(Path("/proc/sys/kernel/overflowuid").read_bytes())
    except (OSError, ValueError):
        return None


log = logging.getLogger("vaider.http")

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
MAX_OTHER_BODY: Final = 4 * 1024 * 1024
"""Bytes of any body but an upload; ``/mcp`` takes as much."""
LARGE_BODIES: Final = {"/reload/import": 50 * 1024 * 1024}
"""Paths whose bodies may have more bytes: files that Vaider wrote itself, pictures and all."""
UPLOAD_PATHS: Final = frozenset({"/analyse", "/v1/analyse", "/tasks", "/workflows/import"})
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?", re.IGNORECASE)
_SESSION: Final = "/session"
_JSON: Final = frozenset({"application/json"})
_BODIES: Final = _JSON | {"multipart/form-data"}
_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is reachable from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_near(request: HTTPConnection) -> bool:
    """Whether the caller is on this machine, and not behind a proxy of it."""
    forwarded = any(name in request.headers for name in ("forwarded", "x-forwarded-for"))
    return not forwarded and (request.client is None or is_loopback(request.client.host))


class Access(StrEnum):
    """Whose requests need the token."""

    CLOSED = "closed"
    """Everybody's."""
    OWN_ACCOUNT = "own_account"
    """Those of accounts other than the daemon's own and root."""
    OPEN = "open"
    """None: only this machine can connect, and its kernel does not tell which account does."""


def needs_token(settings: Settings) -> bool:
    """Whether every request must carry the token, a local one too."""
    # Who comes through a proxy has the proxy's account.
    return settings.require_token or bool(settings.public_url) or not is_loopback(settings.host)


def access_of(settings: Settings, listener: socket.socket) -> Access:
    """Whose requests need the token at a daemon that listens there."""
    if needs_token(settings):
        return Access.CLOSED
    return Access.OWN_ACCOUNT if can_ask(listener) else Access.OPEN


def allowed_hosts(bound: str, further: Iterable[str]) -> frozenset[str]:
    """The names that a ``Host`` header may carry: this machine's, the bound address, and those of the settings."""
    own = f"[{bound}]" if ":" in bound else bound
    return LOOPBACK | {own.lower()} | {name.lower() for name in further}


class Guard:
    """Refuses what is not addressed to this daemon, and sees to it that nothing but the one error shape gets out.

    Args:
        app: what is guarded.
        hosts: lower-case names, as ``allowed_hosts`` gives them.
        access: whose requests must carry the token in ``Authorization: Bearer``.
        routes: those of ``app``, which answers requests that none of them takes.
        credentials: the token, and by which pages of ours and browsers that have signed in are known.
        tokens: the named ones.
        rules: what the named ones are for.
        requests: counts what was answered.

    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: frozenset[str],
        credentials: Credentials,
        access: Access,
        routes: Sequence[BaseRoute],
        tokens: Tokens,
        rules: ScopeRules,
        requests: Requests,
    ) -> None:
        self._app = app
        self._tokens = tokens
        self._rules = rules
        self._requests = requests
        self._routes = routes
        self._hosts = hosts
        self._access = access
        self._credentials = credentials

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection's request, as ASGI asks."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._serve(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def send_guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                self._requests.count(scope, message["status"])
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            refused = await self._refuse(scope)
            await (refused or self._app)(scope, receive, send_guarded)
        except asyncio.CancelledError:
            # uvicorn cancels what is still being answered when the daemon stops, and would say 500 to it.
            if started:
                raise
            await stopping()(scope, receive, send_guarded)
        except ClientDisconnect:
            log.info("client.gone", extra={"path": scope["path"]})
        except SendTimeoutError:
            log.info("viewer.too_slow", extra={"path": scope["path"]})
        except Exception as error:  # noqa: BLE001 - besides our own faults: the database that knows the tokens is away
            answer = failed_response(scope["path"], error)
            if not started:
                await answer(scope, receive, send_guarded)

    async def _refuse(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if (unfit := self._refuse_host(headers) or self._refuse_origin(headers)) is not None:
            return unfit
        bearer: Bearer | None = None
        given = _bearer_token(headers)
        if given.startswith(PREFIX) and not self._bears_token(headers):
            bearer = await asyncio.to_thread(self._tokens.bearer, given)
            if bearer is None:
                return _no_token(
                    "This token is unknown, revoked or expired: ask the server's administrator for another."
                )
        elif (stranger := self._refuse_stranger(scope, headers)) is not None:
            return stranger
        scope.setdefault("state", {})[BEARER] = bearer or Bearer()
        if bearer is not None and (refused := await self._rules.refuse(bearer, scope)) is not None:
            return refused
        pages = None if bearer is not None else self._refuse_other_pages(scope, headers)
        return pages or self._refuse_body(scope, headers)

    def _refuse_host(self, headers: Headers) -> Response | None:
        given = headers.getlist("host")
        if len(given) == 1 and self._knows(given[0]):
            return None
        return refusal(
            HTTPStatus.MISDIRECTED_REQUEST,
            "This Host name is not served. Use 127.0.0.1 or localhost, or add the name to the setting allowed_hosts.",
        )

    def _refuse_origin(self, headers: Headers) -> Response | None:
        origins = headers.getlist("origin")
        if not origins:
            # A page elsewhere that embeds us sends no Origin, but browsers tell on it.
            foreign = headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate"
        else:
            foreign = not all(self._trusts(origin) for origin in origins)
        if not foreign:
            return None
        return refusal(
            HTTPStatus.FORBIDDEN, "Pages from other sites may not talk to Vaider; call it from this machine."
        )

    def _refuse_stranger(self, scope: Scope, headers: Headers) -> Response | None:
        if self._admits(scope) or self._bears_token(headers):
            return None
        if self._credentials.is_session(cookie_parser(headers.get("cookie", "")).get(SESSION_COOKIE, "")):
            return None
        path = scope["path"]
        if path == LIVE and self._access is Access.CLOSED:
            return None
        if path.startswith(f"{ROOT}/assets/") or (path == _SESSION and scope["method"] == "POST"):
            return None
        if scope["method"] == "GET" and "text/html" in headers.get("accept", ""):
            # Without what the writes of our pages carry: signing in does not need it.
            return page_response(SIGN_IN, "", HTTPStatus.UNAUTHORIZED)
        reason = (
            "This daemon asks for its token in every request"
            if self._access is Access.CLOSED
            else "This daemon belongs to another account of this machine, or yours could not be determined"
        )
        message = f"{reason}: send 'Authorization: Bearer <the text of data_dir/token>'."
        return _no_token(message, access=self._access.value)

    def _admits(self, scope: Scope) -> bool:
        if self._access is Access.OWN_ACCOUNT:
            return is_own(scope.get("state", {}).get(PEER_ACCOUNT))
        return self._access is Access.OPEN

    def _refuse_other_pages(self, scope: Scope, headers: Headers) -> Response | None:
        """A browser's write must come from a page of ours, also where another page of this machine could send it."""
        is_browser = "origin" in headers or "sec-fetch-site" in headers
        if not is_browser or scope["method"] not in WRITES | {"DELETE"} or scope["path"] in {"/mcp", _SESSION}:
            return None
        if self._credentials.is_page(headers.get(PAGE_HEADER, "")) or self._bears_token(headers):
            return None
        message = "This page was not served by this daemon; load the dashboard again, or call the API from a program."
        return shaped(HTTPStatus.FORBIDDEN, {"error": message, "code": "stale_page"})

    def _refuse_body(self, scope: Scope, headers: Headers) -> Response | None:
        refused = _unfit_body(scope, headers)
        # What no route takes is answered 404 or 405 by the app, whatever body it has; that is not read.
        return refused if refused is not None and scope["method"] in methods_of(self._routes, scope) else None

    def _bears_token(self, headers: Headers) -> bool:
        return hmac.compare_digest(_bearer_token(headers).encode(), self._credentials.secret.encode())

    def _knows(self, host: str) -> bool:
        match = _HOST.fullmatch(host)
        return match is not None and (match[1].lower() in self._hosts or host.lower() in self._hosts)

    def _trusts(self, origin: str) -> bool:
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme in {"http", "https"} and not parts.path and self._knows(parts.netloc)


def _bearer_token(headers: Headers) -> str:
    """What stands behind ``Authorization: Bearer``; empty for none."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _no_token(message: str, **details: str) -> Response:
    body = {"error": message, "code": "forbidden", **details}
    return shaped(HTTPStatus.UNAUTHORIZED, body, {"WWW-Authenticate": "Bearer"})


def _unfit_body(scope: Scope, headers: Headers) -> Response | None:
    uploads = scope["path"] in UPLOAD_PATHS
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if scope["method"] in WRITES and media_type not in (_BODIES if uploads else _JSON):
        also = " or multipart/form-data" if uploads else ""
        return refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"Send application/json{also}, and say so in Content-Type.")
    length = headers.get("content-length", "0")
    limit = LARGE_BODIES.get(scope["path"], MAX_OTHER_BODY)
    if not uploads and length.isdecimal() and int(length) > limit:
        return refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The body is over {limit} bytes; send less.")
    return None
