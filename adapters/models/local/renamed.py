"""What a label that is not there any more may be called now, by what the program of its window tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.models.local.accessible_grounding import are_all_in_tree, named, of_role, seen_place
from adapters.models.local.phrases import parse
from core.accessibility import Element, State
from core.accessibility import Role as Kind
from core.expectations.matching import canonical, tokens_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.models.local.phrases import Role
    from adapters.models.local.view import View
    from core.runs.ports import Eyes

_ROOTS: Final = frozenset({Kind.DOCUMENT, Kind.DIALOG, Kind.WINDOW})


def now_called(words: str, others: Sequence[str], view: View, eyes: Eyes, *, default: Role | None = None) -> str:
    """The words with the name that the target may have now; empty where that cannot be said.

    It is the only element of the target's role in that page or dialog that none of the plan's other targets names, that
    is seen, and that stands between the targets of the steps before and after. A person has to say whether it is meant.

    Args:
        words: the target's.
        others: the words of all targets of the plan, in their order, the target's own among them.
        view: where.
        eyes: who reads.
        default: the role when the words name none.

    """
    phrase = parse(words)
    role = phrase.role or default
    is_plain = bool(phrase.text) and not (phrase.ordinal or phrase.constraints or phrase.edge or phrase.beside)
    if role is None or not is_plain or words not in others or not are_all_in_tree(view):
        return ""
    at = others.index(words)
    before = _nearest(others[at - 1 :: -1] if at else (), view)
    after = _nearest(others[at + 1 :], view)
    beside = [each for each in (before, after) if each is not None]
    if not beside or len({_root(each, view) for each in beside}) != 1:
        return ""
    order = {each.id: number for number, each in enumerate(view.tree.elements)}
    first = order[before.id] if before is not None else -1
    last = order[after.id] if after is not None else len(order)
    taken = {_tokens(parse(each).text) for each in others}
    left = [
        each
        for each in of_role(role, view)
        if first < order[each.id] < last
        and _root(each, view) == _root(beside[0], view)
        and State.ENABLED in each.states
        and _tokens(each.name) not in taken
    ]
    if len(left) != 1 or not left[0].name or '"' in left[0].name or seen_place(left[0], view, eyes) is None:
        return ""
    return words.replace(f'"{phrase.text}"', f'"{left[0].name}"')


def _nearest(others: Sequence[str], view: View) -> Element | None:
    """The element of the first of these targets that is told just once."""
    found = (named(parse(each), view) for each in others if parse(each).text)
    return next((each[0] for each in found if len(each) == 1), None)


def _root(element: Element, view: View) -> str:
    return next((each.id for each in view.tree.ancestors(element) if each.role in _ROOTS), "")


def _tokens(text: str) -> tuple[str, ...]:
    return tokens_of(canonical(text).casefold())
