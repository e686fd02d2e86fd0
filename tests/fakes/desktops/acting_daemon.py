"""A daemon that acts on a desktop until it is killed: ``python acting_daemon.py DATA_DIR DISPLAY ACTION…``."""

import signal
import sys
from pathlib import Path

from adapters.desktop.displays import LocalDesktops
from core.actions import ACTION


def main() -> None:
    """Do the actions, given as JSON, and stay."""
    data_dir, display, *actions = sys.argv[1:]
    with LocalDesktops(data_dir=Path(data_dir)).open(
        display, run="doomed", size=None, raise_if_cancelled=_nothing
    ) as desktop:
        print(desktop.name, flush=True)  # noqa: T201 - it is how the test learns of it
        for action in actions:
            desktop.act(ACTION.validate_json(action), _nothing)
        print("done", flush=True)  # noqa: T201 - same
        signal.pause()


def _nothing() -> None:
    """Nobody stops it."""


if __name__ == "__main__":
    main()
