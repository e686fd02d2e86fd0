"""What works here, what to do about the rest, and the zip of it for a bug report, in which no secret is."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import asdict, dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from adapters.carried_data import carried_file
from adapters.desktop.displays import DesktopSurvey, LocalDesktops
from core.errors import CallerError, VaiderError
from core.rules import find_rules, read_rules
from server.cli_output.schedules import last_missed
from server.client.address import address
from server.client.jobs import health, lacks
from server.listening import take_address
from server.presenters import tasks_of, upcoming
from server.security import Access, access_of, needs_token
from server.setup.configuration import shown
from server.setup.init import clients, own_entry
from storage.sqlite_version import NEWER_SQLITE, is_sqlite_too_old

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from adapters.keys import Keys
    from config.settings import Settings


Providers = dict[str, str | None]
"""What each lacks, by its name."""
State = Literal["ok", "note", "bad"]
_CODECS: Final = ("h264", "hevc", "vp8", "vp9", "av1", "mpeg4", "gif", "mjpeg")
_NEEDED: Final = frozenset({"h264", "vp8", "vp9", "gif"})
"""What browsers, Playwright and screen recorders write."""
_PACKAGES: Final = ("av", "onnxruntime", "dbos", "mcp", "fastapi", "httpx2", "keyring")
_CODECS_SECONDS: Final = 30.0
_LITTLE_ROOM_BYTES: Final = 512 * 1024 * 1024
_OLDEST_PYTHON: Final = (3, 11)


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: ``bad`` keeps Vaider from working, a ``note`` is only good to know."""

    name: str
    state: State
    detail: str
    advice: str = ""


def examine(settings: Settings, directory: Path, ask: Callable[[], Providers | VaiderError]) -> list[Check]:
    """Look at everything; takes a second or two.

    Args:
        settings: those of the command that asks.
        directory: the project's.
        ask: what each provider lacks, where no daemon runs that could tell.

    """
    daemon = _daemon(settings)
    checks = [
        _python(),
        _sqlite(),
        _decoding(),
        _ocr(),
        _settings_file(settings),
        _data_directory(settings),
        accounts(settings),
        *daemon[0],
    ]
    checks += _providers(daemon[1] if daemon[1] is not None else ask())
    return [*checks, *_desktop(settings), _schedules(settings), *_clients(directory), _rules(directory)]


def examine_own(settings: Settings, providers: Mapping[str, str | None], keys: Keys) -> list[Check]:
    """What the daemon can tell of itself, without asking itself: no daemon, no project's folder.

    Args:
        settings: those that it was started with.
        providers: what each provider lacks, as it knows them.
        keys: as it has them.

    """
    checks = [_python(), _sqlite(), _decoding(), _ocr(), _settings_file(settings), _data_directory(settings)]
    checks += [accounts(settings), *_providers(dict(providers)), *_desktop(settings), _schedules(settings)]
    return [*checks, *key_checks(keys)]


def key_checks(keys: Keys) -> Iterator[Check]:
    """Where keys can be kept, and which there are."""
    reported = {"usable": "can be used", "locked": "is locked", "none": "there is none that keeps secrets"}
    state = keys.ring_state()
    advice = "" if state == "usable" else "Keys are also read from the environment, or `vaider keys set NAME --file`."
    yield Check("keyring", "ok" if state == "usable" else "note", reported[state], advice)
    for key in keys.status():
        detail = f"from {key.source}" if key.source else "not known" if key.problem else "none set"
        yield Check(f"key {key.name}", "ok" if key.saved else "note", detail, key.problem or "")


def versions() -> dict[str, str]:
    """The versions of everything that matters to a bug report."""
    found = {"vaider": metadata.version("vaider"), "python": platform.python_version(), "system": platform.platform()}
    return found | {name: metadata.version(name) for name in _PACKAGES}


def report(settings: Settings, origins: Mapping[str, str], checks: Sequence[Check]) -> dict[str, Any]:
    """Everything as JSON; no key is in it, and no password of a URL."""
    reported = {
        name: {"value": shown(value), "from": origins[name]} for name, value in settings.model_dump(mode="json").items()
    }
    return {
        "ok": not any(check.state == "bad" for check in checks),
        "checks": [asdict(check) for check in checks],
        "settings": reported,
        "versions": versions(),
    }


