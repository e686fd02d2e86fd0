"""Whether scripted expectations get the right answer."""

from collections import Counter
from collections.abc import Sequence

from bench.clips import HELD_OUT, Clip, clips
from bench.table import Table
from bench.watching import watch
from core.analysis import VerdictResult
from core.expectations import judge_all

BAR = 0.94


def run() -> list[Table]:
    """Judge every expectation of every clip; the held-out ones stand in a table of their own."""
    return [_table(clips(), ""), _table(clips(HELD_OUT), ", held out")]


def _table(there: Sequence[Clip], which: str) -> Table:
    answers: Counter[tuple[VerdictResult, VerdictResult]] = Counter()
    wrong: list[str] = []
    unproven = 0
    for clip in there:
        video, findings = watch(clip.path)
        asked = clip.truth.expectations
        for true, verdict in zip(asked, judge_all([true.text for true in asked], findings, video), strict=True):
            answers[true.verdict, verdict.verdict] += 1
            unproven += verdict.verdict is VerdictResult.PASS and not verdict.evidence
            if true.verdict is not verdict.verdict:
                wrong.append(
                    f"{clip.name}: {true.text} ({verdict.verdict} instead of {true.verdict}: {verdict.reason})"
                )
    count, right = answers.total(), sum(answers[each, each] for each in VerdictResult)
    rows = [
        (f"should be {true}", *(str(answers[true, reported]) for reported in VerdictResult)) for true in VerdictResult
    ]
    note = (
        f"{right} of {count} agree ({right / count:.1%}; the bar is {BAR:.0%}). Passes without evidence: {unproven}."
        + "".join(f"\n- {line}" for line in wrong)
    )
    columns = ("", *(f"told {result}" for result in VerdictResult))
    return Table(f"Verdicts on scripted expectations{which}", columns, rows, note)
