"""One sentence that says what an undertaking was: the fields, what ended it, what came of it, and where."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from core.plans.quotes import marks
from core.procedures.sentences import shortened
from core.procedures.windows import Window

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.procedures.acts import Act

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
        told = f" in {where}" if where and where not in core else ""
        quote = marks(result) if result else None
        for ending in dict.fromkeys((f"; {quote} appeared" if quote and quote not in core else "", "")):
            sentence = f"{core}{told}{ending}"
            if len(sentence) <= LONGEST:
                return sentence
    return core if len(core) <= LONGEST else f"{core[: LONGEST - 1].rstrip()}\u2026"


def _main(acts: Sequence[Act]) -> Act | None:
    """What ended it, or led to the most."""
    done = [act for act in acts if act.kind in {"click", "key", "open", "run", "choose", "drag", "paste"}]
    told = [act for act in done if act.confirms] or [act for act in done if act.result] or done
    return told[-1] if told else None


def _shown(acts: Sequence[Act]) -> str:
    """What came of it, where only the screen tells."""
    shown = [act for act in acts if act.kind == "seen"]
    told = [act for act in shown if act.confirms] or shown
    return told[-1].target if told and len(acts) > 1 else ""


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
