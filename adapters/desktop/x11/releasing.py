"""Lets go of what a client that is gone has left pressed by XTEST."""

from collections.abc import Iterator
from typing import Any, Final

import xcffib
import xcffib.xinput
import xcffib.xtest

from adapters.desktop.x11.connection import Connection
from core.errors import DesktopLost, DesktopUnavailable

_KEY_RELEASE: Final = 3
_BUTTON_RELEASE: Final = 5
_XTEST_NAME: Final = "XTEST"
_KEYS: Final = 0
_BUTTONS: Final = 1


def release_left_behind(display: str) -> None:
    """As ``release_everything``."""
    try:
        connection = Connection(display)
    except DesktopUnavailable:
        return
    try:
        with connection.held():
            _release(connection)
    except DesktopLost:
        return
    finally:
        connection.close()


def _release(connection: Connection) -> None:
    xtest: Any = connection.extension(xcffib.xtest.key)
    if xtest is None:
        return
    for kind, detail in _down(connection):
        xtest.FakeInput(kind, detail, 0, connection.root, 0, 0, 0)
    connection.sync()


def _down(connection: Connection) -> Iterator[tuple[int, int]]:
    """What XTEST's own devices hold, as the events that let it go: not what the user holds on real ones."""
    xinput: Any = connection.extension(xcffib.xinput.key)
    if xinput is None:
        return
    xinput.XIQueryVersion(2, 2).reply()
    for device in xinput.XIQueryDevice(0).reply().infos:
        if _XTEST_NAME not in str(device.name.to_string()):
            continue
        xinput.OpenDevice(device.deviceid).reply()
        for state in xinput.QueryDeviceState(device.deviceid).reply().classes:
            if state.class_id == _KEYS:
                yield from ((_KEY_RELEASE, code) for code in _set_bits(state.keys))
            elif state.class_id == _BUTTONS:
                yield from ((_BUTTON_RELEASE, button) for button in _set_bits(state.buttons))


def _set_bits(octets: Any) -> Iterator[int]:
    return (at * 8 + bit for at, octet in enumerate(octets) for bit in range(8) if octet >> bit & 1)
