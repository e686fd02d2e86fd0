"""``report.html``: a run to be read by its pictures, in one page that needs nothing else and runs no script."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, cast

from core.action_words import action_words, as_list, as_point
from core.headlines import of_run
from storage.reports.page import SIGNS, Thumbnail, environment, render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_LONGEST: Final = 300


def words(row: Mapping[str, Any]) -> str:
    """What a row of ``events.jsonl`` tells, in a few words."""
    kind = row.get("type")
    if kind == "done":
        return "Done"
    if kind == "extract":
        return f"Read {row.get('variable_name')}: {row.get('query')}"[:_LONGEST]
    action = row.get("pixel_action")
    if not isinstance(action, dict):
        return "No action"
    return action_words(cast("dict[str, Any]", action))[:_LONGEST]


def mark(row: Mapping[str, Any], width: int, height: int, number: int) -> str:
    """Where it was done: SVG for a picture of that size, empty when it was nowhere; ``number`` 0 is not shown."""
    action = row.get("pixel_action")
    values = cast("dict[str, Any]", action) if isinstance(action, dict) else {}
    point = as_point(values, "x_px", "y_px")
    if point is None:
        return ""
    x, y = point
    radius = max(10, round(max(width, height) / 70))
    start = as_point(values, "start_x_px", "start_y_px")
    line = ""
    if start is not None:
        line = f'<path d="M{start[0]} {start[1]}L{x} {y}"/><circle cx="{start[0]}" cy="{start[1]}" r="{radius // 3}"/>'
    ring = f'<circle cx="{x}" cy="{y}" r="{radius}"/><circle class="dot" cx="{x}" cy="{y}" r="{radius / 5:.1f}"/>'
    label = f'<text x="{x + radius}" y="{y - radius}" font-size="{radius * 1.6:.0f}">{number}</text>' if number else ""
    return f'<g class="halo">{line}{ring}</g><g>{line}{ring}{label}</g>'


MAX_PICTURES: Final = 400
"""So many are kept for the page; of a longer run the first and the last, and the others are named."""
_MAX_ROWS: Final = 2000
_MAX_RAW: Final = 4000
_RESULTS: Final = {
    "confirmed": ("good", "✓", "the screen reacted"),
    "no_visible_effect": ("warn", "○", "no visible effect"),
    "refused": ("bad", "⊘", "refused"),
    "failed": ("bad", "✗", "failed"),
}
_VERDICTS: Final = {
    "pass": ("good", "✓", "seen"),
    "fail": ("bad", "✗", "not seen"),
    "unclear": ("warn", "?", "unclear"),
}
_UNKNOWN: Final = ("muted", "·", "")
_ENDED: Final = {
    "succeeded": "What was seen in the end",
    "failed": "Where it failed",
    "refused": "Where it was refused",
    "asked": "Where it asks",
    "unclear": "What was seen in the end",
    "cancelled": "Where it was stopped",
    "taken_over": "Where the user took over",
}
_LAST: Final = 3
"""Turns of a part that are shown at once; the earlier ones are folded."""
_NOT_DONE: Final = frozenset({"failed", "refused"})
"""Results of an action that was not done."""


def report_page(
    run: Mapping[str, Any],
    rows: Iterable[Mapping[str, Any]],
    pictures: Mapping[str, Thumbnail],
    plan: Sequence[str] = (),
) -> str:
    """The page.

    Args:
        run: as ``run.json`` has it.
        rows: those of ``events.jsonl``, in order.
        pictures: small copies of the screenshots, by the names of their files.
        plan: the texts of all subtasks; ``run`` has only those that came to their end.

    """
    steps = [row for row, _ in zip(rows, range(_MAX_ROWS), strict=False)]
    planned = {"subtask_total": len(plan)} | dict(run)
    parts = _parts(planned, steps, plan)
    moment = _moment(run, parts)
    _offer_filters()
    return render(
        "report.html",
        pictures,
        [moment["turn"].name] if moment else [],
        title=_text(run, "task_name"),
        run=run,
        outcome=_outcome(planned),
        moment=moment,
        effects=as_list(run.get("effects")),
        replayed=_replayed(run),
        facts=_facts(run),
        parts=parts,
    )


@cache
def _offer_filters() -> None:
    made = environment()
    made.globals.update(cast("Any", {"mark": mark}))
    filters: dict[str, Callable[[Any], object]] = {
        "duration": lambda value: _duration(_number({"": value}, "")),
        "raw": lambda row: json.dumps(row, ensure_ascii=False, indent=1)[:_MAX_RAW],
        "result": _result,
        "text": lambda value: _text({"": value}, ""),
        "verdict": lambda value: _VERDICTS.get(_text({"": value}, ""), _UNKNOWN),
        "words": words,
    }
    made.filters |= filters


@dataclass(frozen=True, slots=True)
class _Turn:
    """One look at the screen and what was done on it."""

    part: int
    iteration: int
    rows: Sequence[Mapping[str, Any]]
    more: Sequence[_Turn] = ()
    """The waits after it, a line each."""

    @property
    def name(self) -> str:
        """Of its picture's file."""
        return f"subtask_{self.part:02}_iter_{self.iteration:03}.png"

    @property
    def anchor(self) -> str:
        """Where it stands in the page."""
        return f"step-{self.part}-{self.iteration}"

    @property
    def observation(self) -> str:
        """What was seen, in the decider's words."""
        said = (_text(_object(row.get("pixel_action")), "observation") for row in self.rows)
        return next(filter(None, said), "")

    @property
    def is_wait(self) -> bool:
        """Whether nothing but waiting was done, without a failure."""
        return all(
            _object(row.get("pixel_action")).get("action") == "wait" and not _is_failed(row) for row in self.rows
        )


