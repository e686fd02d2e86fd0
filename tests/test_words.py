"""Names of the product are the field's standard terms: words that were retired do not come back."""

import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]
PRODUCT: Final = ("adapters", "config", "core", "mcp_tools", "server", "storage", "vaider")
RETIRED: Final = {
    "heed": "raise_if_cancelled",
    "told": "format_, describe_, report_ or to_, by what it does; View for what is shown",
    "telling": "report",
    "tell": "report, publish or notify",
    "undertaking": "RunSubject for what a run carries out, activity for a group of steps",
    "companion": "ActionCacheExtension",
    "custody": "InputControl",
    "lookout": "DesktopObserver",
    "refinery": "RefinementWorker",
    "outlet": "EgressGate",
    "rememberer": "MemoryWriter",
    "forgetful": "Purgeable",
    "doomed": "pending_delete",
    "surplus": "segments_to_prune",
    "narrator": "ProgressNotifier",
    "aloud": "wait_with_progress",
    "veil": "masked, or covered",
    "veiled": "masked, or covered",
    "unrest": "ContinuousMotion",
    "wording": "phrasing",
    "woven": "a verb: merge_window_switches",
    "squeezed": "a verb: strip_spaces, normalise",
    "nobodys": "log_and_continue",
}
"""Words that only this project used, with the term that a reader knows."""
STORED: Final = {
    "veiled": {  # a key of the recorder's journal and of GET /recorder
        "adapters/recording/continuous/control.py",
        "adapters/recording/continuous/recorder.py",
        "core/recording/history.py",
        "core/recording/recorder.py",
        "server/composition/recorder.py",
        "storage/recorder_journal.py",
    },
    "told": {  # a key of the reload cache's documents and of GET /reload/{cache_id}
        "core/reload/entry.py",
        "core/reload/replays/playing.py",
        "core/reload/views.py",
    },
}
"""Names that files on disk and answers have held since before, and where they stand for those."""
PART: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def retired_in(name: str) -> str | None:
    """The retired word in an identifier, in whichever spelling and number."""
    for part in PART.findall(name):
        for word in (part.lower(), part.lower().removesuffix("s")):
            if word in RETIRED:
                return word
    return None


def names_of(path: Path) -> Iterator[tuple[int, str]]:
    """Each identifier with its line, and the file's own name as line 0."""
    yield from ((0, part) for part in path.relative_to(ROOT).with_suffix("").parts)
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.NAME:
                yield token.start[0], token.string


def test_no_name_of_the_product_uses_a_retired_word() -> None:
    found = [
        f"{where}:{line}: {name}: say {RETIRED[word]}"
        for folder in PRODUCT
        for path in sorted((ROOT / folder).rglob("*.py"))
        for where in [path.relative_to(ROOT).as_posix()]
        for line, name in names_of(path)
        if (word := retired_in(name)) and where not in STORED.get(name, ())
    ]
    assert found == []


@pytest.mark.parametrize("name", ["heed", "ToldEntry", "_told_at", "WORDINGS", "unrests", "delete_doomed", "VeiledLog"])
def test_a_retired_word_is_found_in_every_spelling(name: str) -> None:
    assert retired_in(name)


@pytest.mark.parametrize("name", ["surveillance", "telegram", "stellar"])
def test_a_word_that_merely_contains_one_is_none(name: str) -> None:
    assert retired_in(name) is None
