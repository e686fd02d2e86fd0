"""Films whose input nobody logged, as their analysis tells of them; and what is learned from one."""

from core.analysis import Action, ActionKind, Event, EventKind, Findings, Region, Sighting
from core.demonstration.demonstrations import demonstrated
from core.demonstration.document import draft
from core.demonstration.looks import LooksByTime
from core.plans.step_sentences import sentence
from core.tasks.heartbeat import Heartbeat
from core.tasks.heartbeat_sections import task_fields
from core.tasks.learning_gate import read_extraction
from core.tasks.plan import plan_of

CORNER = (900, 20, 60, 20)


def event(kind: EventKind, t_ms: int, text: str, region: Region = CORNER, **more: object) -> Event:
    fields = {"confidence": 0.95, "description": "", **more}
    return Event.model_validate({"kind": kind, "t_ms": t_ms, "text": text, "region": region, **fields})


def text(words: str, t_ms: int = 0, until_ms: int | None = None, region: Region = (40, 200, 120, 20)) -> Sighting:
    return Sighting(text=words, t_ms=t_ms, until_ms=until_ms, region=region)


def click(target: str, t_ms: int, confidence: float = 0.9) -> Action:
    return Action(t_ms=t_ms, kind=ActionKind.CLICK, target=target, confidence=confidence, description="")


def learned(
    timeline: tuple[Event, ...],
    sightings: tuple[Sighting, ...] = (text("Player"),),
    actions: tuple[Action, ...] = (),
    looks: LooksByTime | None = None,
) -> Heartbeat | None:
    found = Findings(timeline=timeline, sightings=sightings, actions=actions)
    return read_extraction(draft(demonstrated(found, None, 20_000, looks))).heartbeat


def task_of(*given: object, **named: object) -> Heartbeat:
    found = learned(*given, **named)  # pyright: ignore[reportArgumentType]
    assert found is not None
    return found


def steps(task: Heartbeat) -> list[str]:
    return [sentence(step) if step.is_known else step.text for step in plan_of(task)][1:]


def criteria(task: Heartbeat) -> tuple[str, ...]:
    field = task_fields(task).get("SuccessCriteria")
    return tuple(field.items) if field is not None else ()


TURNED = event(EventKind.CHANGED, 5000, "Left · File · Command · Options", (0, 0, 900, 600))
