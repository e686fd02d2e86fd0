from collections.abc import Generator, Sequence
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.embeddings import StaticWords
from core.memory import Procedure, RecallAnswer, RecallRequest
from core.recall.ports import Words
from core.recall.recall import Recall
from storage.memories.memories import SqlMemories
from tests.fakes.recordings.made_procedures import NOW, procedure

ADDED = procedure(
    "added",
    'Added "work laptop" in Firefox',
    'Clicked "Settings"',
    'Clicked "New SSH key"',
    'Typed "work laptop" into "Title"',
    'Clicked "Add SSH key"',
    ago=timedelta(days=1, hours=9),
    title="SSH and GPG keys - GitHub",
)
DELETED = procedure(
    "deleted",
    'Deleted "old laptop" in Firefox',
    'Clicked "Delete"',
    'Clicked "I understand, please delete this SSH key"',
    ago=timedelta(hours=3),
    title="SSH and GPG keys - GitHub",
)
FILLED = procedure(
    "filled",
    'Changed "Fill" to "#FF5500" in Figma',
    'Clicked "Fill"',
    'Typed "#FF5500"',
    ago=timedelta(days=8),
    application="Figma",
    title="Landing page",
)
INVOICED = procedure(
    "invoiced",
    'Saved "invoice-118.ods" in LibreOffice Calc',
    'Opened "invoice-117.ods"',
    'Typed "1,240.00" into "Total"',
    ago=timedelta(days=20),
    application="LibreOffice Calc",
)
CHOSEN = procedure(
    "chosen",
    'Clicked "Choose" in the row of "Narvik" in Chromium - Stations; "Chosen: Narvik" appeared',
    "Scrolled down in Chromium - Stations",
    'Clicked "Choose" in the row of "Narvik", and "Chosen: Narvik" appeared',
    application="Chromium",
    title="Stations",
    texts=("Chosen: Narvik", "Choose", "Uppsala", "Skagen", "Visby", "Quebec", "Narvik", "Odense", "Porvoo", "Xanten"),
)
RESOLUTION = procedure(
    "resolution", '更改了"显示设置"', '点击了"分辨率"', '选择了"1920x1080"', ago=timedelta(days=3), application="设置"
)
CYRILLIC = procedure("cyrillic", 'Нажал "Настройки сети" в GNOME', ago=timedelta(days=3), application="Настройки")
ALL = (ADDED, DELETED, FILLED, INVOICED, RESOLUTION, CYRILLIC)


@pytest.fixture(scope="module")
def memories(tmp_path_factory: pytest.TempPathFactory) -> Generator[SqlMemories]:
    memories = SqlMemories(tmp_path_factory.mktemp("memories") / "memory.db")
    keep(memories, ALL)
    yield memories
    memories.close()


def keep(memories: SqlMemories, procedures: Sequence[Procedure]) -> None:
    for each in procedures:
        memories.replace(each.video, [each])


def asked(memories: SqlMemories, query: str, words: Words | None = None, **options: Any) -> RecallAnswer:
    recall = Recall(memories, now=lambda: NOW, zone=lambda: ZoneInfo("Europe/Berlin"), video_url=clip, words=words)
    return recall.recall(RecallRequest(query=query, **options))


def clip(procedure: Procedure) -> str | None:
    return f"http://127.0.0.1:3456/memory/{procedure.id}/clip" if procedure.source == "recorder" else None


def ids(answer: RecallAnswer) -> list[str]:
    return [result.id for result in answer.results]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("how did I add an SSH key", "added"),
        ("how did I get rid of the ssh key?", "deleted"),
        ("adding ssh keys", "added"),
        ("how did I ad an shs key to my acount", "added"),
        ("deleted an SSH kye", "deleted"),
        ("change the colour of the fill in Figma", "filled"),
        ("the invoice in the spreadsheet", "invoiced"),
        ("invoi", "invoiced"),
        ("bill with the total", "invoiced"),
        ("显示", "resolution"),
        ("怎么改分辨率", "resolution"),
        ("辨", "resolution"),
        ("настройка сети", "cyrillic"),
        ("GITHUB", "deleted"),
        ("hub", "deleted"),
    ],
)
def test_a_question_in_other_words_finds_what_was_done(memories: SqlMemories, query: str, first: str) -> None:
    assert ids(asked(memories, query))[:1] == [first]


