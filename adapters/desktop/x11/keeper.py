"""Offers what the user had selected after an acting process has ended: ``python -m … .keeper DISPLAY``.

X keeps no selection by itself: what is offered ends with the process that offers it. This one ends when another
program owns the selection, or when the display is gone. On stdin is the content in JSON: each format, its type, width
and bytes.
"""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import xcffib

from adapters.desktop.x11.connection import Connection
from adapters.desktop.x11.selections import Content, Data, Selections

COMMAND: Final = (sys.executable, "-P", "-m", "adapters.desktop.x11.keeper")
_MOST_BYTES: Final = 1 << 20
_WAIT_SECONDS: Final = 3600.0


def keep(display: str, content: Content, name: Callable[[int], str]) -> None:
    """Start such a process; ``name`` tells an atom's name. Formats of more than 1 MB are left out."""
    reported = [
        [name(target), name(data.kind), data.width, base64.b64encode(data.data).decode()]
        for target, data in content.items()
        if len(data.data) <= _MOST_BYTES
    ]
    if not reported:
        return
    with suppress(OSError):
        process = subprocess.Popen(
            [*COMMAND, display],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=os.environ,
            start_new_session=True,
        )
        # It outlives us: Python would complain when we end that it was not waited for.
        process.returncode = 0
        if process.stdin is not None:
            process.stdin.write(json.dumps(reported).encode())
            process.stdin.close()


def main() -> None:
    """Own the selection until another program does."""
    connection = Connection(sys.argv[1])
    selections, atom = Selections(connection), connection.atom
    content = {
        atom(target): Data(atom(kind), width, base64.b64decode(data))
        for target, kind, width, data in json.load(sys.stdin)
    }
    with suppress(xcffib.XcffibException, OSError):
        if selections.owner("PRIMARY"):
            # Another program was faster: the user has selected something since.
            return
        selections.own("PRIMARY", content)
        while selections.held("PRIMARY") is not None:
            selections.wait(_WAIT_SECONDS)


if __name__ == "__main__":
    main()