def _python() -> Check:
    text = f"Python {platform.python_version()} at {sys.executable}"
    if sys.version_info < _OLDEST_PYTHON:
        return Check("python", "bad", text, "Vaider needs Python 3.11 or newer: install it with a newer one.")
    return Check("python", "ok", text)


def _sqlite() -> Check:
    if is_sqlite_too_old():
        return Check("sqlite", "bad", f"SQLite {sqlite3.sqlite_version} is older than 3.35", NEWER_SQLITE)
    return Check("sqlite", "ok", f"SQLite {sqlite3.sqlite_version}")


def _decoding() -> Check:
    # In a process of its own: a broken installation must not take the doctor along, nor the daemon keep the codecs.
    ask = "import av; print(*av.codecs_available)"
    try:
        asked = subprocess.run(
            [sys.executable, "-P", "-c", ask],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=_CODECS_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        sentence = f"PyAV cannot be imported ({type(error).__name__})"
        return Check("video decoding", "bad", sentence, "Install Vaider anew.")
    missing = [name for name in _CODECS if name not in asked.stdout.split()]
    sentence = f"PyAV {metadata.version('av')}"
    if _NEEDED & set(missing):
        return Check(
            "video decoding",
            "bad",
            f"{sentence} lacks {', '.join(missing)}",
            "Install PyAV's own wheel: pip install av",
        )
    return Check("video decoding", "ok", f"{sentence}: {', '.join(name for name in _CODECS if name not in missing)}")


def _ocr() -> Check:
    try:
        models = [carried_file("rapidocr", f"PP-OCRv6_{task}_small.onnx") for task in ("det", "rec")]
    except FileNotFoundError:
        models = []
    if not models or find_spec("onnxruntime") is None:
        return Check("reading text", "bad", "the OCR models or their runtime are not installed", "Install Vaider anew.")
    names = " and ".join(path.stem for path in models)
    return Check("reading text", "ok", f"{names}, onnxruntime {metadata.version('onnxruntime')}, offline")


def _settings_file(settings: Settings) -> Check:
    path = settings.sources.file
    return Check("settings file", "ok", f"{path}{'' if path.exists() else ', which need not exist'}")


def _data_directory(settings: Settings) -> Check:
    path = settings.data_path
    probe = path / f".doctor-{os.getpid()}"
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        probe.touch(mode=0o600)
        probe.unlink()
        free = shutil.disk_usage(path).free
    except OSError as error:
        advice = "Make it writable, or choose another with VAIDER_DATA_DIR."
        return Check("data directory", "bad", f"{path} cannot be written: {error.strerror}", advice)
    text = f"{path}, {free / 1e9:.1f} GB free"
    if free < _LITTLE_ROOM_BYTES:
        return Check("data directory", "bad", text, "Make room, or choose another with VAIDER_DATA_DIR.")
    return Check("data directory", "ok", text)


def accounts(settings: Settings) -> Check:
    """Whether other accounts of this machine need the token."""
    name = "other accounts"
    token = f"the token of {settings.data_path / 'token'}"
    if needs_token(settings):
        return Check(name, "ok", f"every request needs {token}")
    try:
        with take_address(settings.host, 0) as listener:
            access = access_of(settings, listener)
    except VaiderError as error:
        return Check(name, "bad", f"nothing can listen on {settings.host}", error.message)
    if access is Access.OWN_ACCOUNT:
        return Check(name, "ok", f"need {token}; you and root need none")
    text = "this system does not say whose a connection is, so every account of this machine reaches the daemon"
    return Check(name, "note", text, "Set require_token = true if other people use this machine.")


def _daemon(settings: Settings) -> tuple[list[Check], dict[str, str | None] | None]:
    """How the daemon is, and the providers it knows of; ``None`` when there is none to ask."""
    where = address(settings)
    try:
        found = health(where)
    except VaiderError as error:
        return [Check("daemon", "bad", f"the daemon at {where.url} refuses us", error.message)], None
    if found is None:
        return [Check("daemon", "note", f"none at {where.url}; commands work without", _start_advice(settings))], None
    text = f"Vaider {found['version']} at {where.url}, pid {found['pid']}, {found['status']}"
    missing = lacks(found)
    if found["status"] != "ok":
        return [Check("daemon", "bad", f"{text}: {' '.join(found['problems'])}", "Its log is daemon.log.")], missing
    if found["version"] != metadata.version("vaider"):
        return [Check("daemon", "note", text, "It is of another version than this command: start it again.")], missing
    return [Check("daemon", "ok", text)], missing


def _start_advice(settings: Settings) -> str:
    try:
        take_address(settings.host, settings.port).close()
    except VaiderError as error:
        return error.message
    return "Start it with `vaider serve` when an agent or a browser is to reach it."


def _providers(found: Providers | VaiderError) -> Iterator[Check]:
    if isinstance(found, VaiderError):
        advice = "" if isinstance(found, CallerError) else "Set VAIDER_LOG_LEVEL=debug and try again to see more."
        yield Check("analysing", "bad", found.message, advice)
        return
    for name, lack in found.items():
        if lack is None:
            yield Check(f"provider {name}", "ok", "can be used")
        else:
            yield Check(f"provider {name}", "bad" if name == "local" else "note", "cannot be used", lack)


def _desktop(settings: Settings) -> Iterator[Check]:
    try:
        desktops = LocalDesktops(data_dir=settings.data_path, stop_key=settings.stop_key)
    except VaiderError as error:
        yield Check("desktop", "bad", "the stop key cannot be understood", error.message)
        return
    found = desktops.survey()
    text = f"X displays: {', '.join(found.displays)}" if found.displays else "no X display answers"
    if found.current is None:
        yield Check("desktop", "ok", f"your own can be used; {text}")
    else:
        yield Check("desktop", "note", f"your own cannot be used; {text}", found.current)
    if found.private is None:
        watched = (
            f", to be watched with the password in {found.password_file}" if found.viewer else ", without a viewer"
        )
        yield Check("private desktop", "ok", f"can be used: {', '.join(found.programs)}{watched}")
    else:
        yield Check("private desktop", "note", "cannot be used", found.private)
    yield _accessibility(found)
    if found.browser is not None:
        yield Check("browser", "ok", found.browser)
    else:
        yield Check("browser", "note", "none is found", found.no_browser)


def _accessibility(found: DesktopSurvey) -> Check:
    """Whether fields and buttons are found by what programs tell of them, besides by their pixels."""
    if found.untold is not None:
        return Check("accessibility", "note", "off: fields and buttons are found by their pixels alone", found.untold)
    if found.current is None and found.own_untold is not None:
        return Check("accessibility", "ok", "on for private desktops, off for your own", found.own_untold)
    return Check("accessibility", "ok", "programs tell their fields and buttons")


def _schedules(settings: Settings) -> Check:
    try:
        found = upcoming(settings, tasks_of(settings).list())
        missed = last_missed(settings, found)
    except VaiderError as error:
        return Check("schedules", "bad", "what is scheduled cannot be read", error.message)
    faulty = {name: answer.fault for name, answer in found.items() if answer.fault}
    count = len(found) - len(faulty)
    text = "1 task is scheduled" if count == 1 else f"{count} tasks are scheduled"
    if faulty:
        name, fault = next(iter(faulty.items()))
        return Check("schedules", "bad", f"{text}; schedule not understood: {', '.join(faulty)}", f"{name}: {fault}")
    if missed:
        return Check("schedules", "note", f"{text}; missed: {'; '.join(missed)}", "vaider tasks schedule TASK --log")
    return Check("schedules", "ok", text)


def _clients(directory: Path) -> Iterator[Check]:
    for name, client in clients().items():
        try:
            entry = own_entry(directory, client)
        except (OSError, ValueError) as error:
            path = directory / client["file"]
            yield Check(f"client {name}", "note", f"{path} cannot be read ({type(error).__name__})", "Mend it.")
            continue
        if entry:
            yield Check(f"client {name}", "ok", f"{client['file']} connects it: {entry.get('url', 'stdio')}")
        else:
            yield Check(f"client {name}", "note", "not connected in this folder", "vaider init")


def _rules(directory: Path) -> Check:
    try:
        path = find_rules(directory)
        if path is None:
            return Check("rules", "note", "no VaiderRules.json in this folder", "vaider init")
        rules = read_rules(path)
    except VaiderError as error:
        return Check("rules", "bad", "the rules of this folder cannot be followed", error.message)
    watched = f"watches {rules.video_trigger_pattern}" if rules.enabled else "is switched off"
    return Check("rules", "ok", f"{path.name} {watched}")
