"""An analysis as one HTML file: its outcome, its actions with what followed, its pictures, nothing from elsewhere."""

import os
from html.parser import HTMLParser
from typing import Any

from core.analysis import Action, ActionKind, Analysis, Event, EventKind, Evidence, Verdict, VerdictResult, Video
from storage.reports.analysis_page import MOST_ROWS, analysis_page, frames_of
from storage.reports.page import MAX_BYTES, Thumbnail

HOSTILE = "</p><script>alert(1)</script><img src=x onerror=alert(1)>\" ' & {{ x }} ${y}"
CLICK = Action(t_ms=1000, kind=ActionKind.CLICK, target="Pay", confidence=1, description='Clicked "Pay".')


def event(t_ms: int, text: str, *, cause: int | None = None, **changed: Any) -> Event:
    values = {"kind": EventKind.APPEARED, "confidence": 1, "region": (10, 20, 300, 40), "frame": f"frames/{t_ms}.jpg"}
    return Event.model_validate({"t_ms": t_ms, "description": text, "cause": cause, **values, **changed})


def analysis(*events: Event, actions: tuple[Action, ...] = (), verdicts: tuple[Verdict, ...] = ()) -> Analysis:
    path = "/home/ada/secret-project/clip.mp4"
    size: dict[str, Any] = {
        "path": path,
        "duration_ms": 9000,
        "width": 1280,
        "height": 720,
        "fps": 25.0,
        "codec": "h264",
        "size_bytes": 9,
        "sha256": "0" * 64,
    }
    return Analysis.model_validate(
        {
            "description": "", "duration_ms": 5, "video": Video.model_validate(size),
            "first_screen": ("Basket",), "timeline": events, "actions": actions, "verdicts": verdicts,
            "provider": "local", "provider_reason": "", "model": "m", "cached": False, "job_id": "job-1", "usage": {},
            "interactions_dir": f"{path}.VaiderInteractions", "warnings": (),
        }
    )  # fmt: skip


class Read(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += f"{data} "


def test_the_outcome_comes_first_then_what_was_expected_then_each_action_with_what_followed() -> None:
    failed = Verdict(
        expectation='"Paid" is shown',
        verdict=VerdictResult.FAIL,
        reason='"Payment failed" was there from 00:01.2.',
        evidence=(Evidence(t_ms=1200, frame="frames/1200.jpg"),),
    )
    seen = analysis(
        event(1200, '"Payment failed" appeared.', cause=0),
        event(4000, "It went."),
        actions=(CLICK,),
        verdicts=(failed,),
    )
    page = Read(analysis_page(seen, {"frames/1200.jpg": Thumbnail(b"RIFF", 1280, 720)}))

    place = 0
    for told in (
        'clip.mp4 ✗ Not as expected: "Payment failed" was there from 00:01.2.',
        "Where it shows 00:01.2, with what came before",
        '✗ fail expected: "Paid" is shown',
        '00:01.0 Clicked "Pay". 00:01.2 "Payment failed" appeared.',
        "00:04.0 It went.",
    ):
        place = page.text.index(told, place)
    # From the verdict to the row of the action that it followed from.
    assert ("a", {"class": "button", "href": "#row-0"}) in page.found
    assert [tag for tag, _ in page.found].count("image") == 1
    crops = [each["viewbox"] for tag, each in page.found if tag == "svg" and "viewbox" in each]
    assert crops == ["0 0 461 259", "0 0 1280 720", "0 0 461 259"]


def test_it_names_no_folder_and_whatever_a_screen_says_is_text() -> None:
    page = analysis_page(analysis(event(1000, HOSTILE)), {"frames/1000.jpg": Thumbnail(b"RIFF", 1280, 720)})
    read = Read(page)

    assert HOSTILE in read.text
    assert not {"script", "iframe", "object", "link", "form", "base", "img"} & {tag for tag, _ in read.found}
    assert not [name for _, attributes in read.found for name in attributes if name.startswith("on")]
    links = {str(value) for _, each in read.found for name, value in each.items() if name in {"href", "src"}}
    assert {link[:16] for link in links if not link.startswith("#")} == {"data:image/webp;"}
    assert "secret-project" not in page
    assert "/home" not in page


def test_a_long_clip_makes_a_file_of_five_megabytes_with_pictures_of_its_whole_length() -> None:
    seen = analysis(*(event(each * 100, f"Event {each}.") for each in range(2 * MOST_ROWS)))
    filler = os.urandom(60_000)
    pictures = {name: Thumbnail(filler, 1280, 720) for name in frames_of(seen)[:MOST_ROWS]}
    page = analysis_page(seen, pictures)

    assert 4_500_000 < len(page.encode()) <= MAX_BYTES
    shown = [place for place in range(MOST_ROWS) if f'aria-label="Event {place}."' in page]
    assert min(shown) < MOST_ROWS * 0.1
    assert max(shown) > MOST_ROWS * 0.9
    assert f"{MOST_ROWS} more are left out here." in page


def test_a_clip_in_which_nothing_happened_and_pictures_that_are_gone_make_a_page() -> None:
    assert "Nothing changed on the screen in this clip." in analysis_page(analysis(), {})
    assert "<image" not in analysis_page(analysis(event(1000, "It came.")), {})
