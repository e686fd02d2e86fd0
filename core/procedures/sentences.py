"""Steps of a plan as sentences of the past, and one sentence that summarises an activity."""

import re
from collections.abc import Sequence
from typing import Final

from core.demonstration.screen_texts import is_quotable
from core.plans.phrasing import DROPDOWN, first_quotation, marks
from core.plans.step_sentences import sentence
from core.procedures.acts import Act
from core.procedures.scene import Window, looks_secret
from core.secrets import is_secret_name
from core.steps import CHOSEN, FOCUS, TICKED, UNTICKED, Step
from core.text import one_line

MOST_VALUE: Final = 60
_CLICKS: Final = {
    "CLICK": "Clicked",
    "DOUBLE_CLICK": "Double-clicked",
    "RIGHT_CLICK": "Right-clicked",
    "MIDDLE_CLICK": "Middle-clicked",
}
_MARKED: Final = {TICKED: "Ticked", UNTICKED: "Unticked", CHOSEN: "Chose"}
_ORDINAL: Final = re.compile(r"\A(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth) ")
_CHORDS: Final = {"ctrl+c": "copy", "ctrl+x": "copy", "ctrl+v": "paste"}
_TERMINAL_CHORDS: Final = {"ctrl+shift+c": "copy", "ctrl+shift+v": "paste", "shift+insert": "paste"}


def act_of(step: Step) -> Act | None:
    """The act of a step that is known; ``None`` for one that is not."""
    target = first_quotation(step.target.primary)
    times = (step.t_ms, step.until_ms)
    if step.action_type in _CLICKS:
        verb = next((verb for post, verb in _MARKED.items() if post in step.post_action), _CLICKS[step.action_type])
        return Act(*times, "click", f"{verb} {_named(step.target.primary)}", target)
    if step.action_type == "TYPE":
        return _typed(step, target)
    if step.action_type == "KEYPRESS":
        return _pressed(step)
    return _moved(step, target)


def _moved(step: Step, target: str) -> Act | None:
    times = (step.t_ms, step.until_ms)
    if step.action_type == "SCROLL":
        direction = str(step.additional_args.get("direction") or "down")
        return Act(*times, "scroll", f"Scrolled {direction}", value=direction)
    if step.action_type == "DRAG":
        onto = step.additional_args.get("to", "")
        return Act(*times, "drag", f"Dragged {_named(step.target.primary)} onto {onto}", target)
    return None


def typing(value: str, field: str, read: str = "") -> str:
    """What was typed into a field.

    Args:
        value: empty if it is not known.
        field: the name of the field, empty if nothing names it.
        read: what was read there when the value is not known for certain.

    """
    where = f" into the {marks(field)} field" if field and marks(field) else ""
    if value:
        return f"Typed {shortened(value)}{where}"
    if read and is_quotable(read):
        return f"Typed{where or ' something'}, where {shortened(read)} then stood"
    return f"Typed{where}" if where else "Typed something"


def hidden_typing(field: str) -> str:
    """The same for a concealed value."""
    return f"Typed a hidden value into the {marks(field)} field" if field and marks(field) else "Typed a hidden value"


def shortened(value: str) -> str:
    """A value in quotation marks, cut where it is long."""
    plain = one_line(value)
    plain = plain if len(plain) <= MOST_VALUE else f"{plain[: MOST_VALUE - 1].rstrip()}\u2026"
    return marks(plain) or "something"


def _typed(step: Step, field: str) -> Act:
    value = step.action_value or ""
    times = (step.t_ms, step.until_ms)
    is_secret = step.hidden or is_secret_name(field) or looks_secret(value) or looks_secret(step.read)
    if is_secret:
        return Act(*times, "type", hidden_typing(field), field)
    if step.doubt:
        return Act(*times, "type", typing("", field, step.read), field, step.read)
    if step.target.primary == FOCUS:
        return Act(*times, "type", typing(value, ""), "", value)
    if re.search(rf"\b(?:{DROPDOWN})\Z", step.target.primary, re.IGNORECASE):
        return Act(*times, "choose", choosing(value, field), field, value)
    return Act(*times, "type", typing(value, field), field, value)


def choosing(value: str, field: str) -> str:
    """What was chosen from a list."""
    where = f" from the {marks(field)} dropdown" if field and marks(field) else ""
    return f"Chose {shortened(value)}{where}"


