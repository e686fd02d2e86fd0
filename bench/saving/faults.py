"""Ways to save a record wrongly while the program says that it was saved: three of each kind.

A store inserts, changes and deletes records; a fault is what is done to it instead of one insertion.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

Record = dict[str, Any]
LABELS: Final = ("Name", "Weight", "Code")
SEEDED: Final[tuple[Record, ...]] = (
    {"name": "Ada Lovelace", "weight": 3.5, "code": "0042"},
    {"name": "Grace Hopper", "weight": 12.0, "code": "0117"},
    {"name": "Niklaus Wirth", "weight": 4.25, "code": "2034"},
    {"name": "Grace Hopper", "weight": 0.75, "code": "0311"},
)
"""What each store holds in the beginning; two of one name, so that a name alone names no record."""
KINDS: Final = ("partly", "twice", "wrong record", "wrong type", "truncated", "stale", "not at all", "collateral")
VARIANTS: Final = 3


class Store(Protocol):
    """Where a program keeps its records, in their order."""

    def insert(self, record: Record) -> None:
        """Add one at the end."""
        ...

    def change(self, at: int, **cells: Any) -> None:
        """Change cells of the record at an index."""
        ...

    def delete(self, at: int) -> None:
        """Remove the record at an index."""
        ...


def typed(name: str, weight: str, code: str) -> Record:
    """The record as it is to be kept."""
    return {"name": name, "weight": float(weight), "code": code}


def save(store: Store, record: Record, fault: str) -> None:
    """Keep a record, by a fault such as ``twice 1`` or rightly by none."""
    if not fault:
        store.insert(record)
        return
    kind, _, number = fault.rpartition(" ")
    variant = int(number)
    if kind in {"wrong record", "not at all", "collateral"}:
        _elsewhere(store, record, kind, variant)
        return
    for each in _instead(record, kind, variant):
        store.insert(each)


def _instead(record: Record, kind: str, variant: int) -> list[Record]:
    """The records that are kept instead."""
    kept: dict[str, list[list[Record]]] = {
        "partly": [[record | {"weight": None}], [record | {"code": ""}], [record | {"name": "", "code": ""}]],
        "twice": [[record, record], [record, record, record], [record, record | {"name": f"{record['name']} (2)"}]],
        "wrong type": [
            [record | {"weight": str(record["weight"])}],
            [record | {"code": int(record["code"])}],
            [record | {"weight": bool(record["weight"])}],
        ],
        "truncated": [
            [record | {"name": record["name"][:-3]}],
            [record | {"code": record["code"][:2]}],
            [record | {"name": record["name"][:4]}],
        ],
        "stale": [[dict(SEEDED[-1])], [record | {"weight": SEEDED[-1]["weight"]}], [record | {"name": "Ada Lovelace"}]],
    }
    return kept[kind][variant]


def _elsewhere(store: Store, record: Record, kind: str, variant: int) -> None:
    """What is done to other records."""
    if kind == "wrong record":
        store.change(variant, **(record if variant < VARIANTS - 1 else {"name": record["name"]}))
    elif kind == "not at all":
        if variant:
            store.insert(record)
            store.delete(len(SEEDED))
        if variant == VARIANTS - 1:
            store.insert({"name": "", "weight": None, "code": ""})
            store.delete(len(SEEDED))
    else:
        store.insert(record)
        if variant == 0:
            store.delete(1)
        elif variant == 1:
            store.change(2, weight=99.5)
        else:
            store.insert({"name": "Audit", "weight": 0.5, "code": "9999"})
