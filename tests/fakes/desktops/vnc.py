"""A person who looks at a display through VNC and moves its mouse: as much of RFC 6143 as that takes."""

import socket
import struct
from collections.abc import Generator
from contextlib import contextmanager
from urllib.parse import urlsplit

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.modes import ECB

from tests.clock import until

_PASSWORD, _PATIENCE = 2, 20.0


class Viewer:
    """A connection to a viewer's address, not yet let in."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._take(12)
        connection.sendall(b"RFB 003.008\n")
        self.ways_in = list(self._take(self._take(1)[0]))
        """The security types that are offered: 1 is none, 2 a password."""

    def enter(self, password: str) -> bool:
        """Whether the password lets in."""
        self._connection.sendall(bytes([_PASSWORD]))
        # VNC takes the bits of each letter from behind. Three equal keys make triple DES the plain one.
        key = bytes(int(f"{letter:08b}"[::-1], 2) for letter in password.encode().ljust(8, b"\0")[:8])
        encryptor = Cipher(TripleDES(key * 3), ECB()).encryptor()  # noqa: S305 - as the protocol has it
        self._connection.sendall(encryptor.update(self._take(16)))
        if struct.unpack(">I", self._take(4)) != (0,):
            return False
        self._connection.sendall(b"\1")
        size = struct.unpack(">HH16xI", self._take(24))
        self.size: tuple[int, int] = size[:2]
        self._take(size[2])
        return True

    def point(self, x: int, y: int) -> None:
        """Move the mouse there."""
        self._connection.sendall(struct.pack(">BBHH", 5, 0, x, y))

    def _take(self, count: int) -> bytes:
        got = b""
        while len(got) < count:
            more = self._connection.recv(count - len(got))
            assert more, "the viewer's server hung up"
            got += more
        return got


@contextmanager
def viewing(address: str) -> Generator[Viewer]:
    """Someone at the address ``vnc://host:port``; waits until it is served."""
    found = urlsplit(address)
    assert found.scheme == "vnc"
    assert found.hostname
    assert found.port
    with _connected(found.hostname, found.port) as connection:
        yield Viewer(connection)


def _connected(host: str, port: int) -> socket.socket:
    made: list[socket.socket] = []

    def is_there() -> bool:
        try:
            made.append(socket.create_connection((host, port), _PATIENCE))
        except ConnectionRefusedError:
            return False
        return True

    until(is_there)
    return made[0]
