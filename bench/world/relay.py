"""Runs a command on a terminal of its own inside an xterm, and keeps with its time what it prints.

``relay.py LOG COLUMNS ROWS COMMAND …``; the log holds a line of JSON for each piece that was printed.
"""

import fcntl
import json
import os
import pty
import struct
import sys
import termios
import time
from pathlib import Path


def main() -> None:
    """Relay until the command ends."""
    place, columns, rows, *command = sys.argv[1:]
    with Path(place).open("w", encoding="utf-8") as log:

        def read(descriptor: int) -> bytes:
            fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(columns), 0, 0))
            data = os.read(descriptor, 65536)
            log.write(json.dumps([time.time() * 1000, data.decode("latin-1")]) + "\n")
            log.flush()
            return data

        sized = ["bash", "-c", f'stty rows {rows} cols {columns}; exec "$@"', "relay", *command]
        pty.spawn(sized, read)


if __name__ == "__main__":
    main()
