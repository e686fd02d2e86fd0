"""The ``effects`` of a ``schema.json``, and the rules that an effect keeps wherever it is written."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, cast, get_args
from urllib.parse import urlsplit

from core.effects.effect import MAX_CELLS, MAX_EFFECTS, CellType, Change, Effect, Kind
from core.effects.sentences import read_sentence
from core.steps import PLACE
from core.workflows.workflow import EXTRACT, Parameter, places

if TYPE_CHECKING:
    from core.workflows.fields import Fields

_KINDS: Final[tuple[str, ...]] = get_args(Kind)
_CHANGES: Final[tuple[str, ...]] = get_args(Change)
_TYPES: Final[tuple[str, ...]] = get_args(CellType)
_NAMED: Final = frozenset({"changed", "removed"})


class EffectFault(NamedTuple):
    """A rule that is broken, and by which member."""

    member: str
    rule: str


def read_effects(document: Fields) -> tuple[Effect, ...]:
    """The effects of a document, or of one without that member none."""
    return tuple(_effect(fields) for fields in document.objects("effects", at_least=0, at_most=MAX_EFFECTS))


def effect_faults(effect: Effect, parameters: Sequence[Parameter], extracts: Collection[str]) -> Iterator[EffectFault]:
    """The rules that it breaks. ``extracts`` are the names of those that a run reads."""
    yield from _place_faults(effect, parameters, extracts)
    address = _address_fault(effect)
    if address:
        yield EffectFault("at", address)
    if effect.change == "written" and effect.kind != "file":
        yield EffectFault("change", "is written only for a file")
    if effect.change == "removed" and effect.expect:
        yield EffectFault("expect", "must be left out for a row that is removed; say which by where")
    if effect.change != "removed" and not effect.expect:
        yield EffectFault("expect", "must name at least one column with its value")
    if effect.change in _NAMED and not effect.where:
        yield EffectFault("where", f"must say which row is {effect.change}")
    if effect.change not in _NAMED and effect.where:
        yield EffectFault("where", "is only for a row that is changed or removed")
    if effect.exactly_once and effect.change != "added":
        yield EffectFault("exactly_once", "is only for a row that is added")


def understood(lines: Sequence[str]) -> tuple[tuple[Effect, ...], tuple[str, ...]]:
    """The effects of these sentences, and those sentences that are not understood."""
    read = [(line, read_sentence(line)) for line in lines]
    return (
        tuple(effect for _, effect in read if effect is not None),
        tuple(line for line, effect in read if effect is None),
    )


def _effect(fields: Fields) -> Effect:
    fields.only(*Effect.model_fields)
    return Effect(
        kind=cast("Kind", _one_of(fields, "kind", _KINDS, required=True)),
        at=fields.text("at", required=True),
        change=cast("Change", _one_of(fields, "change", _CHANGES)),
        expect=_cells(fields, "expect"),
        where=_cells(fields, "where"),
        types=cast("dict[str, CellType]", _types(fields)),
        exactly_once=fields.flag("exactly_once"),
        others_may_change=fields.flag("others_may_change"),
        ignore=fields.texts("ignore", at_least=0, at_most=MAX_CELLS),
    )


def _one_of(fields: Fields, name: str, known: Sequence[str], *, required: bool = False) -> str:
    value = fields.text(name, required=required)
    if value and value not in known:
        fields.fault(name, f"must be one of {', '.join(known)}, not {value[:50]!r}")
    return value if value in known else known[0]


def _cells(fields: Fields, name: str) -> dict[str, str]:
    found: dict[str, str] = {}
    raw = fields.free(name)
    if len(raw) > MAX_CELLS:
        fields.fault(name, f"must have at most {MAX_CELLS} columns")
    for column, value in raw.items():
        if isinstance(value, str):
            found[column] = value
        elif isinstance(value, int | float):
            found[column] = str(value).lower() if isinstance(value, bool) else str(value)
        elif value is None:
            found[column] = ""
        else:
            fields.fault(f"{name}.{column}", "must be a string")
    return found


def _types(fields: Fields) -> dict[str, str]:
    found = _cells(fields, "types")
    for column, value in found.items():
        if value not in _TYPES:
            fields.fault(f"types.{column}", f"must be one of {', '.join(_TYPES)}, not {value[:50]!r}")
    return {column: value for column, value in found.items() if value in _TYPES}


def _place_faults(effect: Effect, parameters: Sequence[Parameter], extracts: Collection[str]) -> Iterator[EffectFault]:
    declared = {each.name: each for each in parameters}
    texts = [
        ("at", effect.at),
        *((f"expect.{column}", value) for column, value in effect.expect.items()),
        *((f"where.{column}", value) for column, value in effect.where.items()),
    ]
    for member, text in texts:
        for name in sorted(places(text)):
            if EXTRACT.fullmatch(name):
                if not member.startswith("expect") or effect.exactly_once:
                    yield EffectFault(member, f"uses {{{name}}}, which is not known before the acts")
                elif name not in extracts:
                    yield EffectFault(member, f"uses {{{name}}}, which no subtask extracts")
            elif name not in declared:
                yield EffectFault(member, f"uses {{{name}}}, which is no parameter")
            elif declared[name].sensitive:
                yield EffectFault(member, f"uses {{{name}}}, a sensitive parameter, which is compared with nothing")


def _address_fault(effect: Effect) -> str:
    if effect.kind == "file":
        if effect.at.startswith(("/", "~/", "{")):
            return ""
        return "must be an absolute path, or one that begins with ~/"
    try:
        parts = urlsplit(effect.at)
        _ = parts.port
    except ValueError:
        return "is no address"
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return "must be an http:// or https:// address"
    if PLACE.search(parts.netloc):
        return "must name its host itself, without a place for a value"
    return "must not hold a user or a password" if parts.username is not None else ""