def test_an_answer_tells_the_steps_the_time_and_the_stretch_of_its_video(memories: SqlMemories) -> None:
    (first, *_) = asked(memories, "how did I add an SSH key").results
    assert first.model_dump(mode="json") | {"confidence": None} == {
        "id": "added",
        "timestamp": "2026-11-20T13:30:00Z",
        "duration_seconds": 45.0,
        "confidence": None,
        "summary": 'Added "work laptop" in Firefox',
        "steps": [
            'Clicked "Settings"',
            'Clicked "New SSH key"',
            'Typed "work laptop" into "Title"',
            'Clicked "Add SSH key"',
        ],
        "video_url": "http://127.0.0.1:3456/memory/added/clip",
        "video_start_ms": 2000,
        "video_end_ms": 47000,
        "source": "recorder",
        "video": "segment-added",
        "applications": ["Firefox"],
        "windows": ["SSH and GPG keys - GitHub"],
        "inferred": False,
    }


@pytest.mark.parametrize("query", ["how did I bake a cake", "kubernetes ingress certificate", "量子力学", "zzzzqqq"])
def test_what_was_never_done_is_not_answered(memories: SqlMemories, query: str) -> None:
    answer = asked(memories, query)
    assert answer.results == ()
    assert answer.message
    assert "Nothing that was remembered" in answer.message


def test_an_empty_memory_says_so(tmp_path: Any) -> None:
    memories = SqlMemories(tmp_path / "memory.db")
    answer = asked(memories, "how did I add an SSH key")
    memories.close()
    assert (answer.results, answer.message) == (
        (),
        "Nothing is remembered yet: start the recorder, or import a video.",
    )


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("what did I do yesterday afternoon?", ["added"]),
        ("what did I do last week", ["filled"]),
        ("what did I do three hours ago", ["deleted"]),
        ("what did I do on 2026-11-01?", ["invoiced"]),
    ],
)
def test_a_question_about_a_time_alone_is_answered_with_what_was_done_then(
    memories: SqlMemories, query: str, expected: list[str]
) -> None:
    assert ids(asked(memories, query)) == expected


def test_a_question_without_any_content_is_answered_with_the_newest(memories: SqlMemories) -> None:
    assert ids(asked(memories, "what did I do?", limit=2)) == ["deleted", "added"]


def test_a_time_at_which_nothing_was_done_says_so(memories: SqlMemories) -> None:
    answer = asked(memories, "what did I do in March 2020?")
    assert (answer.results, answer.message) == ((), "Nothing is remembered of that time.")


def test_a_time_filters_and_outside_of_it_an_answer_is_half_as_sure_and_says_so(memories: SqlMemories) -> None:
    inside, outside = asked(memories, "SSH key yesterday"), asked(memories, "how did I add an SSH key in March")
    assert ids(inside) == ["added"]
    assert inside.message is None
    assert ids(outside)[:1] == ["added"]
    assert outside.results[0].confidence <= 0.5
    assert outside.message
    assert "another time" in outside.message


def test_what_is_quoted_must_stand_in_the_answer_to_the_letter(memories: SqlMemories) -> None:
    assert ids(asked(memories, '"New SSH key"')) == ["added"]
    assert ids(asked(memories, 'the "ssh KEY" of the laptop')) == ["added", "deleted"] or ids(
        asked(memories, 'the "ssh KEY" of the laptop')
    ) == ["deleted", "added"]
    assert ids(asked(memories, '"New SSH keys"')) == []


