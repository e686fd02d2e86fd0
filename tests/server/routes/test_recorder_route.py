"""The days of the recording over HTTP, its segments in parts, and what patterns would black out."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import av
import pytest

from config.settings import Settings
from core.recording.recorder import RecorderPhase
from core.screens import Box
from server.composition.from_settings import ExclusionWishes, preview_of
from server.composition.recorder import JOURNAL
from storage.recorder_journal import JournalFile
from tests.fakes.daemons.memory_daemon import Daemon
from tests.fakes.desktops.x_user import x_display
from tests.fakes.recordings.continuous import continuous, patch
from tests.fakes.recordings.remembered import SEGMENT, STARTED, procedure, record, remember

FILM = f"/recorder/segments/{SEGMENT}.mp4"


@pytest.fixture
def data(settings: Settings) -> Path:
    record(settings.data_path)
    remember(settings.data_path, procedure())
    journal = JournalFile(settings.data_path / JOURNAL)
    journal.note(RecorderPhase.RECORDING, veiled=False, at=STARTED)
    journal.note(RecorderPhase.RECORDING, veiled=True, at=STARTED + timedelta(seconds=12))
    journal.note(RecorderPhase.PAUSED, veiled=False, at=STARTED + timedelta(seconds=30))
    journal.note(RecorderPhase.OFF, veiled=False, at=STARTED + timedelta(hours=1))
    return settings.data_path


def _json(daemon: Daemon, path: str, code: int = 200, **options: Any) -> Any:
    answer = daemon.http.request(options.pop("method", "GET"), path, **options)
    assert answer.status_code == code, answer.text
    return answer.json()


def test_a_day_tells_what_can_be_played_what_is_missing_and_what_is_remembered(data: Path, daemon: Daemon) -> None:
    del data
    day = _json(daemon, "/recorder/day", params={"date": "2026-11-21", "zone": "Europe/Berlin"})

    assert (day["start"], day["end"]) == ("2026-11-20T23:00:00Z", "2026-11-21T23:00:00Z")
    (segment,) = day["segments"]
    assert (segment["id"], segment["start"], segment["complete"]) == (SEGMENT, "2026-11-21T09:00:00Z", True)
    assert [(gap["start"][11:19], gap["end"][11:19], gap["reason"]) for gap in day["gaps"]] == [
        ("23:00:00", "09:00:00", "unknown"),
        ("09:00:30", "10:00:00", "paused"),
        ("10:00:00", "23:00:00", "off"),
    ]
    assert [(each["start"][14:19], each["end"][14:19]) for each in day["excluded"]] == [("00:12", "00:30")]
    (memory,) = day["memories"]
    assert (memory["id"], memory["start"], memory["segment"]) == ("mem-1", "2026-11-21T09:00:10Z", SEGMENT)


def test_a_day_begins_and_ends_where_the_clock_says(data: Path, daemon: Daemon) -> None:
    del data
    for date, zone, hours in (("2026-03-29", "Europe/Berlin", 23), ("2026-10-25", "Europe/Berlin", 25)):
        day = _json(daemon, "/recorder/day", params={"date": date, "zone": zone})
        assert datetime.fromisoformat(day["end"]) - datetime.fromisoformat(day["start"]) == timedelta(hours=hours)
    # In Kiritimati it was the 21st from ten in the morning of the 20th on.
    (known,) = _json(daemon, "/recorder/days", params={"zone": "Pacific/Kiritimati"})["days"]
    assert known == {"date": "2026-11-21", "recorded": True, "playable": True, "memories": True}


def test_today_goes_as_far_as_now(daemon: Daemon) -> None:
    before = datetime.now(UTC)
    day = _json(daemon, "/recorder/day", params={"zone": "UTC"})
    assert before <= datetime.fromisoformat(day["known_until"]) <= datetime.now(UTC)
    future = _json(daemon, "/recorder/day", params={"zone": "UTC", "date": "2999-01-01"})
    assert (future["known_until"], future["gaps"]) == (future["start"], [])


def test_days_of_which_there_is_anything_are_listed(data: Path, daemon: Daemon) -> None:
    old = procedure(2).model_copy(update={"started_at": datetime(2025, 1, 1, 23, 30, tzinfo=UTC)})
    remember(data, old)
    found = _json(daemon, "/recorder/days", params={"zone": "Europe/Berlin"})
    assert [(day["date"], day["playable"], day["memories"]) for day in found["days"]] == [
        ("2026-11-21", True, True),
        ("2025-01-02", False, True),
    ]
    newest = _json(daemon, "/recorder/days", params={"zone": "UTC", "limit": 1})
    assert ([day["date"] for day in newest["days"]], newest["more"]) == (["2026-11-21"], True)


@pytest.mark.parametrize(
    "params", [{"date": "1200-01-01"}, {"date": "9999-12-31"}, {"zone": "Nowhere/Land"}, {"date": "x"}]
)
def test_days_that_cannot_be_told_are_refused(daemon: Daemon, params: dict[str, str]) -> None:
    assert _json(daemon, "/recorder/day", 400, params=params)["code"] == "invalid_request"


def test_a_segment_is_sent_whole_and_in_parts(data: Path, daemon: Daemon) -> None:
    film = (data / "recordings" / f"{SEGMENT}.mp4").read_bytes()
    whole = daemon.http.get(FILM)
    assert (whole.status_code, whole.headers["content-type"], whole.content == film) == (200, "video/mp4", True)
    assert (whole.headers["cache-control"], whole.headers["accept-ranges"]) == ("no-store", "bytes")
    for asked, start, end in (("0-", 0, len(film)), ("10-19", 10, 20), ("-7", len(film) - 7, len(film))):
        part = daemon.http.get(FILM, headers={"Range": f"bytes={asked}"})
        assert (part.status_code, part.content) == (206, film[start:end])
        assert part.headers["content-range"] == f"bytes {start}-{end - 1}/{len(film)}"
    for asked in ("0-1,5-6", "9-2", "x", "-"):
        assert daemon.http.get(FILM, headers={"Range": f"bytes={asked}"}).content == film
    for asked in (f"{len(film)}-", "-0"):
        beyond = daemon.http.get(FILM, headers={"Range": f"bytes={asked}"})
        assert (beyond.status_code, beyond.headers["content-range"]) == (416, f"bytes */{len(film)}")
        assert "ask for some" in beyond.json()["error"]


@pytest.mark.parametrize("name", ["20261121T090001.000Z", "..%2f..%2fmemory.db", "x", "%00"])
def test_nothing_but_a_segment_is_sent(data: Path, daemon: Daemon, name: str) -> None:
    (data / "recordings" / "x.mp4").write_bytes(b"mine")
    assert daemon.http.get(f"/recorder/segments/{name}.mp4").status_code == 404
    (data / "recordings" / f"{SEGMENT}.mp4").unlink()
    (data / "recordings" / f"{SEGMENT}.mp4").symlink_to(data / "recordings" / "x.mp4")
    assert daemon.http.get(FILM).status_code in {404, 507}


@pytest.mark.nightly
@pytest.mark.screen
def test_the_segment_that_is_being_recorded_can_be_played_as_far_as_it_is(
    start: Callable[..., Daemon], settings: Settings, tmp_path: Path
) -> None:
    settings.data_path.mkdir(parents=True)
    daemon = start()
    with x_display() as display, patch(display, 0xE08000, "notes") as window:
        window.report("show")
        with continuous(display, settings.data_path / "recordings", fps=8.0) as recorded:
            for number in range(4):
                window.report(f"move {100 * number + 100} 200")
            recorded.await_pictures(1)
            (segment,) = _json(daemon, "/recorder/day", params={"zone": "UTC"})["segments"]
            assert (segment["complete"], segment["playable"]) == (False, True)
            film = daemon.http.get(f"/recorder/segments/{segment['id']}.mp4")
    (tmp_path / "film.mp4").write_bytes(film.content)
    with av.open(str(tmp_path / "film.mp4")) as opened:
        assert len([*opened.decode(video=0)]) >= 1


@pytest.mark.screen
def test_a_preview_tells_what_patterns_would_black_out_and_takes_no_picture(settings: Settings) -> None:
    changed = settings.model_copy(update={"record_exclude_titles": ("vault",)})
    with (
        x_display() as display,
        patch(display, 0x00E060, "my vault", "Safe") as secret,
        patch(display, 0xE08000, "notes") as notes,
    ):
        environment = {**os.environ, "DISPLAY": display, "WAYLAND_DISPLAY": "", "XDG_SESSION_TYPE": "x11"}
        for window, place in ((secret, "200 200"), (notes, "600 300")):
            window.report("show")
            window.report(f"move {place}")

        def seen(**wishes: Any) -> dict[str, tuple[bool, str | None, str | None]]:
            found = preview_of(changed, ExclusionWishes(**wishes), environment)
            assert (found.width, found.height, found.area) == (1280, 720, Box(x=0, y=0, width=1280, height=720))
            assert all(each.box.width > 100 for each in found.windows)
            return {each.application: (each.excluded, each.why, each.title) for each in found.windows}

        assert seen() == {"Safe": (True, "the title vault", None), "Patch": (False, None, "notes")}
        assert seen(exclude_titles=(), exclude_apps=("patch",)) == {
            "Safe": (False, None, "my vault"),
            "Patch": (True, "the application patch", None),
        }


def test_a_preview_says_why_there_is_none(settings: Settings) -> None:
    for environment, why in (
        ({}, "DISPLAY is not set"),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "w"}, "Wayland session"),
    ):
        found = preview_of(settings, ExclusionWishes(), environment)
        assert found.windows == ()
        assert why in str(found.reason)


def test_a_preview_takes_patterns_only(daemon: Daemon) -> None:
    for body in ({"exclude_apps": "x"}, {"pixels": True}, {"exclude_titles": ["a" * 301]}):
        assert _json(daemon, "/recorder/preview", 400, method="POST", json=body)["code"] == "invalid_request"