@dataclass(frozen=True, slots=True)
class _Part:
    """A subtask, with what was done for it."""

    index: int
    text: str
    reported: Mapping[str, Any]
    """As ``run.json`` has it; empty for one that did not come to its end."""
    rows: Sequence[Mapping[str, Any]]
    state: tuple[str, str, str]
    """Tone, sign and word: how it ended."""

    def turns(self) -> Sequence[_Turn]:
        """Its rows by their iteration."""
        found: dict[int, list[Mapping[str, Any]]] = {}
        for row in self.rows:
            found.setdefault(_number(row, "iter"), []).append(row)
        return [_Turn(self.index, iteration, rows) for iteration, rows in found.items()]

    def folded(self) -> Iterator[_Turn]:
        """Its turns; of waits that follow one another the first, which holds the others."""
        for is_wait, group in groupby(self.turns(), key=lambda turn: turn.is_wait):
            first, *others = group
            yield from (replace(first, more=others),) if is_wait else (first, *others)

    def earlier(self) -> Sequence[_Turn]:
        """All but the last few of them."""
        return [*self.folded()][:-_LAST]

    def last(self) -> Sequence[_Turn]:
        """The last few."""
        return [*self.folded()][-_LAST:]


def _replayed(run: Mapping[str, Any]) -> str:
    """What was replayed, and where it stopped; empty when nothing was."""
    account = _object(run.get("reload"))
    if not account:
        return ""
    text = f"Replayed {_number(account, 'replayed')} of {_number(account, 'actions')} actions"
    text += f" of {_text(account, 'cache_id')}"
    stopped = account.get("stopped_at")
    return f"{text}; stopped at {stopped}: {_text(account, 'reason')}" if stopped is not None else f"{text}."