def test_recency_decides_among_what_fits_as_it_is_asked_to(tmp_path: Any) -> None:
    memories = SqlMemories(tmp_path / "memory.db")
    keep(
        memories,
        [
            procedure("old", 'Renamed the branch "main"', 'Clicked "Rename branch"', ago=timedelta(days=90)),
            procedure("new", 'Opened the list of branches, could rename "dev"', ago=timedelta(days=1)),
        ],
    )
    order = [ids(asked(memories, "rename branch", recency_bias=bias)) for bias in (0, 1)]
    memories.close()
    assert order == [["old", "new"], ["new", "old"]]


def test_what_was_done_twice_in_the_same_way_is_told_once_by_the_newest(tmp_path: Any) -> None:
    memories = SqlMemories(tmp_path / "memory.db")
    keep(
        memories,
        [procedure(f"time-{days}", 'Printed "label.pdf"', ago=timedelta(days=days)) for days in (9, 2, 5)],
    )
    answer = asked(memories, "print the label", recency_bias=0)
    memories.close()
    assert ids(answer) == ["time-2"]


@given(st.text(min_size=1, max_size=1000))
def test_no_text_makes_it_fail(memories: SqlMemories, query: str) -> None:
    assert all(0 <= each.confidence <= 1 and each.steps for each in asked(memories, query).results)


_SYNTAX = st.sampled_from(
    ["\x00", '"', "'", "*", "NEAR(", "AND", "OR", "NOT", "{summary}:", "^", "-", "(", ")", "ssh", "key", "yesterday",
     "last", "0 days ago", "9999", "on 2026-02-30", "💾", "“", "in", "May", "分", " ", "a" * 90]
)  # fmt: skip


@given(st.lists(_SYNTAX, min_size=1, max_size=12).map(" ".join))
def test_no_piece_of_query_syntax_makes_it_fail(memories: SqlMemories, query: str) -> None:
    asked(memories, query)


def test_words_that_mean_nearly_the_same_find_what_was_done_and_make_it_surer(memories: SqlMemories) -> None:
    def answer(query: str, words: Words | None) -> RecallAnswer:
        recall = Recall(memories, now=lambda: NOW, zone=lambda: ZoneInfo("UTC"), video_url=clip, words=words)
        return recall.recall(RecallRequest(query=query))

    words = StaticWords()
    assert ids(answer("how did I eliminate an SSH key", words))[:1] == ["deleted"]
    (letters,), (surer, *_) = (answer("erased notebook key", each).results for each in (None, words))
    assert letters.id == surer.id == "deleted"
    assert letters.confidence < surer.confidence
    assert answer("how did I paint a rectangle", None).results == ()
    assert answer("how did I bake a cake", words).results == ()


@pytest.fixture(scope="module", params=[False, True], ids=["letters", "meanings"])
def words(request: pytest.FixtureRequest) -> Words | None:
    return StaticWords() if request.param else None


@pytest.fixture(params=range(len(ALL)), ids=lambda others: f"{others + 1} remembered")
def first_hour(request: pytest.FixtureRequest, tmp_path: Any) -> Generator[SqlMemories]:
    """What was chosen, and a few things besides."""
    memories = SqlMemories(tmp_path / "memory.db")
    keep(memories, (CHOSEN, *ALL[: request.param]))
    yield memories
    memories.close()


@pytest.mark.parametrize(
    "query", ["which station did I pick", "how did I choose Narvik", "selecting a station", "narvik"]
)
def test_what_was_done_is_found_in_the_first_hour_however_little_was(
    first_hour: SqlMemories, query: str, words: Words | None
) -> None:
    (first, *_) = asked(first_hour, query, words=words).results
    assert first.id == "chosen"
    assert first.confidence >= 0.6


@pytest.mark.parametrize("query", ["how did I pick a wallpaper", "choosing the language"])
def test_a_word_of_nearly_every_step_makes_no_answer_sure(
    first_hour: SqlMemories, query: str, words: Words | None
) -> None:
    assert all(each.confidence < 0.5 for each in asked(first_hour, query, words=words).results)
