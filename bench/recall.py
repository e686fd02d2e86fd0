"""How well and how fast "how did I do that?" is answered: ``python -m bench recall``.

The answers are those to the half of the labelled questions (``bench/remembered``) that nothing was fitted on, beside
SQLite's FTS5 alone; the times are among made-up memories, up to a million.
"""

import random
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

from adapters.embeddings import StaticWords
from bench.recall_rival import Rival
from bench.recall_scale import YEARS, fill, vocabulary
from bench.recall_set import NOW, SHOWN, ZONE, Asked, Outcome, outcomes, procedures, questions
from bench.table import Table
from core.memory import RecallRequest
from core.recall.ports import Clock, Words
from core.recall.question import understood
from core.recall.recall import Recall, search_results
from storage.memories.memories import SqlMemories

SIZES = (10_000, 100_000, 1_000_000)
PRUNED = 100_000
EACH = 100
"""So many questions of each kind are timed."""
BUCKETS = (0.25, 0.4, 0.6, 0.8, 0.9, 1.01)


def run(*, quick: bool = False) -> list[Table]:
    """All tables; when quick, only among ten thousand."""
    with tempfile.TemporaryDirectory() as folder:
        return [*_quality(Path(folder)), *_scale(Path(folder), SIZES[:1] if quick else SIZES)]


def _quality(folder: Path) -> list[Table]:
    memories = SqlMemories(folder / "labelled.db")
    kept = procedures()
    for each in kept:
        memories.replace(each.video, [each])
    asked = [each for each in questions() if not each.is_for_fitting]
    words = StaticWords()
    plain, dropping = (Rival(kept, drops_stop_words=drops) for drops in (False, True))
    methods = {
        "Vaider": outcomes(memories, asked, words),
        "Vaider, however unsure": [_unsure(memories, each, words) for each in asked],
        "Vaider, by letters alone": outcomes(memories, asked, None),
        "FTS5 porter, OR, bm25": plain.outcomes(asked),
        "the same without our stop words": dropping.outcomes(asked),
    }
    plain.close()
    dropping.close()
    memories.close()
    return [_answers(methods), _kinds(methods), _calibration(methods["Vaider"])]


def _unsure(memories: SqlMemories, asked: Asked, words: Words) -> Outcome:
    """The ranking alone: what would be told if nothing were too unsure, and nothing told for being newer."""
    question = understood(asked.query, Clock(NOW, ZONE))
    if question.is_about_time_alone:
        return outcomes(memories, [asked], words)[0]
    total = memories.count()
    reported = search_results(question, question.span, memories, total, words) or search_results(
        question, None, memories, total, words
    )
    return Outcome(asked, tuple(procedure.id for _, procedure in reported[:SHOWN]), ())


def _answers(methods: dict[str, list[Outcome]]) -> Table:
    rows = [(name, *map(_share, _measures(found))) for name, found in methods.items()]
    can = sum(bool(each.asked.answers) for each in methods["Vaider"])
    return Table(
        f"Recall: {can} questions with an answer and {len(methods['Vaider']) - can} without",
        ("", "MRR (bar 0.91)", "right first", "recall@3", "answered though there is no answer"),
        rows,
        "The half of the labelled questions that nothing was fitted on, among 81 procedures. Where no answer "
        "is 25 % sure Vaider tells none; the second row tells all, to show the ranking alone, and in the third nothing "
        "knows what words mean.",
    )


def _measures(found: Sequence[Outcome]) -> tuple[float, ...]:
    can = [each for each in found if each.asked.answers]
    cannot = [each for each in found if not each.asked.answers]
    return (
        _mean([each.reciprocal for each in can]),
        _mean([each.is_first for each in can]),
        _mean([each.reciprocal >= 1 / 3 for each in can]),
        _mean([bool(each.ids) for each in cannot]),
    )


def _kinds(methods: dict[str, list[Outcome]]) -> Table:
    kinds = [kind for kind in dict.fromkeys(each.kind for each in questions()) if kind != "no answer"]
    rows = [
        (
            f"{kind} ({sum(each.asked.kind == kind for each in methods['Vaider'])})",
            *(
                _share(_mean([each.reciprocal for each in found if each.asked.kind == kind]))
                for found in methods.values()
            ),
        )
        for kind in kinds
    ]
    return Table("Recall: MRR by kind of question", ("", *methods), rows)


def _calibration(found: Sequence[Outcome]) -> Table:
    """The first answers alone: an agent acts on them."""
    reported = [(each.sure[0], each.is_first) for each in found if each.sure]
    rows: list[tuple[str, ...]] = []
    error = 0.0
    low = 0.0
    for high in BUCKETS:
        inside = [(sure, right) for sure, right in reported if low <= sure < high]
        if inside:
            said, was = _mean([sure for sure, _ in inside]), _mean([right for _, right in inside])
            error += len(inside) / len(reported) * abs(said - was)
            rows.append((f"{low:g} to {min(high, 1.0):g}", str(len(inside)), _share(said), _share(was)))
        low = high
    rows.append(("expected calibration error", str(len(reported)), "", f"{error:.3f}"))
    return Table(
        "Recall: how sure it was, and how often right",
        ("first answers that were so sure", "how many", "said on average", "right"),
        rows,
        "With the questions that have no answer, to which each answer is wrong.",
    )


