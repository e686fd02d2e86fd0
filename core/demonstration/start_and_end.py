"""Where a demonstration begins, by its application and page; and what shows at its end that the task is done.

That something went away shows nothing by itself: a window that closes takes it away, whatever was in it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from core.demonstration.prompts import ends_in_command
from core.demonstration.screen_texts import ScreenTexts, Seen, is_masked, is_quotable, is_shape
from core.demonstration.shown import known, unknown
from core.plans.phrasing import marks
from core.plans.step_sentences import sentence
from core.recording.input_log import Focused, InputLog
from core.steps import BROWSER, DESKTOP, Step
from core.tasks.plan import looks_like
from core.text import IDENTIFIERS, one_line
from core.window_kinds import is_browser, is_manager, is_terminal
from core.workflows.workflow import NUMBER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.analysis import Event


_SUFFIX: Final = re.compile(
    r"\s[-\u2013\u2014]\s(?:Chromium|Google Chrome|Mozilla Firefox|Firefox|Microsoft.?Edge|Brave|Opera|Vivaldi)\s*$"
)
_ADDRESS: Final = re.compile(r"https?://[^\s\"'<>]{3,200}", re.IGNORECASE)
_HOST: Final = re.compile(
    r"(?:[a-z0-9-]+(?:\.[a-z0-9-]+)+|localhost|\d+(?:\.\d+){3})(?::\d+)?(?:/[^\s\"'<>]*)?", re.IGNORECASE
)
_LOCAL: Final = re.compile(r"(?:localhost|\d+(?:\.\d+){3})(?::\d+)?(?:/|$)", re.IGNORECASE)
_OPENING: Final = "Open what was open when the recording began (see the questions)."
_LEFT: Final = 400
_TOP: Final = 140
"""An address bar stands so high, in pixels."""
_MOST_WINDOWS: Final = 8
_MOST_TITLE: Final = 80
_LARGE: Final = 0.8


def opening_of(texts: ScreenTexts, log: InputLog | None) -> list[Step]:
    """The first line of the plan: what was open already when the recording began."""
    window = next((each for each in windows_of(log) if not is_manager(f"{each.application} {each.title}")), None)
    if window is not None and window.application.strip() and not is_browser(window.application):
        return [_program_opening(window)]
    address = _address(texts, log)
    if address is not None and _ADDRESS.fullmatch(address.text):
        return [known(0, 0, Step.of("OPEN_URL", BROWSER, address.text))]
    if address is not None and log is None and _LOCAL.match(address.text):
        # A browser leaves out just this scheme.
        return [known(0, 0, Step.of("OPEN_URL", BROWSER, f"http://{address.text}"))]
    if address is not None and log is None:
        guess = Step.of("OPEN_URL", BROWSER, f"https://{address.text}")
        said = looks_like("a browser shows only a part of an address", [sentence(guess)])
        return [unknown(0, 0, _OPENING, said)]
    if address is not None:
        said = f"the address is shown as {marks(address.text)}, which may be only a part of it"
    else:
        shown = _heading(texts)
        said = f"its address cannot be seen; it shows {shown}" if shown else "its address cannot be seen"
    said = f"{said} (the answer may be an address, or an instruction). Which address is to be opened?"
    return [unknown(0, 0, _OPENING, said)]


def _program_opening(window: Focused) -> Step:
    name, command = one_line(window.application), window.command
    if command is None:
        return known(0, 0, Step.of("OPEN_APP", DESKTOP, name))
    if not command:
        said = f"{_quoted(name)} was open, started with options that the recording does not keep"
        hint = 'the answer may be an instruction, such as: Open the application "mousepad" with "/home/ada/notes.txt".'
        return unknown(0, 0, _OPENING, f"{said} ({hint})")
    program, *files = command
    title = one_line(window.title)
    is_same = title and not is_terminal(name) and not title.startswith("*") and not is_volatile(title)
    # A program may show a picture first, and what is typed then goes nowhere.
    posts = (f"{marks(title)} is shown.",) if is_same and marks(title) is not None else ()
    return known(0, 0, Step.of("OPEN_APP", DESKTOP, program, post=posts, args={"arguments": files} if files else {}))


def applications_of(texts: ScreenTexts, log: InputLog | None) -> tuple[str, ...]:
    """The windows that had the focus, and the address if it was shown."""
    found: list[str] = []
    for window in windows_of(log):
        title, name = one_line(window.title)[:_MOST_TITLE], one_line(window.application)
        if is_manager(f"{title} {name}"):
            continue
        found.append(f"{name}: {_quoted(title)}" if title and name else name or _quoted(title))
    address = _address(texts, log)
    if address is not None:
        found.append(f"The page {marks(address.text)}")
    return tuple(dict.fromkeys(each for each in found if each))[:_MOST_WINDOWS]


def titles_of(log: InputLog | None) -> list[str]:
    """The titles of the windows that had the focus, without the name of the browser behind them."""
    return [plain_title(each.title) for each in windows_of(log) if each.title.strip()]


def plain_title(title: str) -> str:
    """A window's title as one line, without the name of the browser behind it."""
    return _SUFFIX.sub("", one_line(title))


