"""A tiny real HTTP server on loopback for provider fakes: it records what came, and answers what a handler says."""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Request:
    """One request as it arrived; header names in lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Response:
    """What is answered. ``hold`` is waited for before answering; ``drop`` closes the connection instead."""

    status: int = 200
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    hold: threading.Event | None = None
    drop: bool = False

    @property
    def payload(self) -> tuple[str, bytes]:
        if isinstance(self.body, str):
            return "text/html; charset=UTF-8", self.body.encode()
        return "application/json; charset=UTF-8", b"" if self.body is None else json.dumps(self.body).encode()


class FakeServer:
    """Listens on a free port of 127.0.0.1 while the ``with`` block runs; subclasses say what is answered."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.lock = threading.RLock()
        self._changed = threading.Condition(self.lock)
        self._server = _Server(("127.0.0.1", 0), _handler(self._serve))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def answer(self, request: Request) -> Response:
        """What the provider would answer."""
        return Response(404, {"error": {"message": f"nothing at {request.path}"}})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def wait_for(self, condition: Callable[[], bool], seconds: float = 10.0) -> None:
        """Return once the condition holds, looked at after every request; fail after ``seconds``."""
        with self._changed:
            assert self._changed.wait_for(condition, seconds), "the fake server waited in vain"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _serve(self, request: Request) -> Response:
        with self._changed:
            self.requests.append(request)
            response = self.answer(request)
            self._changed.notify_all()
        return response


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is part of the tests."""


def _handler(serve: Callable[[Request], Response]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 10
        # A body is written after its head, and would wait 40 ms for the receipt of that.
        disable_nagle_algorithm = True

        def _answer(self) -> None:
            parts = urlsplit(self.path)
            query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
            headers = {name.lower(): value for name, value in self.headers.items()}
            announced = int(headers.get("content-length", "0"))
            body = self.rfile.read(announced)
            if len(body) < announced:
                return
            response = serve(Request(self.command, parts.path, query, headers, body))
            if response.hold is not None:
                response.hold.wait(10)
            if response.drop:
                self.close_connection = True
                return
            kind, payload = response.payload
            self.send_response(response.status)
            for name, value in {"Content-Type": kind, "Content-Length": str(len(payload)), **response.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(payload)

        do_GET = do_POST = do_DELETE = _answer  # noqa: N815 - the base class looks for these names

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            """Tests print nothing."""

    return Handler
