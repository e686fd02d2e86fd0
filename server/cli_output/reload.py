"""What people see of reload in a terminal: options, entries with their actions in words, and what it saved."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, cast

import click
from rich.text import Text

from core.errors import Cancelled, InvalidRequest
from server.cli_output.analysis import plain, table
from server.cli_output.task import say
from server.times import ago

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from core.reload.foreign import ForeignRun
    from core.reload.offers import Option
    from core.reload.views import ActionView, EntryView, ImportAnswer, ListedEntry

_COLOURS: Final = {"same": "bold green", "offer": "yellow"}
_OUTCOMES: Final = {"succeeded": "bold green", "unclear": "yellow", "failed": "bold red"}
_ENDED: Final = frozenset({"succeeded", "failed"})
_SHOWN: Final = 10
"""Lines of reasons, or of refused entries."""


def show_options(out: Console, found: Sequence[Option], command: str) -> None:
    """Each option with its values and what differs; ``command`` takes the first."""
    if not found:
        say(out, "Nothing that was done before fits.")
        return
    for each in found:
        head = Text.assemble((each.match, _COLOURS[each.match]), f"  {plain(each.cache_id)}  ", plain(each.label))
        out.print(head, soft_wrap=True)
        count = f"{each.actions} action{'' if each.actions == 1 else 's'}"
        out.print(Text(f"  {count}, similarity {each.similarity:.2f}", style="dim"), soft_wrap=True)
        for slot in each.slots:
            changed = f" → {slot.proposed}" if slot.proposed not in {None, slot.value} else ""
            say(out, f"  {slot.name} = {slot.value}{changed}")
        for line in each.differs:
            say(out, f"  {line}", "yellow")
    say(out, f"Next: {plain(command)}", "dim")


def show_entries(out: Console, found: Sequence[ListedEntry], count: int) -> None:
    """A line for each entry, and how many there are in all."""
    if not found:
        say(out, "Nothing is kept: what succeeds from now on is.")
        return
    rows = table("entry", "what", "actions", "used", "done", "failed", "last used", "")
    for each in found:
        counts = (each.actions, each.use_count, each.success_count, each.failure_count)
        cells = (
            each.cache_id,
            each.label,
            *map(str, counts),
            ago(each.last_used) if each.use_count else "never",
            _state(each),
        )
        rows.add_row(*(Text(plain(cell)) for cell in cells))
    out.print(rows)
    if count > len(found):
        say(out, f"{len(found)} of {count}; --offset and --limit show others.", "dim")


def show_entry(out: Console, entry: EntryView) -> None:
    """The whole entry: where it comes from, its values, its actions in words, and the proposal of its healing."""
    out.print(Text.assemble((plain(entry.cache_id), "bold"), f"  {plain(entry.label)}"), soft_wrap=True)
    for request in entry.requests:
        say(out, f"asked      {request or '(nothing: a click)'}")
    trigger = f"{entry.trigger_type} {entry.trigger_target}".strip()
    say(out, f"from       {entry.origin}, {trigger}, {ago(entry.created_at)}, version {entry.version}")
    say(out, f"used       {_used(entry)}")
    if entry.quarantined:
        say(out, f"not offered until it has succeeded again: {entry.quarantined}", "yellow")
    if entry.stale:
        say(out, f"not done any more: {entry.stale}", "yellow")
    for slot in entry.slots:
        text = slot.value if slot.value is not None else f"({slot.kind}, not kept)"
        fixed = "" if slot.rebinds or slot.value is None else "  (no other value)"
        say(out, f"value      {slot.name} = {text}{fixed}")
    out.print()
    for action in entry.sequence:
        _show_action(out, action)
    if entry.success_criteria:
        say(out, f"then       {entry.success_criteria}")
    _show_healing(out, entry)


def show_emitted(out: Console, run: ForeignRun) -> None:
    """How a replay ended whose actions belong to a front end."""
    text = f"  {run.label}, {run.actions} actions emitted, {run.duration_ms / 1000:.1f} s"
    out.print(Text.assemble((run.outcome, _OUTCOMES[run.outcome]), plain(text)), soft_wrap=True)
    if run.reason:
        say(out, run.reason)


def show_imported(out: Console, answer: ImportAnswer) -> None:
    """How many are kept, and why others are not."""
    say(out, f"{len(answer.cache_ids)} kept, {len(answer.refused)} refused.")
    for each in answer.refused[:_SHOWN]:
        say(out, f"  entry {each.position}: {each.reason}", "yellow")
    if len(answer.refused) > _SHOWN:
        say(out, f"  and {len(answer.refused) - _SHOWN} more", "yellow")


def show_statistics(out: Console, found: Mapping[str, Any]) -> None:
    """What is kept, what came of it, and why."""
    say(
        out, f"kept       {found['entries']} entries, {found['bytes'] / 1e6:.1f} MB, {found['quarantined']} not offered"
    )
    hits, misses, uses = (cast("Mapping[str, int]", found[name]) for name in ("hits", "misses", "uses"))
    begun, asked = sum(hits.values()), sum(hits.values()) + sum(misses.values())
    say(out, f"begun      {f'{begun} of {asked} requests led to a replay' if asked else 'nothing was asked yet'}")
    good, ended = uses["succeeded"], uses["succeeded"] + uses["failed"]
    others = "".join(f", {count} {outcome}" for outcome, count in uses.items() if count and outcome not in _ENDED)
    say(out, f"ended      {f'{good} of {ended} replays succeeded{others}' if ended else 'nothing was replayed yet'}")
    say(out, f"saved      {found['saved_ms'] / 1000:.1f} s, {found['saved_calls']} model calls")
    for kind in ("offers", "hits", "misses", "refusals"):
        counts = cast("Mapping[str, int]", found[kind])
        say(out, f"{kind:<10} {sum(counts.values())}")
        for reason, count in list(counts.items())[:_SHOWN]:
            say(out, f"           {count:5}  {reason}", "dim")


def confirm_forgetting(count: int) -> None:
    """Ask whether to forget all. Raises ``Cancelled`` for a no, ``InvalidRequest`` without a terminal."""
    if not sys.stdin.isatty():
        raise InvalidRequest(
            f"This forgets all {count} entries, and there is no terminal to confirm it on: confirm with --yes."
        )
    if not click.confirm(f"Forget all {count} entries for good?", default=False, err=True):
        raise Cancelled("Nothing is forgotten.")


def _show_action(out: Console, action: ActionView) -> None:
    say(out, f"{action.index:3}. {action.words}")
    target = f'"{action.target}" in ' if action.target else ""
    if action.window:
        say(out, f"     {target}{action.window}", "dim")
    if action.effect:
        say(out, f"     then {action.effect}", "dim")


def _show_healing(out: Console, entry: EntryView) -> None:
    if not entry.healing_steps:
        return
    out.print()
    say(out, f"A new version is tried; it has succeeded {entry.proposal_successes} of 2 times:", "yellow")
    for step in entry.healing_steps:
        say(out, f"  {step.index}: {step.told}")
        say(out, f"- {step.before.words}", "red")
        say(out, f"+ {step.after.words}", "green")


def _state(entry: ListedEntry) -> str:
    if entry.quarantined:
        return "not offered"
    if entry.healing:
        return "healing"
    return "" if entry.verified or entry.success_count else "not seen to succeed"


def _used(entry: ListedEntry) -> str:
    """How often, how many of these succeeded, and when last: ``4 times, 3 of 4 succeeded, last 2 days ago``."""
    if not entry.use_count:
        return "not yet"
    ended = entry.success_count + entry.failure_count
    times = f"{entry.use_count} time{'' if entry.use_count == 1 else 's'}"
    return f"{times}, {entry.success_count} of {ended} succeeded, last {ago(entry.last_used)}"
