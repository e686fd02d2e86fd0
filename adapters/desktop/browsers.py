"""Which browser opens an address, and with which arguments it is quiet and its own on a private display."""

import json
import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from adapters.desktop.accessibility.setup import FORCED, electron_arguments
from core.errors import ActionFailed

CHROMIUMS: Final = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "brave-browser"),
    *("microsoft-edge", "microsoft-edge-stable"),
)
_FIREFOXES: Final = ("firefox", "firefox-esr")
BROWSERS: Final = (*CHROMIUMS, *_FIREFOXES)
FOUND: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "firefox", "firefox-esr")
"""What is looked for when no browser is named."""
_QUIET: Final = (
    *("--no-first-run", "--no-default-browser-check", "--disable-sync", "--disable-background-networking"),
    *("--disable-component-update", "--password-store=basic", "--start-maximized", "--disable-default-apps"),
    *("--disable-breakpad", "--disable-domain-reliability", "--no-pings", "--disable-gpu"),
    "--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication",
)
"""Keeps it from asking, updating and calling home."""
_CHROMIUM_PREFERENCES: Final = {
    "credentials_enable_service": False,
    "download_bubble": {"partial_view_enabled": False},
    "profile": {"password_manager_enabled": False},
}
"""Keeps it from offering to save passwords, and a file that was loaded from lying over the page: no flag does."""
_FIREFOX_PREFERENCES: Final[Mapping[str, bool | int]] = {
    "app.normandy.enabled": False,
    "app.update.enabled": False,
    "browser.aboutwelcome.enabled": False,
    "browser.download.alwaysOpenPanel": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.healthreport.uploadEnabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "signon.rememberSignons": False,
    "toolkit.telemetry.enabled": False,
}


def find_browser(wanted: str, environment: Mapping[str, str]) -> list[str]:
    """The beginning of its argument list; the address is to follow.

    Args:
        wanted: a program's name or path; empty for ``$BROWSER``, and without that what is found.
        environment: where ``BROWSER`` and ``PATH`` stand.

    Raises:
        ActionFailed: there is none.

    """
    search_path = environment.get("PATH", "")
    if wanted:
        if (program := shutil.which(wanted, path=search_path)) is None:
            raise ActionFailed(f"There is no browser {wanted!r} here. Install it, or name another one.")
        return [program]
    for command in filter(None, environment.get("BROWSER", "").split(":")):
        try:
            # "%s" is where the address would stand; it follows the other words in each browser that exists.
            words = [word for word in shlex.split(command) if word not in {"%s", "&"}]
        except ValueError:
            continue
        if words and (program := shutil.which(words[0], path=search_path)):
            return [program, *words[1:]]
    for name in FOUND:
        if program := shutil.which(name, path=search_path):
            return [program]
    raise ActionFailed("There is no browser here. Install one with `apt-get install chromium`.")


def browser_arguments(program: str, profile: Path | None) -> Sequence[str]:
    """What it is started with, before an address; nothing for programs that are neither browsers nor of Electron.

    Args:
        program: its path.
        profile: the folder of a private display, which it keeps all in; ``None`` for the user's own profile.

    """
    name = Path(program).name
    if name in _FIREFOXES and profile is not None:
        _write_once(profile / "user.js", "".join(_firefox_lines()))
        return ("--profile", str(profile))
    if name not in CHROMIUMS:
        return electron_arguments(program)
    # As root it refuses to run in its sandbox; the second flag keeps its warning about that off the page.
    as_root = ("--no-sandbox", "--test-type") if os.getuid() == 0 else ()
    if profile is None:
        return (*as_root, FORCED)
    (profile / "Default").mkdir(mode=0o700, exist_ok=True)
    _write_once(profile / "Default" / "Preferences", json.dumps(_CHROMIUM_PREFERENCES))
    return (*as_root, FORCED, f"--user-data-dir={profile}", *_QUIET)


def _firefox_lines() -> list[str]:
    return [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in _FIREFOX_PREFERENCES.items()]


def _write_once(path: Path, text: str) -> None:
    if not path.exists():
        path.write_text(text, encoding="utf-8")
