"""A page that is recorded once and replayed after it was changed; it tells all that was done on it."""

import contextlib
import json
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any, Final

from core.actions import Done
from core.reload.entry import Entry
from core.reload.entry_keys import keys_of
from core.runs.ports import Decider
from core.runs.run import ReplayRequest, Run, RunOutcome
from storage.reload.entries import SqlEntryStore
from tests.fakes.jobs.contexts import FakeContext
from tests.fakes.models.scripted_decider import ScriptedDecider, propose
from tests.fakes.runs.made_workflows import OPENED, made_case, opening, step
from tests.fakes.runs.replaying import Case, PageServer, Replays
from tests.fakes.web.servers import Request, Response

HEAD: Final = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Gift desk</title><style>
body { margin: 0; padding: 32px; font: 18px/1.5 "DejaVu Sans", sans-serif; color: #1b1f24; background: #fff; }
button { font: inherit; width: 140px; padding: 8px 22px; border: 1px solid #7a869a; background: #eef2f6; }
input[type=text] { font: inherit; width: 360px; } p { margin: 12px 0; }
</style><script>
const did = [];
function shown(id) { return document.getElementById(id); }
function act(what, said) {
  did.push(what);
  shown("said").textContent = said;
  const name = shown("name"), gift = shown("gift");
  fetch("state", { method: "POST", body: JSON.stringify(
    { did, name: name && name.value, gift: gift && gift.checked }) });
}
function save() { act("save", "Saved for " + shown("name").value); }
</script></head><body><p id="said">Nothing was done yet</p>
"""
NAME: Final = '<p><label for="name">Recipient</label> <input type="text" id="name" autocomplete="off"></p>\n'
GIFT: Final = '<p><label><input type="checkbox" id="gift"> Gift wrap</label></p>\n'
SAVE: Final = '<button id="save" onclick="save()">Save</button>'
DELETE: Final = """<button id="delete" onclick="act('delete', 'All was deleted')">Delete</button>"""
BUTTONS: Final = f"<p>{SAVE} {DELETE}</p>\n"
GIFT_DESK: Final = f"{HEAD}{NAME}{GIFT}{BUTTONS}"
STEPS: Final = (
    step("TYPE", 'the "Recipient" field', "{person}"),
    step("CLICK", 'the "Gift wrap" check box'),
    step("CLICK", 'the "Save" button'),
)
SAVED: Final = '"Saved for {person}" is shown.'
PERSON: Final = "Ada Lovelace"
PERSONS: Final[Mapping[str, str]] = {"person": PERSON}


def removal_desk(*names: str) -> str:
    """A page of rows with a button each."""
    rows = (
        f"<tr><td style='width: 240px'>{name}</td><td><button onclick=\"act('{name}', 'Removed {name}')\">Remove"
        "</button></td></tr>"
        for name in names
    )
    return f"{HEAD}<table>{''.join(rows)}</table>"


def wizard(*heads: str) -> str:
    """Pages that differ in their heads, with "Next" in the same place."""
    return f"""{HEAD}<h2 id="head"></h2><p><button onclick="next()">Next</button></p><script>
let at = 0; const heads = {json.dumps(heads)}; shown("head").textContent = heads[0];
function next() {{
  act(heads[at], "Passed " + heads[at]); at += 1;
  shown("head").textContent = heads[at] || "Finished here";
}}</script>"""


class Pages(PageServer):
    """Serves files that may change, late if wanted, and keeps all that was told."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.late = 0.0
        self.all: list[Any] = []

    def answer(self, request: Request) -> Response:
        if request.method == "POST":
            self.all.append(request.json)
        elif self.late:
            time.sleep(self.late)
        return super().answer(request)


@dataclass
class Attack:
    """A page, the workflow on it, and what replays it."""

    folder: Path
    pages: Path
    server: Pages
    case: Case
    replays: Replays
    decider: ScriptedDecider
    display: str = "private"
    entry: Entry | None = None

    def show(self, html: str) -> None:
        """The page as it is from now on."""
        (self.pages / "page.html").write_text(html, encoding="utf-8")

    def record(self, context: FakeContext | None = None) -> Any:
        """Carry it out once; tells its state."""
        run = self.replays.run(self.case, context, display=self.display)
        assert (run.outcome, run.reason) == (RunOutcome.SUCCEEDED, "")
        self.server.wait_for(lambda: bool(self.server.all))
        reported = self.server.all[-1]
        self.server.all.clear()
        (self.entry,) = self.entries.newest(10)
        return reported

    @property
    def entries(self) -> SqlEntryStore:
        """What is kept."""
        assert self.replays.reloading is not None
        return self.replays.reloading.entries

    def replay(self, *, skip: Sequence[int] = (), **request: Any) -> Run:
        """Do it again, as if never before; who takes over does nothing."""
        self.server.all.clear()
        self.entries.forget_all()
        assert self.entry is not None
        kept = self.entries.keep(self.entry, keys_of(self.entry))
        values = request.pop("values", {})
        reload = ReplayRequest(cache_id=kept.id, skip_indices=tuple(skip), values=values)
        context = request.pop("context", None)
        asked = {"reload": reload, "provider": "nobody", "display": self.display} | request
        return self.replays.run(self.case, context, **asked)

    def await_reports(self) -> list[Any]:
        """The same, once it is anything."""
        self.server.wait_for(lambda: bool(self.server.all))
        return self.read_reports

    @property
    def read_reports(self) -> list[Any]:
        """What the page told since it was recorded."""
        with self.server.lock:
            return list(self.server.all)


@contextlib.contextmanager
def attacked(
    folder: Path,
    html: str = GIFT_DESK,
    steps: Sequence[dict[str, Any]] = STEPS,
    outcome: str = SAVED,
    *,
    parameters: Mapping[str, str] = PERSONS,
    sensitive: Sequence[str] = (),
    **options: Any,
) -> Generator[Attack]:
    """A page of that kind on a server of its own, not recorded yet."""
    pages = folder / "pages"
    pages.mkdir(parents=True)
    handed = ScriptedDecider(repeat(propose(Done(result="It was handed over.", succeeded=False))))
    deciders: dict[str, Callable[[str | None], Decider]] = {"nobody": lambda _model: handed}
    replays = Replays(folder, deciders, reload=True, **options)
    with contextlib.closing(replays), Pages(pages) as server:
        case = made_case(
            folder / "workflow",
            (f"Open the desk. Expected outcome: {OPENED}", [opening(f"{server.url}/page.html")]),
            (f"Save it. Expected outcome: {outcome}", list(steps)),
            criteria=outcome,
            params=parameters,
            sensitive=sensitive,
            task_description_user="Save a gift",
        )
        made = Attack(folder, pages, server, case, replays, handed)
        made.show(html)
        yield made
