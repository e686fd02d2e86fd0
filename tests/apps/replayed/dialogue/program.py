"""Asks its questions in a terminal. ``program.py STATE``."""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main(state: Path) -> None:
    """Ask, write the answers to the file ``state``, and wait to be left."""
    boat = input("Name of the boat: ")
    colour = input("Colour of its hull: ")
    if input("Shall it be registered, yes or no: ").strip() != "yes":
        sys.exit("Nothing was registered.")
    new = state.with_suffix(".new")
    new.write_text(json.dumps({"boat": boat, "colour": colour}), encoding="utf-8")
    new.replace(state)
    input(f"Registered {boat}. Press Enter to leave.")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
