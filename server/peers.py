"""Which account is at the other end of a connection on this machine, by the kernel's socket table (sock_diag(7))."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

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