def _quoted(text: str) -> str:
    return marks(text) or ""


def windows_of(log: InputLog | None) -> list[Focused]:
    """The windows that had the focus, in order."""
    return [event for event in log.events if isinstance(event, Focused)] if log is not None else []


def _heading(texts: ScreenTexts) -> str | None:
    """The largest text of the first screen, quoted."""
    first = [one for one in texts.at(0) if one.is_quotable and sum(sign.isalpha() for sign in one.text) > 2]  # noqa: PLR2004
    first = [one for one in first if any(sign.islower() for sign in one.text)]
    tallest = max((one.box[3] for one in first), default=0)
    found = next((one for one in first if one.box[3] >= _LARGE * tallest), None)
    return marks(found.text) if found is not None else None


def addresses_at(texts: ScreenTexts, log: InputLog | None, t_ms: int) -> Sequence[Seen]:
    """The addresses that a browser shows, top to bottom: its tabs may show one, and below them its address bar."""
    # Without a scheme it is one only where a browser is known to be there.
    top = [one for one in texts.at(t_ms) if one.box[1] < _TOP and is_quotable(one.text)]
    has_browser = any(is_browser(window.application) for window in windows_of(log))
    if log is None:
        has_browser = any(_LOCAL.match(one.text) or one.text.lower().startswith("www.") for one in top)
        top = [one for one in top if one.box[0] < _LEFT]
    return [one for one in top if _ADDRESS.fullmatch(one.text) or (has_browser and _is_host(one.text))]


def _address(texts: ScreenTexts, log: InputLog | None) -> Seen | None:
    """The address that was shown in the beginning."""
    return next(iter(addresses_at(texts, log, 0)), None)


def _is_host(text: str) -> bool:
    """Whether it is an address without its scheme, and no name of a file."""
    return _HOST.fullmatch(text) is not None and ("/" in text or ":" in text or text.lower().startswith("www."))


_STANDS_MS: Final = 700
_PLAIN_WORD: Final = re.compile(
    r"[(\"'\u201c\u2018#$\u20ac\u00a3]*[^\W_](?:[\w'\u2019@&%+=/-]|\.(?!\.)|(?<=\d)[,:](?=\d)|\(\w+\))*[.,:;!?)\"'\u201d\u2019%]*"
    r"|[-\u2013\u2014&+=|]"
)
"""A comma between two letters is a full stop that was read wrong."""
_DIGITS: Final = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?!\w)|(?<=[A-Za-z])\d{3,}(?!\w)")
"""A number; behind letters, as in a code, only a long one."""
_ICON: Final = re.compile(r"[A-Z]{2}[a-z]{3}")
_MOST: Final = 2
_WORD: Final = 6
_LETTERS: Final = 3
_VOLATILE: Final = re.compile(
    r"\d{1,2}\s*:\s*\d{2}|\d+\s*%|\b\d+\s*(?:s|sec|seconds?|min|minutes?|h|hours?|days?)\b"
    r"|\b(?:ago|just now|today|loading|please wait|remaining|left|elapsed)\b"
    rf"|\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}|…$|\.\.\.$|{'|'.join(IDENTIFIERS)}",
    re.IGNORECASE,
)


def is_volatile(text: str) -> bool:
    """Whether a text is another one next time, or tells nothing: a time, a date or its shape, a share, an id."""
    return _VOLATILE.search(text) is not None or is_shape(text)


