"""Clips as an analyser would have seen them, written by hand: what stood where, from when to when."""

from core.analysis import Chapter, Event, EventKind, Findings, Sighting, Video

ROW = 24


def video(duration_ms: int = 10_000, fps: float | None = 25.0) -> Video:
    return Video(
        path="/clips/shop.mp4",
        duration_ms=duration_ms,
        width=1280,
        height=720,
        fps=fps,
        codec="h264",
        size_bytes=1000,
        sha256="0" * 64,
    )


def film(path: str, *chapters: tuple[int, str]) -> Video:
    """A video somewhere, with the parts that its container names: when each begins, and its title."""
    parts = tuple(Chapter(t_ms=t_ms, title=title) for t_ms, title in chapters)
    return video().model_copy(update={"path": path, "chapters": parts})


def line(
    text: str, t_ms: int = 0, until_ms: int | None = None, *, row: int = 0, x: int = 40, confidence: float = 0.98
) -> Sighting:
    """A line of text on the given row, 9 pixels a letter."""
    region = (x, row * ROW, 9 * len(text), 18)
    frame = f"frames/{t_ms:06d}.png"
    return Sighting(text=text, t_ms=t_ms, until_ms=until_ms, region=region, confidence=confidence, frame=frame)


def typed(text: str, t_ms: int, until_ms: int, *, confidence: float = 0.95) -> Event:
    return Event(
        t_ms=t_ms,
        until_ms=until_ms,
        kind=EventKind.TYPED,
        text=text,
        confidence=confidence,
        description=f'"{text}" was typed.',
    )


def findings(
    *sightings: Sighting, timeline: tuple[Event, ...] = (), first_frame: str | None = "frames/000000.png"
) -> Findings:
    first_screen = tuple(one.text for one in sightings if one.t_ms == 0)
    return Findings(first_screen=first_screen, first_frame=first_frame, sightings=sightings, timeline=timeline)


def shop() -> Findings:
    """Ten seconds of ordering: a name is typed, a spinner comes and goes, a toast tells the number of the order."""
    return findings(
        line("Shop", row=0),
        line("Your name", row=2),
        line("Items: 0", 0, 2000, row=4),
        line("Place order", 0, 4000, row=6),
        line("All prices are in euros and", row=20),
        line("include taxes and delivery", row=21),
        line("alice", 1000, row=3),
        line("Items: 1", 2000, 3000, row=4),
        line("Items: 2", 3000, row=4),
        line("Sending…", 4000, 5000, row=6),
        line("Order 1042 confirmed", 5000, 8000, row=8),
        line("Saved", 6000, 6300, row=10),
        line("Saved", 7000, 7300, row=10),
        line("Total: $1,099.50", 5000, row=12),
        line("0verview of y0ur order", 5000, row=14),
        line("Thank you for shoping with us", 8500, row=16),
        line("Newsletter", 9000, row=18, confidence=0.4),
        timeline=(typed("alice", 1000, 1800),),
    )
