"""Entries as a file, in the shape of the reload caches that came before: ``{"entries": [...]}``.

An entry is ``{"id", "fingerprint": {"triggerType", "triggerTarget", "contextNgrams", "windowStateHash"}, "actions",
"summary", "metadata": {"createdAt", "lastUsed", "useCount", "successCount", "failureCount", "originalMessageId",
"agentId"}}``, times in ISO 8601. Ours have a ``vaider`` object besides, with what that shape lacks. The later shape of
such caches is read as well: ``fingerprint.ngrams``, triggers ``monitor`` and ``app``, and ``label``.

What was written elsewhere has no request, only n-grams: it is never a request's answer, but listed by its trigger.
"""

import json
import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from hashlib import sha256
from typing import Any, Final, NamedTuple, cast, get_args

from pydantic import ValidationError

from core.errors import InvalidRequest, TooLarge
from core.reload.entry import Draft, Entry, Origin, TriggerType, label_for, label_text
from core.reload.templates import filled_in
from core.reload.validation import check_draft, read_actions
from core.untrusted_files import parse_json

MAX_FILE: Final = 50 * 1024 * 1024
MAX_IMPORTED: Final = 10_000
"""Entries of one file."""
_MAX_VALUES: Final = 3_000_000
"""Values of one file: each takes a hundred bytes of memory, however few in the file."""
_FORMAT: Final = 1
"""Of the ``vaider`` object."""
_MAX_RAW: Final = 9 * 1024 * 1024
"""Bytes of an entry in a file, where its actions stand twice."""
_MAX_NGRAMS: Final = 20_000
_MAX_NAME: Final = 200
_MESSAGE: Final = "user_message"
_TRIGGERS: Final[Mapping[str, str]] = {"monitor": _MESSAGE, "app": _MESSAGE} | {
    name: name for name in get_args(TriggerType)
}
_OURS: Final = frozenset(Draft.model_fields) - {"fingerprint", "summary", "verified"}


class Incoming(NamedTuple):
    """An entry of a file, to be kept: never verified, because its success was not seen here."""

    draft: Draft
    message_id: str
    agent_id: str


class Refused(NamedTuple):
    """An entry of a file that is not to be kept, and why, in a sentence."""

    position: int
    """Index in the file, from 0 on."""
    reason: str


class Imported(NamedTuple):
    """What a file holds."""

    entries: tuple[Incoming, ...]
    refused: tuple[Refused, ...]


def export_file(entries: Iterable[Entry]) -> bytes:
    """The file that ``read_file`` reads, UTF-8 JSON; values are in it, sensitive ones are none of an entry's."""
    written = {"entries": [_exported(entry) for entry in entries]}
    return json.dumps(written, ensure_ascii=False, indent=1).encode()


def read_file(data: bytes, *, max_bytes: int = MAX_FILE) -> Imported:
    """The entries of a file, and which of them are refused.

    An entry comes from nowhere that is known here, so that it replaces none but itself. Raises ``TooLarge``, and
    ``InvalidRequest`` for what is no such file.
    """
    if len(data) > max_bytes:
        raise TooLarge(f"The file is {len(data)} bytes; {max_bytes} may be imported at once. Split its entries.")
    if sum(data.count(each) for each in (b",", b"[", b"{")) > _MAX_VALUES:
        raise TooLarge(f"The file holds more than {_MAX_VALUES} values. Split its entries.")
    try:
        content = parse_json(data, max_bytes=max_bytes)
    except ValueError as error:
        raise InvalidRequest(f"The file {error}: export it again.") from None
    found = cast("dict[str, Any]", content).get("entries") if isinstance(content, dict) else None
    if not isinstance(found, list):
        raise InvalidRequest('The file is no reload cache: that is {"entries": [...]}.')
    raws = cast("list[Any]", found)
    if len(raws) > MAX_IMPORTED:
        raise TooLarge(f"The file has {len(raws)} entries; {MAX_IMPORTED} may be imported at once. Split it.")
    incoming: list[Incoming] = []
    refused: list[Refused] = []
    seen: set[str] = set()
    for index, raw in enumerate(raws):
        try:
            incoming.append(_incoming(raw, seen))
        except InvalidRequest as error:
            refused.append(Refused(index, error.message))
    return Imported(tuple(incoming), tuple(refused))


def _exported(entry: Entry) -> dict[str, Any]:
    fingerprint, metadata, values = entry.fingerprint, entry.metadata, entry.values()
    return {
        "id": entry.id,
        "fingerprint": {
            "triggerType": fingerprint.trigger_type,
            "triggerTarget": fingerprint.trigger_target,
            "contextNgrams": list(fingerprint.context_ngrams),
            "windowStateHash": fingerprint.window_state_hash,
        },
        "actions": [filled_in(action.action, values) for action in entry.actions],
        "summary": entry.summary,
        "metadata": {
            "createdAt": metadata.created_at,
            "lastUsed": metadata.last_used,
            "useCount": metadata.use_count,
            "successCount": metadata.success_count,
            "failureCount": metadata.failure_count,
            "originalMessageId": metadata.original_message_id,
            "agentId": metadata.agent_id,
        },
        "vaider": {"format": _FORMAT, **entry.model_dump(mode="json", include=set(_OURS))},
    }


