"""The words of a question that say nothing, or little, of what was done."""

from __future__ import annotations

from typing import Final

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