def _pressed(step: Step) -> Act:
    keys = (step.action_value or "").casefold()
    plain = step.model_copy(update={"post_action": ()})
    said = re.sub(r"\APress ", "Pressed ", sentence(plain).removesuffix("."))
    does = _CHORDS.get(keys) or _TERMINAL_CHORDS.get(keys)
    if does == "copy":
        verb = "Cut" if keys == "ctrl+x" else "Copied"
        return Act(step.t_ms, step.until_ms, "copy", f"{verb} with {said.removeprefix('Pressed ')}", value=keys)
    if does == "paste":
        return Act(step.t_ms, step.until_ms, "paste", f"Pasted with {said.removeprefix('Pressed ')}", value=keys)
    return Act(step.t_ms, step.until_ms, "key", said, value=keys)


def _named(phrase: str) -> str:
    return f"the {phrase}" if _ORDINAL.match(phrase) else phrase


LONGEST: Final = 160
_NAMED: Final = 3
_SHORT_PLACE: Final = 60
_MADE: Final = frozenset({"type", "choose", "paste"})


def summary_of(acts: Sequence[Act]) -> str:
    """It, of at most ``LONGEST`` letters; what is not certain, or hidden, is not in it."""
    main = _main(acts)
    place = _place(acts)
    result = main.result if main is not None else _shown(acts)
    core = _doing(acts, main)
    for where in dict.fromkeys((place, place.partition(" \u2013 ")[0])):
        text = f" in {where}" if where and where not in core else ""
        quote = marks(result) if result else None
        for ending in dict.fromkeys((f"; {quote} appeared" if quote and quote not in core else "", "")):
            sentence = f"{core}{text}{ending}"
            if len(sentence) <= LONGEST:
                return sentence
    return core if len(core) <= LONGEST else f"{core[: LONGEST - 1].rstrip()}\u2026"


def _main(acts: Sequence[Act]) -> Act | None:
    """What ended it, or led to the most."""
    done = [act for act in acts if act.kind in {"click", "key", "open", "run", "choose", "drag", "paste"}]
    reported = [act for act in done if act.confirms] or [act for act in done if act.result] or done
    return reported[-1] if reported else None


def _shown(acts: Sequence[Act]) -> str:
    """What came of it, where only the screen tells."""
    shown = [act for act in acts if act.kind == "seen"]
    reported = [act for act in shown if act.confirms] or shown
    return reported[-1].target if reported and len(acts) > 1 else ""


def _doing(acts: Sequence[Act], main: Act | None) -> str:
    filled = [act for act in acts if act.kind in _MADE and act.target]
    fields = list(dict.fromkeys(act.target for act in filled))
    ended = _once(main.said) if main is not None and main.kind in {"click", "key", "drag", "open", "run"} else ""
    if len(fields) == 1 and ", where " not in filled[-1].said:
        return _and(filled[-1].said, ended)
    if fields:
        return _and(f"Filled in {_listed(fields)}", ended)
    typed = [act for act in acts if act.kind in _MADE]
    if typed:
        return _and(typed[0].said, ended)
    return _going(acts, main, ended) if main is not None else acts[0].said


def _going(acts: Sequence[Act], main: Act, ended: str) -> str:
    """The same where nothing was written: what was clicked or run on the way."""
    names = list(dict.fromkeys(act.target for act in acts if act.kind == main.kind and act.target))
    others = [name for name in names if name != main.target][-(_NAMED - 1) :]
    if main.target not in names or not others:
        return ended or main.said
    if main.kind == "run":
        return f"Ran {_listed(names)}"
    return _and(f"Clicked {_listed(others)}", ended) if main.kind == "click" else ended or main.said


def _and(first: str, ended: str) -> str:
    if not ended or ended == first:
        return first
    return f"{first} and {ended[:1].lower()}{ended[1:]}"


def _listed(names: Sequence[str]) -> str:
    quotes = [shortened(name) for name in names]
    if len(quotes) > _NAMED:
        return f"{', '.join(quotes[: _NAMED - 1])} and {len(quotes) - _NAMED + 1} more"
    return " and ".join([", ".join(quotes[:-1]), quotes[-1]]) if len(quotes) > 1 else quotes[0]


def _place(acts: Sequence[Act]) -> str:
    """The window in which most of it was done; of several as many, the last."""
    places = [Window(0, act.application, act.title).place for act in acts if act.kind != "switch"]
    places = [place for place in places if place] or [acts[-1].application]
    best = max(reversed(places), key=places.count)
    return best if len(best) <= _SHORT_PLACE else f"{best[: _SHORT_PLACE - 1].rstrip()}\u2026"


def _once(said: str) -> str:
    return re.sub(r"\ATicked ", "Ticked ", said)
