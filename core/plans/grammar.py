"""How a line of a plan is read: one sentence that says what is to be done, and what is to be seen after it.

Quotations are single signs by then (``core.plans.phrasing``), so that no pattern meets the text of a button. Each
pattern takes the whole sentence; a word that it does not know makes the line one that is not understood.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from core.key_names import canonical_names, parse_keys
from core.plans.phrasing import (
    ACTION_WORDS,
    BUTTON,
    CONTROLS,
    DROPDOWN,
    LINKING,
    MARK,
    QUOTE,
    RADIO,
    STATE,
    TARGET_WORDS,
    TIMES,
    Quoted,
    quoted,
)
from core.plans.step_sentences import intent_of
from core.steps import (
    BROWSER,
    CHOSEN,
    DESKTOP,
    FOCUS,
    KEYBOARD,
    LITERAL,
    PAGE,
    PLACE,
    TICKED,
    UNTICKED,
    ActionType,
    Step,
)

MOST: Final = 20_000
MOST_TIMES: Final = 100
_LEAD: Final = re.compile(
    r"(?:(?:please|then|now|next|finally|first|afterwards|after that|and)\b,?\s+)*", re.IGNORECASE
)
_BULLET: Final = re.compile(r"\A\s*(?:[-*+]|\d{1,9}[.)])\s+")
_INFERRED: Final = re.compile(r"\s*\(inferred\)[\s.]*\Z", re.IGNORECASE)
"""What a learner writes behind a step that it has not seen being done, but what came of it."""
_SENTENCES: Final = re.compile(
    r"[.;!](?:\s+|$)|,?\s+(?=(?:and wait until|(?<!wait )until|and wait for)\s)", re.IGNORECASE
)
_POST: Final = re.compile(
    r"(?:then|after that|afterwards|now|until|(?:and )?wait until|as a result)?,?\s*(?P<post>.+)", re.IGNORECASE
)
_WAIT_FOR: Final = re.compile(
    rf"(?:and )?wait for (?:the )?(?P<seen>{QUOTE})(?: to (?:appear|be shown))?", re.IGNORECASE
)
_BARE_PLACE: Final = r"\{[a-zA-Z0-9_]+\}"
_VALUE: Final = rf"(?P<value>{QUOTE}|{_BARE_PLACE})"
_INTO: Final = r"(?:into|in|to|on)"
_ADDRESS: Final = re.compile(r"(?:[a-z][a-z0-9+.-]*://\S+|about:\S+|www\.\S+|localhost(?:[:/]\S*)?)", re.IGNORECASE)
_TIMES: Final = rf"(?:\s+(?P<times>{'|'.join(TIMES)}|\d{{1,3}} times))?"
_UNQUOTED: Final = re.compile(rf"(?:the )?(?P<label>.+?) {CONTROLS}", re.IGNORECASE)
_NAME: Final = re.compile(r"[A-Z0-9][\w&'-]*(?: [A-Z0-9][\w&'-]*){0,2}")
_LABEL_WORDS: Final = 6
_NO_LABEL_WORDS: Final = """
a again all an and another any appropriate both but correct each either every except first if last next not or other
right same then to unless until when which whichever while with wrong
"""
_NO_LABEL: Final = frozenset(_NO_LABEL_WORDS.split())
_FIELD_NOUN: Final = re.compile(
    r"\b(?:field|box|area|textbox|textarea|input|editor|bar|entry|dropdown)\b", re.IGNORECASE
)


def read_step(line: str) -> Step | None:
    """The step that a line of a plan says; ``None`` if any part of it is not understood."""
    said = quoted(_INFERRED.sub("", _BULLET.sub("", line, count=1))) if len(line) <= MOST else None
    if said is None:
        return None
    skeleton = " ".join(said.skeleton.split())
    first, *others = [part.strip() for part in _SENTENCES.split(skeleton) if part.strip()] or [""]
    first = first[_matched(_LEAD, first) :].rstrip(" .!,")
    found = _action(first, said)
    if found is None:
        return None
    posts = [_post(other, said) for other in others]
    if None in posts:
        return None
    posts = (*found.post_action, *(post for post in posts if post is not None))
    return found.model_copy(update={"post_action": posts, "intent": intent_of(found)})


def _matched(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.match(text)
    return found.end() if found else 0


def _action(sentence: str, said: Quoted) -> Step | None:
    for pattern, read_as in _PATTERNS:
        found = pattern.fullmatch(sentence)
        parts = read_as(found, said) if found is not None else None
        if parts is not None:
            return parts
    return None


def _post(sentence: str, said: Quoted) -> str | None:
    waited = _WAIT_FOR.fullmatch(sentence)
    if waited is not None:
        words = said.phrase(waited["seen"])
        return f"{words} is shown." if words is not None else None
    found = _POST.fullmatch(sentence.rstrip(" .!,"))
    words = found["post"].split() if found else []
    if found is None or not words or words[0].casefold() in ACTION_WORDS:
        return None
    if not re.search(QUOTE, found["post"]) or not re.search(STATE, found["post"], re.IGNORECASE):
        return None
    post = said.phrase(found["post"])
    return f"{post}." if post is not None else None


def _target(part: str, said: Quoted) -> str | None:
    """A target in words that are all known; ``None`` for what names nothing, two things, or says when."""
    part = " ".join(part.split())
    pieces = re.split(QUOTE, part)
    if len(pieces) == 1:
        return _unquoted(part)
    words = [re.findall(r"[^\s,]+", piece.casefold()) for piece in pieces]
    if any(word not in TARGET_WORDS for each in words for word in each):
        return None
    if any(LINKING.isdisjoint(each) for each in words[1:-1]):
        return None
    if any(not said.text(sign).strip() for sign in re.findall(QUOTE, part)):
        return None
    return said.phrase(part)


def _unquoted(part: str) -> str | None:
    if _NAME.fullmatch(part):
        return part
    found = _UNQUOTED.fullmatch(part)
    label = found["label"].split() if found else []
    is_label = 0 < len(label) <= _LABEL_WORDS and _NO_LABEL.isdisjoint(word.casefold() for word in label)
    return part if is_label and all(re.fullmatch(r"[\w&'/-]+", word) for word in label) else None


def _names(part: str, nouns: str) -> bool:
    return re.search(rf"\b(?:{nouns})\b", part, re.IGNORECASE) is not None


def _clicks(action: ActionType) -> Callable[[re.Match[str], Quoted], Step | None]:
    def read_as(found: re.Match[str], said: Quoted) -> Step | None:
        target = _target(found["target"], said)
        return Step.of(action, target) if target is not None else None

    return read_as


def _pressed_button(found: re.Match[str], said: Quoted) -> Step | None:
    has_noun = re.search(QUOTE, found["target"]) and _names(found["target"], BUTTON)
    return _clicks("CLICK")(found, said) if has_noun else None


def _marked(post: str) -> Callable[[re.Match[str], Quoted], Step | None]:
    def read_as(found: re.Match[str], said: Quoted) -> Step | None:
        words = found["target"]
        if re.fullmatch(QUOTE, words) and not found["verb"].casefold().endswith("check"):
            words = f"the {words} check box"
        target = _target(words, said) if _names(words, MARK) else None
        return Step.of("CLICK", target, post=(post,)) if target is not None else None

    return read_as


def _chosen(found: re.Match[str], said: Quoted) -> Step | None:
    """A radio button, or a thing of a menu."""
    target = _target(found["target"], said)
    if target is None or not re.search(QUOTE, found["target"]):
        return None
    is_radio = _names(found["target"], RADIO)
    if not is_radio and (len(said.texts) > 1 or _names(found["target"], f"{MARK}|{DROPDOWN}|field|text")):
        return None
    return Step.of("CLICK", target, post=(CHOSEN,) if is_radio else ())


def _chosen_in(found: re.Match[str], said: Quoted) -> Step | None:
    words = found["target"]
    bare = re.fullmatch(rf"(?:the )?(?P<name>{QUOTE})(?: list| field)?", words, re.IGNORECASE)
    if bare is not None:
        words = f"the {bare['name']} dropdown"
    target = _target(words, said) if _names(words, DROPDOWN) else None
    return Step.of("TYPE", target, _value(found, said), args=_literal(found)) if target is not None else None


def _typed(found: re.Match[str], said: Quoted) -> Step | None:
    groups = found.groupdict()
    target = _target(groups["target"], said) if groups.get("target") else FOCUS
    if target is None:
        return None
    args = dict(_literal(found))
    if groups.get("clear") or groups.get("add"):
        args["clear"] = bool(groups.get("clear"))
    return Step.of("TYPE", target, _value(found, said), args=args)


def _emptied(found: re.Match[str], said: Quoted) -> Step | None:
    target = _target(found["target"], said) if _FIELD_NOUN.search(found["target"]) else None
    return Step.of("TYPE", target, "") if target is not None and not _names(found["target"], MARK) else None


def _value(found: re.Match[str], said: Quoted) -> str:
    value = found["value"]
    return value if value.startswith("{") else said.text(value)


def _literal(found: re.Match[str]) -> Mapping[str, Any]:
    return {LITERAL: True} if found.groupdict().get("exactly") else {}


def _keys(found: re.Match[str], said: Quoted) -> Step | None:
    words = found["keys"]
    sign = re.fullmatch(QUOTE, words)
    if sign is not None and not found["noun"]:
        return None
    text = said.text(words) if sign is not None else words
    try:
        keys = parse_keys(text)
    except ValueError:
        return None
    if sign is None and len(keys) == 1 and len(keys[0]) == 1 and len(text) > 1:
        # A word that names a letter or sign is more often the name of something else.
        return None if not found["noun"] else _pressed(keys, found)
    return _pressed(keys, found)


def _pressed(keys: tuple[str, ...], found: re.Match[str]) -> Step | None:
    lowered = tuple(key.lower() if len(key) == 1 and len(key.lower()) == 1 else key for key in keys)
    repeat = _times(found["times"])
    if not 1 <= repeat <= MOST_TIMES:
        return None
    return Step.of("KEYPRESS", KEYBOARD, "+".join(lowered), args={"repeat": repeat} if repeat > 1 else {})


def _times(words: str | None) -> int:
    if not words:
        return 1
    return TIMES.get(words.casefold()) or int(words.split()[0])


def _scrolled(found: re.Match[str], said: Quoted) -> Step | None:
    target = _target(found["target"], said) if found["target"] else PAGE
    if target is None or (found["target"] and not re.search(QUOTE, found["target"])):
        return None
    args: dict[str, Any] = {"direction": found["direction"].lower()}
    if found["notches"]:
        args["notches"] = int(found["notches"])
    return Step.of("SCROLL", target, args=args) if args.get("notches", 1) in range(1, MOST_TIMES + 1) else None


def _scrolled_to(found: re.Match[str], said: Quoted) -> Step | None:
    target = _target(found["target"], said) if re.search(QUOTE, found["target"]) else None
    return Step.of("SCROLL", target) if target is not None else None


def _dragged(found: re.Match[str], said: Quoted) -> Step | None:
    both: set[tuple[str, str]] = set()
    for link in re.finditer(r"\s(?:to|onto|into|over)\s", found["targets"], re.IGNORECASE):
        start, end = found["targets"][: link.start()], found["targets"][link.end() :]
        if not re.search(QUOTE, start) or not re.search(QUOTE, end):
            continue
        one, other = _target(start, said), _target(end, said)
        if one is not None and other is not None:
            both.add((one, other))
    if len(both) != 1:
        return None
    ((start, end),) = both
    return Step.of("DRAG", start, args={"to": end})


def _opened_address(found: re.Match[str], said: Quoted) -> Step | None:
    value = found["address"]
    if re.fullmatch(QUOTE, value):
        value = said.text(value)
    elif re.search(QUOTE, value):
        return None
    sentence = found["browser"] or found["noun"]
    is_address = _ADDRESS.fullmatch(value) or (sentence and PLACE.fullmatch(value))
    if not value.strip() or not (is_address or (sentence and re.fullmatch(QUOTE, found["address"]))):
        return None
    return Step.of("OPEN_URL", BROWSER, value)


def _opened_app(found: re.Match[str], said: Quoted) -> Step | None:
    groups = found.groupdict()
    name = groups["app"]
    name = said.text(name) if re.fullmatch(QUOTE, name) else name
    arguments = [said.text(sign) for sign in re.findall(QUOTE, groups.get("arguments") or "")]
    if not name.strip():
        return None
    return Step.of("OPEN_APP", DESKTOP, name, args={"arguments": arguments} if arguments else {})


def _noted(found: re.Match[str], said: Quoted) -> Step | None:
    query = said.phrase(found["query"])
    if query is None or not re.search(QUOTE, found["query"]):
        return None
    return Step.of("EXTRACT", PAGE, found["name"], args={"extract_query": query})


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_ARGUMENTS: Final = rf"(?: with(?: the)?(?: arguments?)? (?P<arguments>{QUOTE}(?:(?:, and |, ?| and ){QUOTE})*))?"
_EXACTLY: Final = r"(?: (?P<exactly>exactly|literally))?"
_ONE_KEY: Final = "|".join(
    sorted((re.escape(name.replace("_", " ")) for name in canonical_names()), key=len, reverse=True)
)
_PATTERNS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str], Quoted], Step | None]], ...]] = (
    (
        _pattern(
            r"(?:open|go to|navigate to|visit|browse to|load)(?: the)?"
            r"(?: (?P<noun>page|address|url|website|web page|site))?"
            r" (?P<address>\S+)(?P<browser> in (?:the|a|your)(?: web)? browser)?"
        ),
        _opened_address,
    ),
    (
        _pattern(
            r"(?:open|start|launch|run)(?: the)? (?:application|app|program)"
            rf" (?P<app>{QUOTE}|[\w.+-]+){_ARGUMENTS}"
        ),
        _opened_app,
    ),
    (
        _pattern(rf"(?:open|start|launch|run)(?: the)? (?P<app>{QUOTE}) (?:application|app|program){_ARGUMENTS}"),
        _opened_app,
    ),
    (_pattern(rf"(?:start|launch) (?P<app>{QUOTE})"), _opened_app),
    (
        _pattern(rf"open (?P<target>(?:the )?{QUOTE} (?:menu|tab|link)|(?:the )?(?:menu|tab|link) {QUOTE})"),
        _clicks("CLICK"),
    ),
    (_pattern(r"double[- ]?click(?: on| at)? (?P<target>.+)"), _clicks("DOUBLE_CLICK")),
    (_pattern(r"(?:right[- ]?click|secondary[- ]click)(?: on| at)? (?P<target>.+)"), _clicks("RIGHT_CLICK")),
    (_pattern(r"middle[- ]?click(?: on| at)? (?P<target>.+)"), _clicks("MIDDLE_CLICK")),
    (_pattern(r"(?:left[- ]?)?(?:click|tap)(?: on| at)? (?P<target>.+)"), _clicks("CLICK")),
    (_pattern(r"(?P<verb>tick|check|mark) (?P<target>.+)"), _marked(TICKED)),
    (_pattern(r"(?P<verb>untick|uncheck|unmark) (?P<target>.+)"), _marked(UNTICKED)),
    (_pattern(r"(?P<verb>clear) (?P<target>.+)"), _marked(UNTICKED)),
    (_pattern(rf"(?:choose|select|pick|set){_EXACTLY} {_VALUE} (?:in|from) (?P<target>.+)"), _chosen_in),
    (_pattern(rf"(?:set|move) (?P<target>.+? slider) to{_EXACTLY} {_VALUE}"), _typed),
    (_pattern(r"(?:choose|select|pick) (?P<target>.+)"), _chosen),
    (_pattern(r"clear (?P<target>.+)"), _emptied),
    (_pattern(rf"(?:replace|overwrite) the text (?P<clear>in) (?P<target>.+) with{_EXACTLY} {_VALUE}"), _typed),
    (_pattern(rf"(?P<add>add|append){_EXACTLY} {_VALUE} to(?: the text in)? (?P<target>.+)"), _typed),
    (
        _pattern(
            rf"(?:type|enter|write|fill in|fill|put|input|insert)(?: the (?:text|words?|value))?{_EXACTLY} {_VALUE}"
            rf"(?: {_INTO} (?P<target>.+))?"
        ),
        _typed,
    ),
    (_pattern(rf"fill(?: in| out)? (?P<target>.+) with{_EXACTLY} {_VALUE}"), _typed),
    (_pattern(r"(?:press|hit|push)(?: on)? (?P<target>.+)"), _pressed_button),
    (
        _pattern(
            rf"(?:press|hit|use)(?: the)?(?: (?:keys?|shortcut))?"
            rf" (?P<keys>{QUOTE}|{_ONE_KEY}|[^\s]+(?:\s?[+-]\s?[^\s]+)*)"
            rf"(?P<noun> keys?| shortcut)?{_TIMES}"
        ),
        _keys,
    ),
    (_pattern(r"scroll(?: up| down)? (?:to|until you see) (?P<target>.+)"), _scrolled_to),
    (
        _pattern(
            r"scroll (?P<direction>up|down|left|right)(?: by (?P<notches>\d{1,3}) notch(?:es)?)?"
            r"(?: (?:in|on|at|over) (?P<target>.+))?"
        ),
        _scrolled,
    ),
    (_pattern(r"drag (?P<targets>.+)"), _dragged),
    (_pattern(r"(?:note|read|extract|remember) (?P<query>.+) as \{(?P<name>extract_\d{1,4})\}"), _noted),
)