def _scale(folder: Path, sizes: Sequence[int]) -> list[Table]:
    path = folder / "scale.db"
    memories = SqlMemories(path)
    for each in procedures():
        memories.replace(each.video, [each])
    columns: list[dict[str, str]] = []
    done, took = 0, 0.0
    for size in sizes:
        begun = time.perf_counter()
        fill(memories, size, first=done)
        took += time.perf_counter() - begun
        columns.append(_latencies(memories))
        done = size
    note = (
        f"p50 / p95 in ms (p95 of the processor's time), {EACH} questions of each kind, none asked before. The "
        f"memories are made up: {len(vocabulary()):,} words as frequent as 1 / n, {YEARS} years. Filling took "
        f"{took / done * 1000:.2f} ms a procedure, the file has {path.stat().st_size / 1e6:,.0f} MB."
    )
    rows = [(kind, *(column[kind] for column in columns)) for kind in columns[0]]
    latency = Table("Recall: time to answer (bar p95 ≤ 50 ms)", ("", *(f"{size:,}" for size in sizes)), rows, note)
    removal = _removal(memories, done)
    memories.close()
    return [latency, removal]


def _latencies(memories: SqlMemories) -> dict[str, str]:
    recall = _recall(memories)
    found: dict[str, str] = {}
    every: list[tuple[float, float]] = []
    for kind, ask in _askers().items():
        times = [_timed(recall, ask()) for _ in range(EACH)]
        every += times
        found[kind] = _percentiles(times)
    found["**all**"] = _percentiles(every)
    return found


def _recall(memories: SqlMemories) -> Recall:
    """As the daemon has it, with what words mean."""
    return Recall(memories, now=lambda: NOW, zone=lambda: ZONE, video_url=lambda _: None, words=StaticWords())


def _askers() -> dict[str, Callable[[], str]]:
    """Questions of each kind, among them the worst for an index: frequent words, and words that it does not hold."""
    chance, words = random.Random(3), vocabulary()
    labelled = [each.query for each in questions()]

    def said(count: int, first: int, last: int) -> list[str]:
        return [words[chance.randrange(first, last)] for _ in range(count)]

    def misspelt(word: str) -> str:
        place = chance.randrange(1, len(word) - 2)
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]

    return {
        "labelled questions": lambda: chance.choice(labelled),
        "a rare word": lambda: said(1, 20_000, 59_000)[0],
        "four words": lambda: " ".join(said(4, 300, 5_000)),
        "four of the most frequent words": lambda: " ".join(said(4, 0, 40)),
        "the most frequent words": lambda: said(1, 0, 10)[0],
        "a rare and two frequent words": lambda: " ".join(said(1, 20_000, 59_000) + said(2, 0, 20)),
        "three misspelt words": lambda: " ".join(map(misspelt, said(3, 300, 20_000))),
        "the beginning of a word": lambda: said(1, 300, 20_000)[0][:3],
        "a quotation": lambda: f'"{" ".join(said(2, 0, 200))}"',
        "a word, an application and a time": lambda: f"how did I save {said(1, 10, 3_000)[0]} in firefox last week",
        "a time alone": lambda: chance.choice(["what did I do yesterday afternoon?", "what did I do in March?"]),
        "twenty words": lambda: " ".join(said(20, 0, 5_000)),
    }


def _removal(memories: SqlMemories, count: int) -> Table:
    """Retention and forgetting, while somebody goes on searching."""
    oldest = NOW - timedelta(days=365 * YEARS) * (1 - min(0.5, PRUNED / count))
    rows: list[tuple[str, ...]] = []
    for name, work in (
        ("what is too old, pruned", lambda: memories.prune(oldest)),
        ("the last days, forgotten provably", lambda: memories.forget(NOW - timedelta(days=2), NOW)),
    ):
        removed, took, times = _meanwhile(memories, work)
        rows.append(
            (name, f"{removed:,}", f"{took:.1f} s", _percentiles(times), f"{max(each for each, _ in times):.0f} ms")
        )
    return Table(
        f"Recall: removing from {count:,} procedures while somebody searches",
        ("", "removed", "took", "searches meanwhile, p50 / p95 ms (processor)", "longest"),
        rows,
        "To forget writes the whole file anew; the searches share the processor with it, and Python's lock.",
    )


def _meanwhile(memories: SqlMemories, work: Callable[[], int]) -> tuple[int, float, list[tuple[float, float]]]:
    recall = _recall(memories)
    asker = _askers()["four words"]
    removed: list[int] = []
    worker = threading.Thread(target=lambda: removed.append(work()))
    begun = time.perf_counter()
    worker.start()
    times = [_timed(recall, asker())]
    while worker.is_alive():
        times.append(_timed(recall, asker()))
    worker.join()
    return removed[0], time.perf_counter() - begun, times


def _timed(recall: Recall, query: str) -> tuple[float, float]:
    """Milliseconds by the clock, and of the processor."""
    begun, worked = time.perf_counter(), time.thread_time()
    recall.recall(RecallRequest(query=query))
    return (time.perf_counter() - begun) * 1000, (time.thread_time() - worked) * 1000


def _percentiles(times: Sequence[tuple[float, float]]) -> str:
    """The median and the 95th percentile by the clock, and the latter of the processor."""
    clock, processor = sorted(each for each, _ in times), sorted(each for _, each in times)
    place = min(len(times) - 1, len(times) * 95 // 100)
    return f"{clock[len(times) // 2]:.1f} / {clock[place]:.1f} ({processor[place]:.1f})"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _share(value: float) -> str:
    return f"{value:.2f}"
