"""A session bus of its own for the programs of a test's display, by which they tell of their elements."""

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from adapters.desktop.accessibility.setup import accessible
from tests.clock import until
from tests.fakes.desktops.x_user import running


@contextmanager
def accessible_session(display: str, folder: Path) -> Generator[Mapping[str, str]]:
    """The environment of programs that are to tell; ``folder`` is a short path for the socket."""
    socket = folder / "bus"
    environment = accessible({**os.environ, "DISPLAY": display}, has_session=True)
    address = f"unix:path={socket}"
    command = ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={address}"]
    with running(command, env=environment):
        until(socket.exists)
        yield {**environment, "DBUS_SESSION_BUS_ADDRESS": address}
