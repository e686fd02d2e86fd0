"""Screens on which nothing happens that is worth telling, and input that is odd."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
from PIL import Image

from adapters.video.frame import Frame
from core.errors import Cancelled
from core.jobs import Stage
from tests.fakes.videos.drawn_screens import HEIGHT, WIDTH, CountingReader, Watcher, draw, picture, write

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from adapters.video.ocr.reader import Reading, TextReader
    from tests.fakes.videos.drawn_screens import Draw


def page(canvas: Draw) -> None:
    canvas.rectangle((0, 0, WIDTH, 50), fill="#24324a")
    write(canvas, 24, 14, "Harbour office", colour="white")
    write(canvas, 40, 90, "Boats in the harbour")
    write(canvas, 40, 130, "Visitors expected")


def test_a_blinking_caret_is_no_event_and_no_letter(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        write(canvas, 40, 300, "Search for boats")
        if t % 1000 < 500:
            canvas.line((184, 298, 184, 322), fill="black")

    findings = watcher.see(scene, 4000)
    assert findings.timeline == ()
    assert "Search for boats" in findings.first_screen


def test_a_running_clock_is_no_event(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        write(canvas, 700, 14, f"10:41:{t // 1000 + 7:02}", colour="white")

    assert watcher.see(scene, 5000).timeline == ()


def test_the_mouse_pointer_alters_no_text_it_rests_upon(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        way = min(max((t - 800) / 600, 0), 1) if t < 2400 else max(1 - (t - 2400) / 600, 0)
        x, y = 600 - 500 * way, 400 - 304 * way
        canvas.polygon([(x, y), (x, y + 17), (x + 4, y + 13), (x + 10, y + 12)], fill="black", outline="white")

    findings = watcher.see(scene, 4400)
    assert findings.timeline == ()
    seen = {(one.text, one.t_ms, one.until_ms) for one in findings.sightings or ()}
    assert seen == {("Harbour office", 0, None), ("Boats in the harbour", 0, None), ("Visitors expected", 0, None)}


@pytest.mark.nightly
def test_a_pointer_that_jumps_between_the_frames_of_a_slow_recording_is_no_event(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        x, y = 560 + t // 500 * 37 % 200, 300 + t // 500 * 53 % 250
        canvas.polygon([(x, y), (x, y + 17), (x + 4, y + 13), (x + 11, y + 12)], fill="black", outline="white")

    assert watcher.see(scene, 6000, fps=2).timeline == ()


def test_the_noise_of_a_codec_is_no_event(watcher: Watcher) -> None:
    noise = np.random.default_rng(7)

    def frames() -> Iterator[Frame]:
        for frame in draw(lambda canvas, _: page(canvas), 3000):
            rough = frame.luma.astype(np.int16) + noise.integers(-9, 10, frame.luma.shape, np.int16)
            yield Frame(frame.t_ms, np.clip(rough, 0, 255).astype(np.uint8), frame.render)

    assert watcher.watch(frames()).timeline == ()


def test_what_stays_is_read_once(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        if t >= 1000:
            write(canvas, 40, 400, "One more line")

    watcher.see(scene, 3000)
    assert watcher.reader.lines == 4
    assert watcher.reader.pictures == 2


def test_an_icon_that_comes_back_is_looked_at_once(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        if t // 1000 % 2:
            canvas.polygon([(90, 420), (126, 438), (90, 456), (54, 438)], fill="#203040")
            canvas.ellipse((78, 430, 102, 446), fill="white")

    watcher.see(scene, 2000)
    shown_once = watcher.reader.lines
    findings = watcher.see(scene, 6000)
    assert all(not event.text for event in findings.timeline)
    assert watcher.reader.lines == 2 * shown_once


def test_in_a_photograph_no_letters_are_looked_for(watcher: Watcher) -> None:
    shades = np.random.default_rng(11).integers(40, 220, (30, 60)).astype(np.uint8)
    photograph = Image.fromarray(cv2.resize(shades, (480, 240), interpolation=cv2.INTER_CUBIC))

    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        if t >= 1000:
            canvas.bitmap((280, 320), photograph, fill="#203040")
            write(canvas, 40, 400, "Low tide at noon")

    findings = watcher.see(scene, 2400)
    assert [event.text for event in findings.timeline if event.text] == ["Low tide at noon"]
    assert watcher.reader.lines <= 8


def test_letters_are_read_a_few_at_a_time_and_none_is_lost_when_something_else_comes(watcher: Watcher) -> None:
    text = "Thirty sheets of sandpaper, please"

    def scene(canvas: Draw, t: int) -> None:
        canvas.rectangle((40, 310, 600, 350), outline="#8090a0")
        write(canvas, 52, 318, text[: max(0, (t - 1000) // 120 + 1)] if t >= 1000 else "")
        if t >= 4000:
            write(canvas, 40, 100, "2 people are here")

    typed, came = watcher.see(scene, 6400).timeline
    assert (typed.text, came.text) == (text, "2 people are here")
    assert typed.until_ms == pytest.approx(1000 + 120 * (len(text) - 1), abs=120)
    assert watcher.reader.lines <= len(text) // 2


def test_what_comes_back_is_not_read_again(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        if t // 1000 % 2:
            write(canvas, 40, 400, "Here and gone again")

    findings = watcher.see(scene, 6000)
    assert [one.t_ms for one in findings.sightings or () if one.text == "Here and gone again"] == [1000, 3000, 5000]
    assert watcher.reader.lines == 4


def test_events_name_pictures_that_exist_and_no_other_picture_is_left(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        write(canvas, 700, 14, f"10:41:{t // 1000 + 7:02}", colour="white")
        if t >= 1500:
            write(canvas, 40, 400, "The tide is rising")

    findings = watcher.see(scene, 4000)
    named = {event.frame for event in findings.timeline} | {findings.first_frame}
    named |= {one.frame for one in findings.sightings or () if one.frame}
    assert named == {f"frames/{path.name}" for path in watcher.directory.iterdir()}


def test_a_picture_is_written_through_no_link_that_lies_in_its_place(watcher: Watcher, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    for name in ("01_0000280.jpg", ".01_0000280.jpg.part"):
        (tmp_path / name).symlink_to(precious)
    assert watcher.see(lambda canvas, _: page(canvas), 800).first_frame == "frames/01_0000280.jpg"
    assert precious.read_text() == "mine"
    assert (tmp_path / "01_0000280.jpg").stat(follow_symlinks=False).st_mode & 0o777777 == 0o100600
    assert not (tmp_path / ".01_0000280.jpg.part").is_symlink()


def test_progress_is_told_and_a_refusal_stops_the_work(watcher: Watcher) -> None:
    watcher.see(lambda canvas, _: page(canvas), 2000)
    assert watcher.reports[0][0] is Stage.DECODING
    assert watcher.reports[-1][0] is Stage.READING
    taken: list[int] = []

    def endless() -> Iterator[Frame]:
        for frame in draw(lambda canvas, _: page(canvas), 3_600_000):
            taken.append(frame.t_ms)
            if len(taken) > 20:
                raise Cancelled("Stopped.")
            yield frame

    with pytest.raises(Cancelled):
        watcher.watch(endless())
    assert len(taken) == 21


def test_no_more_than_a_few_frames_are_held(watcher: Watcher) -> None:
    given: list[weakref.ref[NDArray[np.uint8]]] = []
    most = 0

    def frames() -> Iterator[Frame]:
        nonlocal most
        for frame in draw(lambda canvas, t: write(canvas, 40, 40 + t // 200 * 20, f"Line {t // 200}"), 4000):
            given.append(weakref.ref(frame.luma))
            gc.collect()
            most = max(most, sum(one() is not None for one in given))
            yield frame

    # What there was before is none of these frames, and takes a second to go through each time.
    gc.freeze()
    try:
        watcher.watch(frames())
    finally:
        gc.unfreeze()
    assert most <= 12


def test_an_empty_stream_finds_nothing(watcher: Watcher) -> None:
    findings = watcher.watch(iter(()))
    assert (findings.timeline, findings.sightings, findings.first_screen) == ((), (), ())


def test_one_single_frame_is_a_first_screen(watcher: Watcher) -> None:
    findings = watcher.watch(iter([picture(lambda canvas, _: page(canvas), 0)]))
    assert findings.timeline == ()
    assert findings.first_screen == ("Harbour office", "Boats in the harbour", "Visitors expected")


def test_frames_of_another_size_are_left_out(watcher: Watcher) -> None:
    def frames() -> Iterator[Frame]:
        for frame in draw(lambda canvas, _: page(canvas), 1200):
            odd = frame.t_ms == 600
            yield picture(lambda canvas, _: page(canvas), 600, size=(640, 480)) if odd else frame

    assert watcher.watch(frames()).timeline == ()


def test_a_row_that_a_menu_covers_halfway_is_no_text_and_the_menu_alone_comes_and_goes(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        write(canvas, 300, 250, "plain text document")
        write(canvas, 300, 300, "spreadsheet of the harbour")
        if 1000 <= t < 3000:
            canvas.rectangle((240, 262, 420, 400), fill="#e8e8e8", outline="#606060")
            for row, item in enumerate(("Open the file", "Copy the path", "Rename the file")):
                write(canvas, 260, 275 + 40 * row, item)

    told = watcher.see(scene, 4000).timeline
    assert [(event.kind.value, event.text) for event in told] == [
        ("appeared", "Open the file · Copy the path · Rename the file"),
        ("vanished", "Open the file · Copy the path · Rename the file"),
    ]


def test_a_line_that_the_edge_of_the_picture_cuts_is_not_quoted(watcher: Watcher) -> None:
    def scene(canvas: Draw, t: int) -> None:
        page(canvas)
        if t >= 1000:
            write(canvas, 40, 583, "you may only vary your key")
            write(canvas, 40, 300, "Berths of the harbour")

    assert [event.text for event in watcher.see(scene, 2500).timeline] == ["Berths of the harbour"]


@pytest.mark.parametrize(("comes_ms", "kinds"), [(1900, ["navigated"]), (3500, ["navigated", "changed"])])
def test_a_picture_that_a_page_is_filled_with_is_part_of_the_page(
    watcher: Watcher, comes_ms: int, kinds: list[str]
) -> None:
    def scene(canvas: Draw, t: int) -> None:
        if t < 1500:
            page(canvas)
        else:
            for row in range(5):
                write(canvas, 60, 60 + 40 * row, f"Picture of the week, number {row + 3}")
        if t >= comes_ms:
            canvas.rectangle((380, 300, 780, 580), fill="#7a5a3a")

    assert [event.kind.value for event in watcher.see(scene, 5000).timeline] == kinds


class Doubting(CountingReader):
    """Reads as the real one does, and is sure of nothing."""

    def recognise(self, crops: Sequence[NDArray[np.uint8]]) -> list[Reading]:
        return [(text, min(score, 0.9)) for text, score in super().recognise(crops)]


def test_a_page_of_which_no_line_is_read_surely_is_told_without_its_words(reader: TextReader, tmp_path: Path) -> None:
    def scene(canvas: Draw, t: int) -> None:
        if t < 1500:
            page(canvas)
        else:
            canvas.rectangle((0, 0, WIDTH, HEIGHT), fill="#f4e9d8")
            for row in range(6):
                write(canvas, 200, 160 + 60 * row, f"Visitor of the week, number {row + 3}")

    told = Watcher(Doubting(reader), tmp_path).see(scene, 3000).timeline
    assert [(event.kind.value, event.text, event.description) for event in told] == [
        ("navigated", None, "The screen was replaced; what it then showed could not be read.")
    ]
