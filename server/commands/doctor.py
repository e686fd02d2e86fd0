"""``vaider doctor``: what works here, and what to do about the rest."""

import asyncio
import errno
import functools
import io
import json
import os
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click
from rich.text import Text

from config.settings import Settings
from core.errors import InvalidPath, StorageFailed, VaiderError
from core.files import new_file
from server.cli_output.analysis import console, lines, plain, prose, write_json
from server.commands.keys import keys_of
from server.commands.options import load_explained, with_flags
from server.setup.doctor import Check, Providers, examine, key_checks, report

_SIGNS = {"ok": ("ok", "green"), "note": ("note", "yellow"), "bad": ("BAD", "bold red")}
_WORST_FIRST: Final = ("bad", "note", "ok")
_TAIL_BYTES: Final = 200_000


@click.command()
@click.option("--all", "shows_all", is_flag=True, help="Say of each more than its name, and show the settings.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with all of it.")
@click.option(
    "--bundle", type=click.Path(path_type=Path), metavar="FILE", help="Write a zip for a bug report, no keys in it."
)
@with_flags
def doctor(*, shows_all: bool, as_json: bool, bundle: Path | None, flags: dict[str, Any]) -> int:
    """Tell what works here, and what to do about the rest.

    Exit code: 0 when Vaider can work, 1 when something keeps it from working.
    """
    settings, origins = load_explained(flags)
    if bundle is not None:
        check_target(bundle)
    keys = keys_of(settings)
    checks = examine(settings, Path.cwd(), functools.partial(_own_providers, settings))
    checks += key_checks(keys)
    reported = report(settings, origins, checks)
    if bundle is not None:
        write_bundle(bundle, reported, settings.data_path, keys.redact)
        click.echo(f"Wrote {bundle}; look into it before you send it.", err=True)
    if as_json:
        write_json(reported)
    elif shows_all:
        _show(checks, reported["settings"])
    else:
        _show_briefly(checks)
    return 0 if reported["ok"] else 1


def _own_providers(settings: Settings) -> Providers | VaiderError:
    async def ask() -> Providers:
        from server.vaider import open_vaider  # noqa: PLC0415 - needed only where no daemon runs

        async with open_vaider(settings) as vaider:
            return dict(vaider.analysis.providers)

    try:
        return asyncio.run(ask())
    except VaiderError as error:
        return error


def _show_briefly(checks: Sequence[Check]) -> None:
    """Whether Vaider can work, what does not, each with its reason, and the names of what does: one screen."""
    out = console(sys.stdout)
    bad = sum(check.state == "bad" for check in checks)
    if bad:
        prose(out, f"Vaider cannot work here: {bad} of {len(checks)} checks found why.", "bold red")
    else:
        prose(out, "Vaider can work here. A note is only good to know.", "bold green")
    alike: dict[tuple[str, str], list[str]] = {}
    for check in checks:
        said = "" if check.state == "ok" else " ".join(filter(None, (f"{check.detail.rstrip('.')}.", check.advice)))
        alike.setdefault((check.state, said), []).append(check.name)
    for (state, said), names in sorted(alike.items(), key=lambda each: _WORST_FIRST.index(each[0][0])):
        sign, style = _SIGNS[state]
        text = _listed(names) + (f": {said}" if said else "")
        lines(out, (Text(f"{sign:5}", style=style), plain(text)))
    prose(out, "`vaider doctor --all` says more of each, and shows the settings.", "dim")


def _listed(names: Sequence[str]) -> str:
    """The names, a word that several begin with said once: ``key gemini, vision``."""
    said = ""
    shown: list[str] = []
    for name in names:
        kind, blank, rest = name.partition(" ")
        shown.append(rest if blank and kind == said else name)
        said = kind
    return ", ".join(shown)


def _show(checks: Sequence[Check], settings: Mapping[str, Any]) -> None:
    out = console(sys.stdout)
    width = max(len(check.name) for check in checks)
    for check in checks:
        sign, style = _SIGNS[check.state]
        out.print(Text.assemble((f"{sign:4}", style), f"  {check.name:{width}}  {plain(check.detail)}"), soft_wrap=True)
        if check.advice:
            out.print(Text(f"{'':{width + 8}}{plain(check.advice)}", style="dim"), soft_wrap=True)
    out.print()
    out.print(Text("Settings", style="bold"))
    width = max(len(name) for name in settings)
    for name, setting in settings.items():
        origin = "" if setting["from"] == "defaults.toml" else f"   (from {setting['from']})"
        out.print(Text(plain(f"  {name:{width}}  {setting['value']}{origin}")), soft_wrap=True)


def check_target(target: Path) -> None:
    """Refuse what ``write_bundle`` would refuse, before all is looked at. Raises ``InvalidPath``."""
    if target.exists():
        raise _refusal(target, os.strerror(errno.EEXIST))
    if not target.parent.is_dir():
        raise _refusal(target, os.strerror(errno.ENOENT))


def write_bundle(target: Path, reported: Mapping[str, Any], data_dir: Path, redact: Callable[[str], str]) -> None:
    """Write the zip, readable by this user alone.

    Args:
        target: must not exist.
        reported: the doctor's report.
        data_dir: whose ``daemon.log`` goes in, its end.
        redact: blots out keys; everything goes through it, and the home folder's name is left out too.

    Raises:
        InvalidPath: the target exists, or its folder does not.
        StorageFailed: it cannot be written.

    """

    def clean(text: str) -> str:
        return redact(text).replace(str(Path.home()), "~")

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("doctor.json", clean(_json(reported)))
        bundle.writestr("settings.json", clean(_json(reported["settings"])))
        bundle.writestr("versions.json", clean(_json(reported["versions"])))
        bundle.writestr("daemon.log", clean(_tail(data_dir / "daemon.log")))
    try:
        descriptor = new_file(target)
    except (FileExistsError, FileNotFoundError, NotADirectoryError) as error:
        raise _refusal(target, error.strerror) from None
    except OSError as error:
        raise StorageFailed(f"{target} cannot be made: {error.strerror}.") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(packed.getvalue())
    except OSError as error:
        target.unlink(missing_ok=True)
        raise StorageFailed(f"{target} cannot be written: {error.strerror}.") from None


def _refusal(target: Path, why: str | None) -> InvalidPath:
    return InvalidPath(f"{target} cannot be made: {why}. Name a new file.")


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(path.stat().st_size - _TAIL_BYTES, 0))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""