def criteria(
    texts: ScreenTexts, timeline: Sequence[Event], typed: Sequence[str], titles: Sequence[str], span: tuple[int, int]
) -> tuple[str, ...]:
    """Sentences that quote what came at the end and stood still; none if nothing did.

    Where nothing else came, a typed value that stands in the end where it was not typed, with what went away then: its
    field alone may show it as well.

    Args:
        texts: of the recording.
        timeline: what changed, without what may not be learned.
        typed: what was typed, which shows nothing by standing in its field.
        titles: of windows: a browser's tab says one, but not on every display.
        span: when the last thing was done, and the recording's length.

    """
    since_ms, end_ms = span
    late = [one for one in texts.at(end_ms) if one.t_ms >= since_ms and end_ms - one.t_ms >= _STANDS_MS]
    earlier = {_shape(one.text) for t_ms in (0, since_ms - 1) for one in texts.at(max(0, t_ms))}
    new = [one for one in late if is_distinctive(one, (*typed, *titles)) and not texts.said_before(one.text, since_ms)]
    # A number that went on counting is none that came.
    new = [one for one in new if _shape(one.text) not in earlier]
    # What stood there once already shows that one went back, and less that something was done.
    new = [one for one in new if not texts.says_before(one.text, since_ms)] or new
    new = [one for one in new if not (_is_slip(one.text, texts.at(end_ms)) or _is_glued(one.text, typed))]
    new = _below_command(new, texts.at(end_ms), typed)
    best, *others = [*sorted(new, key=lambda one: (-(one.box[3] // 4), one.box[1], one.box[0])), None]
    if best is not None:
        # A value that has come to stand there as well tells this run from others.
        more = [one for one in late if one.text in typed and is_distinctive(one, titles)]
        more += [one for one in others if one is not None and " " in one.text]
        return tuple(f"{marks(with_patterns(one.text, typed))} is shown." for one in (best, *more)[:_MOST])
    value = next((one for one in late if is_distinctive(one, titles) and not is_distinctive(one, typed)), None)
    gone = gone_text(texts, timeline, since_ms, end_ms)
    if value is None or not gone:
        return ()
    return f"{marks(value.text)} is shown.", f"{marks(gone)} is no longer shown."


def _is_slip(word: str, there: Sequence[Seen]) -> bool:
    """Whether one word has one letter otherwise than another that stands there as well: it was read wrong."""
    others = (one.text.casefold() for one in there if len(one.text) == len(word) >= _WORD)
    return word.isalpha() and any(sum(map(str.__ne__, word.casefold(), other)) == 1 for other in others)


def _is_glued(text: str, typed: Sequence[str]) -> bool:
    """Whether what was typed stands there behind a letter of another thing, as an icon is read: no run shows that."""
    return any(value in text and not _spans(value, text) for value in typed if len(value) >= _WORD)


def _below_command(new: Sequence[Seen], there: Sequence[Seen], typed: Sequence[str]) -> Sequence[Seen]:
    """What a command wrote stands below it; what is above it was only moved, and read anew."""
    for command in reversed(typed):
        lines = [one.box[1] for one in there if command and ends_in_command(one.text, command)]
        if lines:
            return [one for one in new if one.box[1] > max(lines)]
    return new


def with_patterns(text: str, typed: Sequence[str]) -> str:
    """The text with each number in it as ``{number}``, which is any number, unless it was typed."""
    own = [span for value in typed if value for span in _spans(value, text)]

    def changed(found: re.Match[str]) -> str:
        is_own = any(start <= found.start() and found.end() <= end for start, end in own)
        return found[0] if is_own else f"{{{NUMBER}}}"

    return _DIGITS.sub(changed, text)


def _spans(value: str, text: str) -> list[tuple[int, int]]:
    return [found.span() for found in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text)]


def _shape(text: str) -> str:
    return _DIGITS.sub("0", text)


def gone_text(texts: ScreenTexts, timeline: Sequence[Event], since_ms: int, end_ms: int) -> str:
    """A text that went away after the last thing was done, empty for none."""
    if not any(event.t_ms >= since_ms for event in timeline):
        return ""
    gone = (
        one.text
        for one in texts.before_click(since_ms)
        if is_distinctive(one, ()) and one.until_ms is not None and one.until_ms >= since_ms
    )
    return next((text for text in gone if not texts.shows(text, end_ms)), "")


def title_after(log: InputLog | None, since_ms: int, until_ms: int) -> str:
    """The title of the window that came, or changed its title, last in that time; empty for none, or a browser's."""
    windows = windows_of(log)
    before = {each.title for each in windows if each.t_ms <= since_ms}
    came = [each for each in windows if since_ms < each.t_ms <= until_ms and not is_browser(each.application)]
    came = [each for each in came if not is_manager(f"{each.application} {each.title}")]
    title = one_line(came[-1].title) if came else ""
    is_new = bool(title) and came[-1].title not in before and marks(title) is not None
    return title if is_new and not is_volatile(title.rstrip(".\u2026")) else ""


def title_criterion(log: InputLog | None, typed: Sequence[str], since_ms: int, end_ms: int) -> tuple[str, ...]:
    """That the window has the title in the end in which a value stands that was typed: a saved file's name, say."""
    title = title_after(log, since_ms, end_ms)
    is_value = any(len(each) >= _LETTERS and re.search(rf"(?<!\w){re.escape(each)}(?!\w)", title) for each in typed)
    return (f"{marks(title)} is shown.",) if title and is_value else ()


def is_plainly_read(text: str) -> bool:
    """Whether a text looks like words: an icon beside a text is read as a sign or a capital before it."""
    return all(_PLAIN_WORD.fullmatch(word) and not _ICON.match(word) for word in text.split())


def is_distinctive(one: Seen, said: Sequence[str]) -> bool:
    """Whether a text tells one screen from others: words that were read plainly, and none of those that were said."""
    if not one.is_quotable or is_volatile(one.text) or is_masked(one.text):
        return False
    if not is_plainly_read(one.text):
        return False
    if sum(sign.isalpha() for sign in one.text) < _LETTERS:
        return False
    return _words(one.text) not in {_words(each) for each in said}


def _words(text: str) -> str:
    """The words alone; a tab's title has the sign that closes it behind."""
    return " ".join(re.findall(r"\w+", text.casefold())).removesuffix(" x")