def _incoming(raw: Any, seen: set[str]) -> Incoming:
    entry = _object(raw, "An entry")
    size = len(json.dumps(entry, default=str, ensure_ascii=False).encode())
    if size > _MAX_RAW:
        raise InvalidRequest(f"It is {size} bytes: an entry may be 4 MB.")
    entry = _object(_plain(entry), "An entry")
    entry_id = _text(entry, "id")
    if not entry_id or entry_id in seen:
        raise InvalidRequest(f'Its id "{entry_id}" is another one\'s too.' if entry_id else "It has no id.")
    seen.add(entry_id)
    metadata = _object(entry.get("metadata", {}), 'Its "metadata"')
    draft = _ours(entry) if "vaider" in entry else _foreign(entry)
    return Incoming(draft, _text(metadata, "originalMessageId"), _text(metadata, "agentId"))


def _foreign(entry: dict[str, Any]) -> Draft:
    """An entry of other caches: actions are kept as they stand, if they are in a vocabulary of their own or ours."""
    vocabulary, actions = read_actions(_actions(entry))
    return _draft(entry, {"vocabulary": vocabulary, "requests": [], "actions": [{"action": each} for each in actions]})


def _ours(entry: dict[str, Any]) -> Draft:
    ours = _object(entry["vaider"], 'Its "vaider"')
    if ours.pop("format", None) != _FORMAT:
        raise InvalidRequest('Its "vaider" object is of a newer Vaider: upgrade this one.')
    if unknown := ours.keys() - _OURS:
        raise InvalidRequest(f'Its "vaider" object has a "{min(unknown)[:_MAX_NAME]}", which is unknown.')
    draft = _draft(entry, ours)
    values = draft.values()
    if [filled_in(action.action, values) for action in draft.actions] != _actions(entry):
        raise InvalidRequest('Its "actions" differ from those of its "vaider" object: change both, or neither.')
    return draft


def _draft(entry: dict[str, Any], ours: dict[str, Any]) -> Draft:
    fingerprint = _fingerprint(entry)
    summary = label_text(_text(entry, "summary" if "summary" in entry else "label", 100_000), 2000)
    said = label_for("", fingerprint["trigger_type"], fingerprint["trigger_target"])
    written = {**ours, "fingerprint": fingerprint, "summary": summary or said, "verified": False}
    try:
        draft = Draft.model_validate_json(json.dumps(written), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InvalidRequest(f"Its {where} is wrong: {first['msg']}."[:300]) from None
    check_draft(draft)
    # A workflow or a task of that name here, or what was kept before, is something else whatever the file says.
    draft = draft.model_copy(update={"origin": Origin()})
    name = sha256(draft.model_dump_json().encode()).hexdigest()[:16]
    return draft.model_copy(update={"origin": Origin(name=f"import {name}")})


def _fingerprint(entry: dict[str, Any]) -> dict[str, Any]:
    reported = _object(entry.get("fingerprint"), 'Its "fingerprint"')
    trigger = _TRIGGERS.get(_text(reported, "triggerType"))
    if trigger is None:
        raise InvalidRequest(f'Its "triggerType" is none of {", ".join(_TRIGGERS)}.')
    ngrams = reported.get("contextNgrams", reported.get("ngrams", []))
    if not isinstance(ngrams, list) or len(cast("list[Any]", ngrams)) > _MAX_NGRAMS:
        raise InvalidRequest(f"Its n-grams are no list of at most {_MAX_NGRAMS} texts.")
    windows = _text(reported, "windowStateHash")
    if windows and (len(windows) != 16 or set(windows) - set("0123456789abcdef")):  # noqa: PLR2004 - the seed's length
        raise InvalidRequest('Its "windowStateHash" is not 16 hexadecimal digits.')
    return {
        "trigger_type": trigger,
        "trigger_target": _text(reported, "triggerTarget", 1000),
        "context_ngrams": ngrams,
        "window_state_hash": windows,
    }


def _actions(entry: dict[str, Any]) -> list[dict[str, Any]]:
    actions = entry.get("actions")
    if not isinstance(actions, list) or not all(isinstance(each, dict) for each in cast("list[Any]", actions)):
        raise InvalidRequest('Its "actions" are no list of objects.')
    return cast("list[dict[str, Any]]", actions)


def _object(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidRequest(f"{name} is no object.")
    return cast("dict[str, Any]", value)


def _text(value: dict[str, Any], key: str, most: int = _MAX_NAME) -> str:
    text = value.get(key)
    if text is None:
        return ""
    if not isinstance(text, str) or len(text) > most:
        raise InvalidRequest(f'Its "{key}" is no text of at most {most} characters.')
    return text


def _plain(value: Any) -> Any:
    """With fractions as Python has them."""
    if isinstance(value, Decimal):
        if not math.isfinite(number := float(value)):
            raise InvalidRequest("It holds a number that is too large.")
        return number
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_plain(part) for part in cast("list[Any]", value)]
    return value
