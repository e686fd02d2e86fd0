"""Answers of any length, as an analysis would give them."""

from typing import Any

from core.analysis import Analysis, Event, EventKind, Evidence, Verdict, VerdictResult, Video

VIDEO = Video(
    path="/videos/checkout.mp4",
    duration_ms=12_400,
    width=1280,
    height=720,
    fps=25.0,
    codec="h264",
    size_bytes=481_000,
    sha256="0" * 64,
)


def analysis(
    *, events: int = 3, verdicts: int = 2, job_id: str = "job-1", words: str = "Order {n} confirmed"
) -> Analysis:
    """An answer with so many events and verdicts; the first verdict passes, the others fail."""
    timeline = tuple(
        Event(
            t_ms=n * 400,
            kind=EventKind.APPEARED,
            text=words.format(n=n),
            region=(10, 20, 300, 40),
            confidence=0.98,
            frame=f"frames/03_{n:04d}.jpg",
            description=f'"{words.format(n=n)}" appeared.',
        )
        for n in range(events)
    )
    lines = [
        f"[{n * 400 // 60_000:02d}:{n * 400 % 60_000 / 1000:04.1f}] {timeline[n].description}" for n in range(events)
    ]
    return Analysis(
        description="\n".join(lines),
        duration_ms=840,
        video=VIDEO,
        first_screen=("Checkout", "Pay now"),
        timeline=timeline,
        verdicts=tuple(verdict(n) for n in range(verdicts)),
        provider="local",
        provider_reason="auto chose local",
        model="rapidocr",
        cached=False,
        interactions_dir="/videos/checkout.mp4.VaiderInteractions",
        job_id=job_id,
        usage={},
        warnings=(),
    )


def verdict(n: int) -> Verdict:
    """One verdict; number 0 passes, the others fail."""
    if n:
        return Verdict(expectation=f'"Receipt {n}" is shown', verdict=VerdictResult.FAIL, reason="It was never shown.")
    seen = Evidence(t_ms=400, frame="frames/03_0001.jpg", quote="Order 1 confirmed")
    return Verdict(
        expectation='"Order 1 confirmed" is shown',
        verdict=VerdictResult.PASS,
        reason="It stood there from 00:00.4.",
        evidence=(seen,),
    )


def result(**options: Any) -> dict[str, Any]:
    """The same as a job keeps it."""
    return analysis(**options).model_dump(mode="json")
