"""What it costs to ask the kernel whose a connection is: connections to a daemon that asks, beside one that does not.

``python -m bench.peers``
"""

import asyncio
import contextlib
import socket
import statistics
import threading
import time
from collections.abc import Callable, Generator

from starlette.types import Receive, Scope, Send

from server.listening import DaemonServer
from server.security import account_of

CONNECTIONS = 2000
VIEWERS = 1000
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
_PATIENCE_SECONDS = 10.0
Row = tuple[str, str, str]
"""What was measured, the number, the bar or what it is held against."""


def run() -> list[Row]:
    """Measure; the rows of the benchmark's table."""
    with _served(asks_for_peers=True) as asking, _served(asks_for_peers=False) as plain:
        took: dict[int, list[float]] = {asking: [], plain: []}
        # In turns, so that what else the machine does meets both alike.
        for turn in range(CONNECTIONS):
            for port in (asking, plain) if turn % 2 else (plain, asking):
                took[port].append(_milliseconds(lambda port=port: _connection(port)))
        with_question, without = (statistics.median(took[port]) for port in (asking, plain))
    few, many = _question_alone(0), _question_alone(VIEWERS)
    return [
        (f"a connection with one request, median of {CONNECTIONS}", f"{with_question:.3f} ms", f"{without:.3f} ms"),
        ("what the question adds to it", f"{with_question - without:.3f} ms", "0.3 ms"),
        ("the question alone, median, p99", "{:.3f}, {:.3f} ms".format(*few), "-"),
        (f"with {2 * VIEWERS} other sockets", "{:.3f}, {:.3f} ms".format(*many), "-"),
    ]


async def _app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        while (message := await receive())["type"] != "lifespan.shutdown":
            await send({"type": f"{message['type']}.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@contextlib.contextmanager
def _served(*, asks_for_peers: bool) -> Generator[int]:
    """Serve an app that does nothing; yields the port."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = DaemonServer(_app, stopping=asyncio.Event(), asks_for_peers=asks_for_peers)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.stop()
        thread.join(_PATIENCE_SECONDS)


def _connection(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE_SECONDS) as client:
        client.sendall(REQUEST)
        while client.recv(4096):
            pass


def _question_alone(others: int) -> tuple[float, float]:
    """Median and 99th percentile in milliseconds, beside so many other connections."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        for _ in range(others + 1):
            stack.enter_context(socket.create_connection(listener.getsockname()))
            server = stack.enter_context(listener.accept()[0])
            peer, own = server.getpeername(), server.getsockname()
        took = [_milliseconds(lambda: account_of(peer, own)) for _ in range(CONNECTIONS)]
    return statistics.median(took), statistics.quantiles(took, n=100)[98]


def _milliseconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    for row in run():
        print(f"{row[0]:<55} {row[1]:>18}   {row[2]}")
