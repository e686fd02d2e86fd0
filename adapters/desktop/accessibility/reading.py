"""Lines that were read off the screen, in the exact words of the program that shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.expectations.matching import blurred, canonical, near_words, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from core.accessibility import AccessibleTree, Element
    from core.screens import TextLine


def in_exact_words(lines: Sequence[TextLine], tree: AccessibleTree) -> list[TextLine]:
    """Each line that may be a misreading of what its program tells at that very place, as the program tells it.

    A line that says anything else stays as it was read: it is what a person sees.
    """
    return [_exact(line, tree) for line in lines]


def _exact(line: TextLine, tree: AccessibleTree) -> TextLine:
    at = [each for each in tree.elements if each.box is not None and each.box.contains(line.box.centre)]
    found = {text for each in at for text in _texts(each) if _may_be_misread(text, line.text)}
    return line.model_copy(update={"text": found.pop()}) if len(found) == 1 else line


def _texts(element: Element) -> Iterator[str]:
    yield from (text for text in (element.name, element.value) if text)


def _may_be_misread(text: str, read: str) -> bool:
    want, got = tokens_of(canonical(text)), tokens_of(canonical(read))
    if not want:
        return False
    if len(want) != len(got):
        return _is_near("".join(want), "".join(got))
    return all(_is_near(one, other) for one, other in zip(want, got, strict=True))


def _is_near(want: str, got: str) -> bool:
    """Whether a reader may take one word for the other; a sign in a number is no dirt."""
    if want == got or near_words(want, got):
        return True
    signs = [[sign for sign in word if not sign.isalnum()] for word in (want, got)]
    return signs[0] == signs[1] and blurred(want) == blurred(got)
