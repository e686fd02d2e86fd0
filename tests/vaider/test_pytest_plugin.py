"""The pytest plugin in a project of its own, with the real pytest-playwright and a real browser."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import playwright
import pytest

from tests.fakes.videos.playwright_browsers import browsers_of

PROJECT = '''
import pytest

PAGE = """<body style="font:24px sans-serif;background:#fff"><h1>Shop</h1>
<button onclick="setTimeout(()=>{document.querySelector('p').textContent='%s'},300)">Place order</button><p></p>"""


def order(page, said):
    page.set_viewport_size({"width": 800, "height": 450})
    page.set_content(PAGE % said)
    page.wait_for_timeout(600)
    page.click("text=Place order")
    page.wait_for_timeout(1200)


@pytest.mark.vaider('"Order confirmed" appears')
def test_green_and_seen(page):
    order(page, "Order confirmed")


def test_green_but_not_seen(page, vaider_expect):
    vaider_expect('"Order confirmed" appears')
    order(page, "Payment failed")


def test_red(page):
    order(page, "Payment failed")
    assert page.text_content("p") == "Order confirmed"


def test_green_that_expects_nothing(page):
    order(page, "Order confirmed")
'''
BROWSER = """
import pytest


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    return {**browser_type_launch_args, "executable_path": %r, "args": ["--no-sandbox"]}
"""


TWICE = """

@pytest.fixture(scope="session")
def browser_type(playwright):
    return playwright.chromium  # whatever it is called


def pytest_runtest_protocol(item, nextitem):
    # As plugins do that try again.
    from _pytest.runner import runtestprotocol

    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    if any(each.failed for each in reports):
        item._initrequest()
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
    for each in reports:
        item.ihook.pytest_runtest_logreport(report=each)
    return True
"""
FLAKY = """

def test_refused(page):
    from playwright.sync_api import expect

    order(page, "Payment failed")
    expect(page.locator("p")).to_have_text("Order confirmed", timeout=500)


def test_flaky(page, vaider_expect, tmp_path_factory):
    vaider_expect('"Order confirmed" appears')
    tried = tmp_path_factory.getbasetemp() / "tried"
    order(page, "Order confirmed" if tried.exists() else "Payment failed")
    tried.touch()
    assert page.text_content("p") == "Order confirmed"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with tests, and this machine's ffmpeg where Playwright looks for its own."""
    (tmp_path / "test_shop.py").write_text(PROJECT)
    (tmp_path / "conftest.py").write_text(BROWSER % os.environ.get("CHROMIUM_PATH", "/usr/bin/chromium"))
    # As the folders of ours are called: what a project calls so is another thing.
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "__init__.py").write_text("raise ImportError('the project\\'s own')\n")
    browsers_of(tmp_path, Path(playwright.__file__).parent / "driver/package/browsers.json")
    return tmp_path


def run(project: Path, *options: str) -> tuple[int, str]:
    """Run the project's tests; the exit code, and what the terminal shows."""
    environment = {
        **os.environ,
        "PLAYWRIGHT_BROWSERS_PATH": str(project / "browsers"),
        "VAIDER_DATA_DIR": str(project / "data"),
        "VAIDER_PORT": "1",
        "NO_COLOR": "1",
    }
    command = [sys.executable, "-m", "pytest", "-p", "vaider", "-W", "ignore", *options]
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    return done.returncode, done.stdout + done.stderr


def properties(report: Path) -> dict[str, str]:
    """What JUnit's report has of us for each test."""
    found: dict[str, str] = {}
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - pytest wrote it
        for each in case.iter("property"):
            if each.get("name") == "vaider":
                found[str(case.get("name")).partition("[")[0]] = str(each.get("value"))
    return found


def about(test: str, out: str) -> Sequence[str]:
    """What the summary says of a test."""
    summary = out.partition("vaider: what the videos show")[2]
    return summary.partition(f"::{test}[")[2].partition("\n\n")[0].splitlines()[1:]


@pytest.mark.nightly
@pytest.mark.screen
def test_a_videos_contradiction_and_a_failures_timeline_are_in_every_report(project: Path) -> None:
    code, out = run(
        project, "--video=on", "--vaider", "--junitxml=junit.xml", "--html=report.html", "--self-contained-html"
    )
    kept = properties(project / "junit.xml")
    assert code == 1
    assert "1 failed, 3 passed" in out, "a warning is no error"
    assert about("test_green_and_seen", out)[0] == "passed, and its video shows:"
    assert about("test_green_but_not_seen", out)[0] == "passed, but its video contradicts it:"
    assert about("test_green_but_not_seen", out)[1].startswith('fail    "Order confirmed" appears')
    assert about("test_red", out)[0] == "failed; its video shows:"
    assert any('"Payment failed" appeared.' in line for line in about("test_red", out))
    assert not about("test_green_that_expects_nothing", out), "what asks nothing is not watched"
    assert "watching 3 videos took" in out
    assert set(kept) == {"test_green_and_seen", "test_green_but_not_seen", "test_red"}
    assert "contradicts it" in kept["test_green_but_not_seen"]
    assert "its video contradicts it" in (project / "report.html").read_text()


@pytest.mark.nightly
@pytest.mark.screen
def test_a_contradicted_test_is_an_error_where_that_is_wanted(project: Path) -> None:
    code, out = run(project, "--video=on", "--vaider=fail", "-k", "green_but_not_seen")
    assert code == 1
    assert "1 passed, 3 deselected, 1 error" in out
    assert "The video contradicts the test, which passed:" in out


@pytest.mark.nightly
@pytest.mark.screen
def test_the_browsers_of_a_test_stand_together_and_of_a_test_tried_again_the_last_attempt_counts(project: Path) -> None:
    (project / "conftest.py").write_text((project / "conftest.py").read_text() + TWICE)
    (project / "test_shop.py").write_text(PROJECT + FLAKY)
    browsers = ["--browser", "chromium", "--browser", "firefox"]
    code, out = run(project, "--video=on", "--tracing=on", "--vaider", *browsers, "-k", "refused or flaky")
    assert code == 1
    assert "2 failed, 2 passed" in out
    said = [
        line
        for line in out.partition("what the videos show")[2].splitlines()
        if line.startswith(("test_", "fai", "pas"))
    ]
    assert said[:4] == [
        "test_shop.py::test_refused[chromium]",
        "failed; its video shows:",
        "test_shop.py::test_refused[firefox]",
        "failed for the same reason as test_shop.py::test_refused[chromium]",
    ]
    assert about("test_flaky", out)[:1] == ["passed, and its video shows:"]


@pytest.mark.programs
def test_without_the_option_marks_and_fixture_do_nothing_and_nothing_heavy_is_imported(tmp_path: Path) -> None:
    (tmp_path / "test_plain.py").write_text(
        "import sys\nimport pytest\n\n\n"
        "@pytest.mark.vaider('\"Saved\" appears')\n"
        "def test_plain(vaider_expect):\n"
        "    vaider_expect('\"Done\" appears')\n"
        "    assert not {'server', 'core', 'pydantic', 'vaider.watcher'} & set(sys.modules)\n"
    )
    code, out = run(tmp_path, "--strict-markers", "-q")
    assert code == 0, out
    assert "1 passed" in out
    assert "vaider" not in out


@pytest.mark.nightly
@pytest.mark.programs
def test_where_no_videos_are_recorded_the_summary_says_how_they_are(tmp_path: Path) -> None:
    (tmp_path / "test_plain.py").write_text("def test_plain():\n    pass\n")
    code, out = run(tmp_path, "--vaider", "-q")
    assert code == 0, out
    assert "no videos were recorded; add --video=on" in out
