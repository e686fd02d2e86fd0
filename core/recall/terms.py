"""The terms under which a text is found: the same for what is remembered and for what is asked.

Words in lower case without accents and by their English stem; ``GitHub`` is also ``git`` and ``hub``; scripts that put
no space between words (Chinese, Japanese, Korean, Thai …) as overlapping pairs of signs.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import TYPE_CHECKING, Final, NamedTuple

from Stemmer import Stemmer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from core.memory import Procedure

_VERBS: Final = """
become became; begin began begun; bind bound; break broke broken; bring brought; build built; buy bought; catch
caught; choose chose chosen; come came; do did done; draw drew drawn; drive drove driven; find found; fly flew flown;
forget forgot forgotten; freeze froze frozen; get got gotten; give gave given; go went gone; grow grew grown; hide hid
hidden; hold held; keep kept; know knew known; lend lent; lose lost; make made; mean meant; meet met; pay paid; ride
rode ridden; rise rose risen; run ran; say said; see saw seen; seek sought; sell sold; send sent; shake shook shaken;
show shown; speak spoke spoken; spend spent; stick stuck; take took taken; teach taught; tell told; think thought;
throw threw thrown; unfreeze unfroze unfrozen; unbind unbound; undo undid undone; understand understood; wake woke
woken; wear wore worn; win won; withdraw withdrew withdrawn; write wrote written; overwrite overwrote overwritten;
rebuild rebuilt; resend resent; rewrite rewrote rewritten
"""
INFINITIVES: Final = {form: words[0] for verb in _VERBS.split(";") for words in [verb.split()] for form in words[1:]}


ANALYSIS: Final = 2
"""To be raised when the same text gives other terms: what is stored is then read anew."""
LONGEST_TERM: Final = 64
_MOST_TERMS: Final = 4000
_ACCENTS: Final = re.compile("[\u0300-\u036f]")
_WORD: Final = re.compile(r"[^\W_]+")
_HUMPS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_SHORTEST_HUMP: Final = 2
_SHORTEST_STEMMED: Final = 3
_PORTER: Final = Stemmer("porter", 0)
"""M. F. Porter, "An algorithm for suffix stripping" (1980); without a cache of its own: ``word_terms`` has one."""


class Fields(NamedTuple):
    """A procedure as terms, each field separated by single spaces."""

    summary: str
    steps: str
    places: str
    """Applications and titles of windows."""
    texts: str


def fields_of(procedure: Procedure) -> Fields:
    """The terms under which a procedure is found."""
    places = dict.fromkeys(
        (*procedure.applications, *procedure.titles, *(f"{step.application} {step.window}" for step in procedure.steps))
    )
    return Fields(
        summary=_joined(procedure.summary),
        steps=_joined(" ".join(step.text for step in procedure.steps)),
        places=_joined(" ".join(places)),
        texts=_joined(" ".join(procedure.texts)),
    )


def terms_of(text: str) -> list[str]:
    """The terms of a text, in its order."""
    found: list[str] = []
    for word in words_of(text):
        found += word_terms(word)
        if len(found) >= _MOST_TERMS:
            break
    return found


def words_of(text: str) -> Iterator[str]:
    """The words of a text as they are written, without accents, in its order."""
    return (found[0] for found in _WORD.finditer(plain(text)))


def plain(text: str) -> str:
    """Compatible forms made one (full width, ligatures), accents removed, capitals kept."""
    if text.isascii():
        return text
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFKC", bare)


def folded(text: str) -> str:
    """A text for comparison to the letter: ``plain``, in lower case, with single spaces."""
    return " ".join(plain(text).casefold().split())


def is_unspaced(word: str) -> bool:
    """Whether a word is of a script without spaces between words, at least in part."""
    return _UNSPACED.search(word) is not None


@functools.lru_cache(maxsize=65_536)
def word_terms(word: str) -> tuple[str, ...]:
    """The terms of one word: one for most, pairs of signs for unspaced scripts."""
    if word.isascii():
        return _ascii_terms(word)
    terms: list[str] = []
    place = 0
    folded_word = word.casefold()
    for found in _UNSPACED.finditer(folded_word):
        if found.start() > place:
            terms.append(stem(folded_word[place : found.start()]))
        terms += pairs(found[0])
        place = found.end()
    if place < len(folded_word):
        terms.append(stem(folded_word[place:]))
    return tuple(term[:LONGEST_TERM] for term in terms)


def stem(word: str) -> str:
    """The stem of a word in lower case; what holds a digit or is shorter than three letters is its own."""
    return _PORTER.stemWord(word) if len(word) >= _SHORTEST_STEMMED and word.isalpha() else word


def pairs(run: str) -> list[str]:
    """Each sign with the next one, and the last alone: so that each sign begins a term."""
    return [run[place : place + 2] for place in range(len(run))]


def _ascii_terms(word: str) -> tuple[str, ...]:
    lower = word.casefold()[:LONGEST_TERM]
    whole = stem(INFINITIVES.get(lower, lower))
    if word.islower() or word.isupper() or word.istitle() or word.isdigit():
        return (whole,)
    humps = [hump.casefold() for hump in _HUMPS.findall(word) if len(hump) >= _SHORTEST_HUMP and hump.isalpha()]
    if len(humps) < _SHORTEST_HUMP:
        return (whole,)
    return (whole, *(stem(hump[:LONGEST_TERM]) for hump in humps))


def _joined(text: str) -> str:
    return " ".join(terms_of(text))


STOP_WORDS: Final = frozenset(
    # Grammar.
    """
    a an the this that these those it its itself i me my mine myself we us our ours you your yours he him his she her
    hers they them their theirs one ones who whom whose what which where when why how and or but nor so if then than
    as at by for from in into of off on onto out over to up upon with within without about after before again against
    between during through under until while is am are was were be been being do does did doing done don didn doesn
    have has had having haven hasn hadn can could will would shall should may might must ought let ll ve re t d m s
    not no yes there here some any all both each few more most other such only own same too very just also ever
    never still already yet please thanks thank hey hi hello ok okay now
    """.split()  # noqa: SIM905 - a list of words reads better as text
    # Asking to be reminded.
    + """
    remember recall remind reminded forget forgot forgotten know tell show explain describe wonder wondering
    thing things stuff something anything everything somehow way ways steps step procedure
    last time once ago earlier recently previously lately
    get got getting make made making use used using manage managed able
    """.split()  # noqa: SIM905 - see above
)
"""As they are written in lower case, not stemmed. ``get``, ``make`` and ``use`` come with every verb."""

WEAK_WORDS: Final = frozenset(
    """
    go goes going went gone come came open opened opening click clicked clicking press pressed pressing select selected
    choose chose chosen choosing pick picked picking type typed typing enter entered see saw seen look looked looking
    find found want wanted need needed try tried trying put set setting button page window screen tab
    app application program site website menu
    work worked working happen happened new
    """.split()  # noqa: SIM905 - see above
)
"""Words of nearly every step: they help to order what fits, but that one of them is missing says little."""
