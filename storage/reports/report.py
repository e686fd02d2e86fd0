"""``report.html``: a run to be read by its pictures, in one page that needs nothing else and runs no script."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from html import escape
from importlib import resources
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, cast

from storage.reports.marks import mark, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from storage.reports.thumbnails import Thumbnail

MAX_PICTURES: Final = 400
"""So many are in the page; of a longer run the first and the last, and the others are named."""
_MAX_ROWS: Final = 5000
_MAX_RAW: Final = 4000
_OUTCOMES: Final = {
    "succeeded": ("good", "✓", "Succeeded"),
    "unclear": ("doubt", "?", "Unclear"),
    "failed": ("bad", "✗", "Failed"),
    "refused": ("bad", "⊘", "Refused"),
    "asked": ("doubt", "?", "Asks"),
    "cancelled": ("still", "■", "Cancelled"),
    "taken_over": ("still", "■", "Taken over by the user"),
}
_RESULTS: Final = {
    "confirmed": ("good", "✓", "the screen reacted"),
    "no_visible_effect": ("doubt", "○", "no visible effect"),
    "refused": ("bad", "⊘", "refused"),
    "failed": ("bad", "✗", "failed"),
}
_VERDICTS: Final = {
    "pass": ("good", "✓", "seen"),
    "fail": ("bad", "✗", "not seen"),
    "unclear": ("doubt", "?", "unclear"),
}
_UNKNOWN: Final = ("still", "·", "")
_ENDED: Final = {
    "failed": "Where it failed",
    "refused": "Where it was refused",
    "asked": "Where it asks",
    "unclear": "What was seen in the end",
    "cancelled": "Where it was stopped",
    "taken_over": "Where the user took over",
}
_NOT_DONE: Final = frozenset({"failed", "refused"})
"""Results of an action that was not done."""
_POLICY: Final = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


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
    parts = _parts(run, steps, plan)
    sections = [_section(part, pictures) for part in parts]
    title = f"{_text(run, 'task_name')}: {_outcome(run)[2].lower()}"
    style = resources.files("storage.reports").joinpath("report.css").read_text(encoding="utf-8")
    return "".join(
        (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n',
            '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n',
            f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n",
            '<a class="skip" href="#steps">Skip to the steps</a>\n',
            _header(run, _moment(run, parts, pictures)),
            _contents(parts),
            '<main id="steps">\n',
            *sections,
            f"</main>\n<footer>{escape(_text(run, 'run_id'))} · {escape(_text(run, 'directory'))}</footer>\n",
            "</body>\n</html>\n",
        )
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """A subtask, with what was done for it."""

    index: int
    text: str
    told: Mapping[str, Any]
    """As ``run.json`` has it; empty for one that did not come to its end."""
    rows: Sequence[Mapping[str, Any]]
    state: tuple[str, str, str]
    """Tone, sign and word: how it ended."""

    @property
    def turns(self) -> Mapping[int, Sequence[Mapping[str, Any]]]:
        """Its rows by their iteration."""
        found: dict[int, list[Mapping[str, Any]]] = {}
        for row in self.rows:
            found.setdefault(_number(row, "iter"), []).append(row)
        return found


def _header(run: Mapping[str, Any], moment: str) -> str:
    tone, sign, said = _outcome(run)
    reason = _text(run, "reason")
    parts = [
        f'<header class="{tone}">\n<p class="outcome"><span aria-hidden="true">{sign}</span> {said}</p>\n',
        f"<h1>{escape(_text(run, 'task_name'))}</h1>\n",
        f'<p class="reason">{escape(reason)}</p>\n' if reason else "",
        moment,
        f'<p class="reason">{escape(replayed)}</p>\n' if (replayed := _replayed(run)) else "",
        _check(run.get("success_check"), "at the end"),
        '<dl class="facts">\n',
        *(f"<div><dt>{name}</dt><dd>{escape(value)}</dd></div>\n" for name, value in _facts(run) if value),
        "</dl>\n",
        _values("Parameters", run.get("params")),
        _values("Extracts", run.get("extracts")),
        "</header>\n",
    ]
    return "".join(parts)


def _replayed(run: Mapping[str, Any]) -> str:
    """What was replayed, and where it stopped; empty when nothing was."""
    account = _object(run.get("reload"))
    if not account:
        return ""
    told = f"Replayed {_number(account, 'replayed')} of {_number(account, 'actions')} actions"
    told += f" of {_text(account, 'cache_id')}"
    stopped = account.get("stopped_at")
    return f"{told}; stopped at {stopped}: {_text(account, 'reason')}" if stopped is not None else f"{told}."


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
        ("Workflow", _text(run, "workflow")),
    )


def _values(title: str, values: Any) -> str:
    pairs = _object(values)
    if not pairs:
        return ""
    rows = "".join(
        f"<tr><th scope=row>{escape(str(name))}</th><td>{escape(str(value))}</td></tr>\n"
        for name, value in pairs.items()
    )
    return f"<table>\n<caption>{title}</caption>\n<tbody>\n{rows}</tbody>\n</table>\n"


def _check(check: Any, where: str) -> str:
    said = _object(check)
    if not said:
        return ""
    tone, sign, verdict = _VERDICTS.get(_text(said, "verdict"), _UNKNOWN)
    evidence = _text(said, "evidence")
    return (
        f'<p class="check {tone}"><span aria-hidden="true">{sign}</span> <b>{verdict}</b> {where}: '
        f"{escape(_text(said, 'expected'))}{f'<br><small>{escape(evidence)}</small>' if evidence else ''}</p>\n"
    )


def _parts(run: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], plan: Sequence[str]) -> list[_Part]:
    told = {_number(each, "index"): each for each in map(_object, _list(run.get("subtasks")))}
    by_part: dict[int, list[Mapping[str, Any]]] = {index: [] for index in [*range(len(plan)), *told]}
    for row in rows:
        by_part.setdefault(_number(row, "subtask_idx"), []).append(row)
    texts = dict(enumerate(plan)) | {index: _text(each, "text") for index, each in told.items()}
    last = max((index for index, own in by_part.items() if own or index in told), default=-1)
    outcome = _text(run, "outcome")
    # One that is unclear by the success criteria has done all of its parts.
    ended_here = outcome in _ENDED and not (outcome == "unclear" and _object(run.get("success_check")))
    return [
        _Part(
            index,
            texts.get(index, ""),
            told.get(index, {}),
            own,
            _outcome(run) if index == last and ended_here else _state(told.get(index), own),
        )
        for index, own in sorted(by_part.items())
    ]


def _state(told: Mapping[str, Any] | None, rows: Sequence[Mapping[str, Any]]) -> tuple[str, str, str]:
    """How a part stands that did not end the run."""
    verdict = _text(_object(_object(told).get("check")), "verdict")
    if verdict:
        return _VERDICTS.get(verdict, _UNKNOWN)
    return (*_UNKNOWN[:2], "done" if told is not None else "not finished" if rows else "not begun")


def _moment(run: Mapping[str, Any], parts: Sequence[_Part], pictures: Mapping[str, Thumbnail]) -> str:
    """The step at which the run ended without success, with its picture and a link; empty for one that succeeded."""
    heading = _ENDED.get(_text(run, "outcome"))
    part = next((each for each in reversed(parts) if each.rows), None)
    if heading is None or part is None:
        return ""
    turns = [(at, rows) for at, rows in part.turns.items() if not _is_wait(rows)] or list(part.turns.items())
    failed = [(at, rows) for at, rows in turns if any(_is_failed(row) for row in rows)]
    iteration, rows = failed[-1] if failed and _text(run, "outcome") in _NOT_DONE else turns[-1]
    row = next((each for each in rows if _is_failed(each)), rows[-1])
    evidence = _text(row, "evidence") or _text(row, "error") or _text(row, "result")
    where = f"Step {iteration + 1}" + (f" of part {part.index + 1}" if len(parts) > 1 else "")
    name = _name(part.index, iteration)
    return (
        f'<section class="moment" aria-labelledby="moment">\n<div>\n<h2 id="moment">{heading}</h2>\n'
        f"<p class=action>{escape(words(row))}</p>\n"
        f"{f'<p>{escape(evidence)}</p>' if evidence else ''}"
        f'<p><a href="#step-{part.index}-{iteration}">{where}, with what came before it</a></p>\n</div>\n'
        f"{_figure(name, rows, pictures) if name in pictures else ''}</section>\n"
    )


def _is_failed(row: Mapping[str, Any]) -> bool:
    return _text(row, "type") == "exec_error" or _text(row, "outcome") in _NOT_DONE


def _is_wait(rows: Sequence[Mapping[str, Any]]) -> bool:
    return all(_object(row.get("pixel_action")).get("action") == "wait" and not _is_failed(row) for row in rows)


def _contents(parts: Sequence[_Part]) -> str:
    lines: list[str] = []
    for part in parts:
        tone, sign, said = part.state
        lines.append(
            f'<li class="{tone}"><a href="#part-{part.index}">{escape(part.text or f"Part {part.index + 1}")}</a> '
            f'<small><span aria-hidden="true">{sign}</span> {said.lower()}</small></li>\n'
        )
    return f'<nav aria-label="Parts">\n<ol>\n{"".join(lines)}</ol>\n</nav>\n' if len(lines) > 1 else ""


def _section(part: _Part, pictures: Mapping[str, Thumbnail]) -> str:
    told, index = part.told, part.index
    tone, sign, said = part.state
    took = f", {_duration(_number(told, 'duration_ms'))}" if told else ""
    result = _text(told, "result")
    return (
        f'<section class="{tone}" aria-labelledby="part-{index}">\n'
        f'<h2 id="part-{index}"><span class="number">{index + 1}</span> {escape(part.text)} '
        f'<small><span aria-hidden="true">{sign}</span> {said.lower()}{took}</small></h2>\n'
        f"{_check(told.get('check'), 'afterwards')}"
        f"{f'<p class=result>{escape(result)}</p>' if result else ''}"
        f"{''.join(_turns(index, part.turns, pictures))}</section>\n"
    )


def _turns(
    part: int, turns: Mapping[int, Sequence[Mapping[str, Any]]], pictures: Mapping[str, Thumbnail]
) -> Iterator[str]:
    """Each look at the screen; of waits that follow one another the first, and behind it the others in a line each."""
    for is_wait, group in groupby(turns.items(), key=lambda turn: _is_wait(turn[1])):
        (at, rows), *others = group
        if not is_wait or not others:
            yield from (_turn(part, each, own, pictures) for each, own in ((at, rows), *others))
            continue
        lines = "".join(
            f'<li id="step-{part}-{each}">step {each + 1} at {_duration(_number(own[0], "ms"))}: '
            f"{escape(words(own[0]))}</li>"
            for each, own in others
        )
        folded = f"<details><summary>and {len(others)} more waits</summary><ul>{lines}</ul></details>\n"
        yield _turn(part, at, rows, pictures, more=folded)


def _name(part: int, iteration: int) -> str:
    return f"subtask_{part:02}_iter_{iteration:03}.png"


def _turn(
    subtask: int,
    iteration: int,
    rows: Sequence[Mapping[str, Any]],
    pictures: Mapping[str, Thumbnail],
    *,
    more: str = "",
) -> str:
    """One look at the screen and what was done on it."""
    observation = next((found for row in rows if (found := _text(_object(row.get("pixel_action")), "observation"))), "")
    steps = "".join(_row(row, number if len(rows) > 1 else 0) for number, row in enumerate(rows, 1))
    time = _number(rows[0], "ms")
    return (
        '<article>\n<div class="told">\n'
        f'<p class="time"><a id="step-{subtask}-{iteration}" href="#step-{subtask}-{iteration}">'
        f"step {iteration + 1}</a> at {_duration(time)}</p>\n"
        f"{f'<p class=observation>{escape(observation)}</p>' if observation else ''}{steps}{more}</div>\n"
        f"{_figure(_name(subtask, iteration), rows, pictures)}</article>\n"
    )


def _row(row: Mapping[str, Any], number: int) -> str:
    kind = _text(row, "type")
    tone, sign, outcome = _RESULTS.get(_text(row, "outcome"), _UNKNOWN)
    evidence = _text(row, "evidence")
    if kind == "exec_error":
        tone, sign, outcome, evidence = "bad", "✗", "not done", _text(row, "error")
    elif kind == "done":
        tone, sign, outcome, evidence = "still", "■", "said to be done", _text(row, "result")
    elif kind == "extract":
        tone, sign, outcome, evidence = "good", "✓", "read", _text(row, "value")
    raw = json.dumps(row, ensure_ascii=False, indent=1)
    return (
        f"<p class=action>{f'<b class=number>{number}</b> ' if number else ''}{escape(words(row))}</p>\n"
        f'<p class="outcome-of {tone}"><span aria-hidden="true">{sign}</span> {escape(outcome)}'
        f"{f'<br><small>{escape(evidence)}</small>' if evidence else ''}</p>\n"
        f"<details><summary>As it was recorded</summary><pre>{escape(raw[:_MAX_RAW])}</pre></details>\n"
    )


def _figure(name: str, rows: Sequence[Mapping[str, Any]], pictures: Mapping[str, Thumbnail]) -> str:
    picture = pictures.get(name)
    if picture is None:
        return f'<p class="absent">Its picture is not in this page; see {escape(name)}.</p>\n'
    data = base64.b64encode(picture.webp).decode()
    width, height = picture.width, picture.height
    marks = [mark(row, width, height, number if len(rows) > 1 else 0) for number, row in enumerate(rows, 1)]
    said = "; ".join(words(row) for row in rows)
    return (
        f'<figure><div class="screen" style="aspect-ratio:{width}/{height}">'
        f'<img alt="{escape(f"The screen before: {said}")}" width="{width}" height="{height}" '
        f'src="data:image/webp;base64,{data}">'
        f'<svg viewBox="0 0 {width} {height}" aria-hidden="true">{"".join(marks)}</svg></div>'
        f"<figcaption>{escape(name)}</figcaption></figure>\n"
    )


def _outcome(run: Mapping[str, Any]) -> tuple[str, str, str]:
    return _OUTCOMES.get(_text(run, "outcome"), _UNKNOWN)


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


def _list(value: Any) -> Sequence[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else ()


def _duration(milliseconds: int) -> str:
    seconds = milliseconds / 1000
    if seconds < 60:  # noqa: PLR2004 - of a minute
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60):02} s"
