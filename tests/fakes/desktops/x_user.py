"""Whoever else is at an X display: the user on its own mouse and keyboard, and programs that inject input."""

import ctypes
import os
import socket
import struct
import subprocess
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from ctypes import c_int, c_uint, c_ulong, c_void_p
from typing import Any

import xcffib
from xcffib import randr, xproto, xtest

from tests.clock import until

_EVENTS = {"key_press": 2, "key_release": 3, "button_press": 4, "button_release": 5, "motion": 6}
_MOUSE, _KEYBOARD = 6, 7
"""The ids that Xvfb gives to the devices that stand for real ones."""


@contextmanager
def x_display(width: int = 1280, height: int = 720, *options: str, manager: bool = True) -> Generator[str]:
    """Xvfb on a free number, with openbox when wanted and ready; tells its name."""
    with ExitStack() as stack:
        reader, writer = os.pipe()
        size = f"{width}x{height}x24"
        command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", size, "-nolisten", "tcp", "-noreset", *options]
        stack.enter_context(running(command, pass_fds=[writer], stderr=subprocess.DEVNULL))
        os.close(writer)
        with os.fdopen(reader) as pipe:
            display = f":{pipe.readline().strip()}"
        if manager:
            stack.enter_context(started(display, "openbox"))
            with connected(display) as x:
                until(lambda: _manages(x))
        yield display


@contextmanager
def running(command: list[str], **options: Any) -> Generator[subprocess.Popen[bytes]]:
    """A program that ends with the block."""
    program = subprocess.Popen[bytes](command, **options)
    try:
        yield program
    finally:
        program.terminate()
        try:
            program.wait(10)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait(10)
        for pipe in (program.stdin, program.stdout):
            if pipe:
                pipe.close()


def started(display: str, *command: str) -> Any:
    """A program on that display; a context manager."""
    quiet = subprocess.DEVNULL
    environment = {**os.environ, "DISPLAY": display}
    return running(list(command), env=environment, stdin=quiet, stdout=quiet, stderr=quiet)


@contextmanager
def connected(display: str) -> Generator[Any]:
    """A bare connection."""
    x: Any = xcffib.connect(display)
    try:
        yield x
    finally:
        x.disconnect()


def set_monitors(display: str, *boxes: tuple[int, int, int, int]) -> None:
    """Divide the display into monitors: x, y, width, height of each; the first is the primary one."""
    with connected(display) as x:
        extension: Any = x(randr.key)
        extension.QueryVersion(1, 5).reply()
        root = x.setup.roots[0].root
        output = extension.GetScreenResources(root).reply().outputs[0]
        for number, (left, top, width, height) in enumerate(boxes):
            name = f"monitor {number}"
            atom = x.core.InternAtom(0, len(name), name).reply().atom
            outputs = [output] if number == 0 else []
            monitor = randr.MonitorInfo.synthetic(
                atom,
                number == 0,
                0,
                len(outputs),
                left,
                top,
                width,
                height,
                width // 4,
                height // 4,
                outputs,
            )
            extension.SetMonitorChecked(root, monitor).check()


def _property(x: Any, name: str) -> bytes:
    atom = x.core.InternAtom(0, len(name), name).reply().atom
    root = x.setup.roots[0].root
    return bytes(x.core.GetProperty(0, root, atom, 0, 0, 1000).reply().value.raw)


def _manages(x: Any) -> bool:
    """Whether the window manager takes a window: openbox forgets those that are mapped while it starts."""
    window, screen = x.generate_id(), x.setup.roots[0]
    x.core.CreateWindow(
        24, window, screen.root, 0, 0, 9, 9, 0, xproto.WindowClass.InputOutput, screen.root_visual, 0, []
    )
    x.core.MapWindow(window)
    deadline = time.monotonic() + 0.3
    while not (taken := _property(x, "_NET_CLIENT_LIST") != b"") and time.monotonic() < deadline:
        time.sleep(0.005)
    x.core.DestroyWindow(window)
    until(lambda: not _property(x, "_NET_CLIENT_LIST"))
    return taken