def _facts(run: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    spent = _object(run.get("spent"))
    tokens = [_number(spent, name) for name in ("input_tokens", "output_tokens")]
    usd = _money(spent.get("usd"))
    calls = _number(spent, "model_calls")
    return (
        ("Took", _duration(_number(run, "duration_ms"))),
        ("Actions", f"{_number(spent, 'steps'):,}"),
        ("Decided by", f"{_text(run, 'provider')} {_text(run, 'model')}".strip()),
        ("Model calls", f"{calls:,}"),
        ("Tokens", f"{tokens[0]:,} in, {tokens[1]:,} out" if any(tokens) else ""),
        ("Cost", f"${usd:.4f}" if usd else "nothing" if usd == 0 else "unknown"),
        ("Display", _text(run, "display")),
        ("Started", f"{_text(run, 'started_at')[:19].replace('T', ' ')} UTC"),
        ("Workflow", PurePath(_text(run, "workflow")).name),
    )


def _parts(run: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], plan: Sequence[str]) -> list[_Part]:
    result = {_number(each, "index"): each for each in map(_object, as_list(run.get("subtasks")))}
    by_part: dict[int, list[Mapping[str, Any]]] = {index: [] for index in [*range(len(plan)), *result]}
    for row in rows:
        by_part.setdefault(_number(row, "subtask_idx"), []).append(row)
    texts = dict(enumerate(plan)) | {index: _text(each, "text") for index, each in result.items()}
    last = max((index for index, own in by_part.items() if own or index in result), default=-1)
    outcome = _text(run, "outcome")
    # One that ended by its success criteria or by an effect has done all of its parts.
    is_judged = bool(as_list(run.get("effects"))) or (outcome == "unclear" and bool(_object(run.get("success_check"))))
    ended_here = outcome in _ENDED and outcome != "succeeded" and not is_judged
    return [
        _Part(
            index,
            texts.get(index, ""),
            result.get(index, {}),
            own,
            _ended(run) if index == last and ended_here else _state(result.get(index), own),
        )
        for index, own in sorted(by_part.items())
    ]


def _state(result: Mapping[str, Any] | None, rows: Sequence[Mapping[str, Any]]) -> tuple[str, str, str]:
    """How a part stands that did not end the run."""
    verdict = _text(_object(_object(result).get("check")), "verdict")
    if verdict:
        return _VERDICTS.get(verdict, _UNKNOWN)
    return (*_UNKNOWN[:2], "done" if result is not None else "not finished" if rows else "not begun")


def _moment(run: Mapping[str, Any], parts: Sequence[_Part]) -> Mapping[str, Any] | None:
    """The turn at which the run ended, and what is said of it; ``None`` for one that did nothing."""
    heading = _ENDED["unclear"] if as_list(run.get("effects")) else _ENDED.get(_text(run, "outcome"))
    part = next((each for each in reversed(parts) if each.rows), None)
    if heading is None or part is None:
        return None
    turns = [turn for turn in part.turns() if not turn.is_wait] or part.turns()
    failed = [turn for turn in turns if any(map(_is_failed, turn.rows))]
    turn = failed[-1] if failed and _text(run, "outcome") in _NOT_DONE else turns[-1]
    row = next(filter(_is_failed, turn.rows), turn.rows[-1])
    evidence = _text(row, "evidence") or _text(row, "error")
    if _text(run, "outcome") != "succeeded":
        # Of a success the checks tell; what the decider said of its last part is no evidence for it.
        evidence = evidence or _text(row, "result")
    said = words(row) if _text(row, "type") != "done" else ""
    return {
        "heading": heading,
        "turn": turn,
        "said": said,
        # The line above it has told it already.
        "evidence": "" if evidence in _text(run, "reason") else evidence,
    }


def _is_failed(row: Mapping[str, Any]) -> bool:
    return _text(row, "type") == "exec_error" or _text(row, "outcome") in _NOT_DONE


def _result(row: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """Tone, sign and word of what came of a row, and what shows it."""
    kind = _text(row, "type")
    if kind == "exec_error":
        return "bad", "✗", "not done", _text(row, "error")
    if kind == "done":
        return "muted", "■", "said to be done", _text(row, "result")
    if kind == "extract":
        return "good", "✓", "read", _text(row, "value")
    return (*_RESULTS.get(_text(row, "outcome"), _UNKNOWN), _text(row, "evidence"))


def _outcome(run: Mapping[str, Any]) -> tuple[str, str, str]:
    """Tone, sign and line of how it ended."""
    line = of_run(run)
    return line.mood, SIGNS[line.mood], line.text


def _ended(run: Mapping[str, Any]) -> tuple[str, str, str]:
    """The same for the part in which it ended, in a word."""
    line = of_run(run)
    return line.mood, SIGNS[line.mood], line.label


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return value if isinstance(value, str) else ""


def _number(values: Mapping[str, Any], name: str) -> int:
    value = values.get(name)
    return int(value) if isinstance(value, int | float) else 0


def _money(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _object(value: Any) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _duration(milliseconds: int) -> str:
    seconds = milliseconds / 1000
    if seconds < 60:  # noqa: PLR2004 - of a minute
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60):02} s"
