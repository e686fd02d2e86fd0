"""Viewers of a farm's events, which come back at any process when they were cut off, and at times by themselves."""

from __future__ import annotations

import contextlib
import random
import threading
import time
from typing import TYPE_CHECKING

import httpx2

from bench.farm.machines import ADMIN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SILENCE_SECONDS = 4.0


class Viewer(threading.Thread):
    """Follows all events from the first; ``seen`` are their ids in the order in which they came."""

    def __init__(self, ports: Sequence[int], seed: int) -> None:
        super().__init__(daemon=True)
        self.seen: list[int] = []
        self.came_back = 0
        self._ports = ports
        self._random = random.Random(seed)
        self._stopping = threading.Event()

    def run(self) -> None:
        """Until it is told to stop."""
        with httpx2.Client(trust_env=False, timeout=_SILENCE_SECONDS) as client:
            while not self._stopping.is_set():
                with contextlib.suppress(httpx2.HTTPError):
                    for number in self._connection(client):
                        self.seen.append(number)
                self.came_back += 1
                self._stopping.wait(0.1)

    def stop(self) -> None:
        """Look no more."""
        self._stopping.set()

    def _connection(self, client: httpx2.Client) -> Iterator[int]:
        url = f"http://127.0.0.1:{self._random.choice(self._ports)}/events"
        leave = time.monotonic() + self._random.uniform(1, 6)
        place = {"Last-Event-ID": str(self.seen[-1] if self.seen else 0)}
        number = None
        with client.stream("GET", url, headers={**ADMIN, **place}) as stream:
            if stream.status_code != 200:
                return
            for line in stream.iter_lines():
                if line.startswith("id:"):
                    number = int(line[3:])
                elif not line and number is not None:
                    # An event counts when it is whole: a browser sees it no sooner.
                    yield number
                    number = None
                if time.monotonic() > leave or self._stopping.is_set():
                    return