def server_process(x: Any) -> int:
    """The process at the other end of a connection."""
    with socket.socket(fileno=os.dup(x.get_file_descriptor())) as end:
        return struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


class Program:
    """A program that injects input by XTEST, as remote desktops and automation tools do."""

    def __init__(self, display: str) -> None:
        self._x: Any = xcffib.connect(display)
        self._root: int = self._x.setup.roots[0].root
        self._test: Any = self._x(xtest.key)

    def send(self, kind: str, detail: int = 0, x: int = 0, y: int = 0) -> None:
        """One event, done when it returns."""
        self.queue(kind, detail, x, y)
        self.sync()

    def queue(self, kind: str, detail: int = 0, x: int = 0, y: int = 0) -> None:
        """One event, on its way when it returns."""
        self._test.FakeInput(_EVENTS[kind], detail, 0, self._root, x, y, 0)
        self._x.flush()

    def sync(self) -> None:
        """Wait until all is done."""
        self._x.core.GetInputFocus().reply()

    def warp(self, x: int, y: int) -> None:
        """Put the pointer somewhere without any device having moved."""
        self._x.core.WarpPointer(0, self._root, 0, 0, 0, 0, x, y)
        self.sync()

    @property
    def pointer(self) -> tuple[int, int]:
        """Where it is."""
        reply = self._x.core.QueryPointer(self._root).reply()
        return reply.root_x, reply.root_y

    def close(self) -> None:
        """End its connection."""
        self._x.disconnect()


_REFUSED: list[int] = []


@ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)
def _refused(_display: int, _event: int) -> int:
    """Keep going: Xlib's own handler ends the process."""
    _REFUSED.append(1)
    return 0


class User:
    """The person at the display: what is done here comes from its own mouse (of three buttons) and keyboard."""

    def __init__(self, display: str) -> None:
        self._xlib, self._xi, self._xtst = (ctypes.CDLL(f"lib{name}.so.6") for name in ("X11", "Xi", "Xtst"))
        self._xlib.XOpenDisplay.restype = self._xi.XOpenDevice.restype = c_void_p
        self._xi.XOpenDevice.argtypes = [c_void_p, c_ulong]
        self._xlib.XSync.argtypes = [c_void_p, c_int]
        self._xlib.XCloseDisplay.argtypes = [c_void_p]
        act = [c_void_p, c_void_p, c_uint, c_int, c_void_p, c_int, c_ulong]
        self._xtst.XTestFakeDeviceKeyEvent.argtypes = self._xtst.XTestFakeDeviceButtonEvent.argtypes = act
        self._xtst.XTestFakeDeviceMotionEvent.argtypes = [c_void_p, c_void_p, c_int, c_int, c_void_p, c_int, c_ulong]
        self._xlib.XSetErrorHandler(_refused)
        self._display = c_void_p(self._xlib.XOpenDisplay(display.encode()))
        self._mouse = c_void_p(self._xi.XOpenDevice(self._display, _MOUSE))
        self._keyboard = c_void_p(self._xi.XOpenDevice(self._display, _KEYBOARD))

    def move(self, dx: int, dy: int) -> None:
        """Push the mouse so far."""
        axes = (c_int * 2)(dx, dy)
        self._xtst.XTestFakeDeviceMotionEvent(self._display, self._mouse, 1, 0, axes, 2, 0)
        self._done()

    def key(self, keycode: int, *, down: bool) -> None:
        """Press or release a key."""
        self._xtst.XTestFakeDeviceKeyEvent(self._display, self._keyboard, keycode, int(down), None, 0, 0)
        self._done()

    def button(self, number: int, *, down: bool) -> None:
        """Press or release a button of the mouse."""
        self._xtst.XTestFakeDeviceButtonEvent(self._display, self._mouse, number, int(down), None, 0, 0)
        self._done()

    def _done(self) -> None:
        self._xlib.XSync(self._display, 0)
        if _REFUSED:
            _REFUSED.clear()
            raise AssertionError("The display's own devices have no such key or button.")

    def close(self) -> None:
        """Leave."""
        self._xlib.XCloseDisplay(self._display)
