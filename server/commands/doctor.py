"""``vaider doctor``: what works here, and what to do about the rest."""

import asyncio
import functools
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from config.settings import Settings
from core.errors import VaiderError
from server.cli_output.analysis import console, plain, write_json
from server.commands.keys import keys_of
from server.commands.options import load_explained, with_flags
from server.setup.doctor import Check, Providers, check_target, examine, key_checks, report, write_bundle

_SIGNS = {"ok": ("ok", "green"), "note": ("note", "yellow"), "bad": ("BAD", "bold red")}


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
    """What works by its name, what does not with its reason: one screen."""
    out = console(sys.stdout)
    alike: dict[tuple[str, str], list[str]] = {}
    for check in checks:
        said = "" if check.state == "ok" else " ".join(filter(None, (f"{check.detail.rstrip('.')}.", check.advice)))
        alike.setdefault((check.state, said), []).append(check.name)
    for (state, said), names in sorted(alike.items(), key=lambda each: list(_SIGNS).index(each[0][0])):
        sign, style = _SIGNS[state]
        text = ", ".join(names) + (f": {said}" if said else "")
        out.print(Text.assemble((f"{sign:4}", style), f"  {plain(text)}"), soft_wrap=True)
    out.print(Text("`vaider doctor --all` says more of each, and shows the settings.", style="dim"), soft_wrap=True)


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
