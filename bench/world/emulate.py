"""Says what a terminal showed: ``emulate.py LOG COLUMNS ROWS`` prints ``[time, rows, title]`` for each screen.

It runs by the Python into which ``make world`` installed pyte.
"""

import importlib
import json
import sys
from pathlib import Path
from typing import Any

SETTLED_MS = 12
"""Pieces that follow each other so soon are one screen."""


def main() -> None:
    """Replay a log."""
    pyte: Any = importlib.import_module("pyte")

    class Screen(pyte.Screen):
        """One that leaves xterm's saving of modes alone, which looks like setting margins."""

        def set_margins(self, *margins: int, private: bool = False) -> None:
            if not private:
                super().set_margins(*margins)

    screen: Any = Screen(int(sys.argv[2]), int(sys.argv[3]))
    stream = pyte.ByteStream(screen)
    pieces: list[tuple[float, str]] = [json.loads(line) for line in Path(sys.argv[1]).read_text("utf-8").splitlines()]
    for number, (t, data) in enumerate(pieces):
        stream.feed(data.encode("latin-1"))
        if number + 1 == len(pieces) or pieces[number + 1][0] - t > SETTLED_MS:
            print(json.dumps([t, [row.rstrip() for row in screen.display], screen.title]))


if __name__ == "__main__":
    main()
