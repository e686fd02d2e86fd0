"""Lets go of every key and button of a display: ``python -m adapters.desktop.process.release :N``.

It is started when an acting process was killed: the X server keeps down what a client that is gone had pressed.
"""

import sys


def main() -> None:
    """Release everything, and end."""
    from adapters.desktop.hands import release_everything  # noqa: PLC0415 - what is imported here opens no display

    release_everything(sys.argv[1])


if __name__ == "__main__":
    main()
