"""The rows of a page that is opened anew: in a browser of its own, with a profile that no page has seen before.

The page is got by a plain GET first, whose status and redirects are told; where it has no scripts, that is the page.
Else a Chromium without a window opens it. Names of other hosts resolve to nothing there, so that a page of the named
host is all that can be shown.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final
from urllib.parse import urlsplit

from adapters.desktop.browsers import CHROMIUMS, browser_arguments
from adapters.effects.html_tables import tables_of
from adapters.effects.html_tree import tree_of
from adapters.effects.http_get import MAX_BYTES, get
from adapters.effects.selecting import rows_for
from core.effects.rows import Reading
from core.errors import EffectUnreadable

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.effects.effect import Effect

_SECONDS: Final = 20.0
_PAGE_MS: Final = 5000
"""How much time of its own the page gets to show what it fetches: it passes faster than ours where nothing is waited
for."""
_POLL_SECONDS: Final = 0.05
_KEPT: Final = ("PATH", "LANG", "LC_ALL", "TZ", "NO_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "no_proxy", "https_proxy")


def read_page(effect: Effect, raise_if_cancelled: Callable[[], None]) -> Reading:
    """The rows of the page. Raises ``EffectUnreadable``."""
    source = f"the page {effect.at}"
    content = get(effect.at, raise_if_cancelled, accept="text/html,application/xhtml+xml")
    try:
        document, has_scripts = tree_of(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        has_scripts, document = True, tree_of("")[0]
    if has_scripts:
        document, _ = tree_of(_shown(effect.at, raise_if_cancelled))
    found = tables_of(document)
    try:
        return Reading(rows_for(effect, found.tables, source), source)
    except EffectUnreadable as error:
        with contextlib.suppress(EffectUnreadable):
            return Reading(rows_for(effect, found.records, source), source)
        raise error from None


def _shown(address: str, raise_if_cancelled: Callable[[], None]) -> str:
    """The document as a fresh browser has it when its scripts have run. Raises ``EffectUnreadable``."""
    program = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if program is None:
        raise EffectUnreadable(f"the page {address} has scripts, and there is no Chromium here that could run them.")
    with tempfile.TemporaryDirectory(prefix="vaider-page-", ignore_cleanup_errors=True) as folder:
        command = [
            program,
            *browser_arguments(program, Path(folder)),
            *("--headless=new", "--dump-dom", f"--virtual-time-budget={_PAGE_MS}", "--incognito"),
            f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {urlsplit(address).hostname}",
            address,
        ]
        with (Path(folder) / "page.html").open("w+b") as output:
            _run(command, folder, output, address, raise_if_cancelled)
            output.seek(0)
            content = output.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise EffectUnreadable(f"the page {address} has more than {MAX_BYTES // 2**20} MB.")
    return content.decode("utf-8", "replace")


def _run(
    command: list[str], folder: str, output: IO[bytes], address: str, raise_if_cancelled: Callable[[], None]
) -> None:
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ} | {"HOME": folder}
    child = subprocess.Popen(
        command,
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    ends = time.monotonic() + _SECONDS
    try:
        while child.poll() is None:
            raise_if_cancelled()
            if time.monotonic() > ends:
                raise EffectUnreadable(f"the page {address} was not shown whole in {_SECONDS:.0f} s.")
            time.sleep(_POLL_SECONDS)
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    if child.returncode != 0:
        raise EffectUnreadable(f"the browser that was to show {address} ended with code {child.returncode}.")
