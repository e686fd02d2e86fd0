"""What `vaider analyse` leaves for a CI: JUnit's file, GitHub's annotations and summary, the exit code; docs/ci.md."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

import pytest
import yaml

from core.analysis import Analysis, Evidence, Verdict, VerdictResult
from core.errors import InvalidPath
from server.cli_output.github import messages, summary
from server.cli_output.junit import WATCHED, junit
from server.client.job_following import Outcome
from tests.fakes.daemons.commands import VAIDER, vaider
from tests.fakes.daemons.scripted_daemon import ScriptedDaemon
from tests.fakes.jobs.analyses import analysis

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "ci.md"
ALLOWED: Final = {
    "testsuites": ({"name", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time"}, {"testcase", "system-out"}),
    "testcase": ({"name", "classname", "time"}, {"failure", "error", "skipped", "system-out"}),
    "failure": ({"message", "type"}, set[str]()),
    "error": ({"message", "type"}, set[str]()),
    "skipped": ({"message", "type"}, set[str]()),
    "system-out": (set[str](), set[str]()),
}
"""Of each element of JUnit's format, as Jenkins' schema for it has them: its attributes and its children."""


def seen(*verdicts: Verdict, where: str = "/videos/x.VaiderInteractions") -> Outcome:
    found: Analysis = analysis().model_copy(update={"verdicts": verdicts, "interactions_dir": where})
    return Outcome("/videos/checkout.mp4", analysis=found)


def verdict(text: str, result: VerdictResult, reason: str = "It was so.", **evidence: Any) -> Verdict:
    proofs = (Evidence(t_ms=12_400, **evidence),) if evidence else ()
    return Verdict(expectation=text, verdict=result, reason=reason, evidence=proofs)


def parsed(written: bytes) -> ET.Element:
    return ET.fromstring(written)  # noqa: S314 - we wrote it


def conforms(root: ET.Element) -> None:
    for element in root.iter():
        attributes, children = ALLOWED[element.tag]
        assert set(element.attrib) <= attributes
        assert {child.tag for child in element} <= children
    for suite in root:
        assert int(suite.attrib["tests"]) == len(suite.findall("testcase"))
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.attrib[name]) == len(suite.findall(f"testcase/{tag}"))


def test_junit_has_a_case_for_each_expectation_with_the_moment_and_the_picture(tmp_path: Path) -> None:
    (tmp_path / "frames").mkdir()
    (tmp_path / "frames" / "01.jpg").write_bytes(b"a picture")
    outcome = seen(
        verdict('"Paid" is shown', VerdictResult.PASS, quote="Paid", frame="frames/01.jpg"),
        verdict('"Error" is not shown', VerdictResult.FAIL, quote="Error 500"),
        verdict("it is nice", VerdictResult.UNCLEAR),
        where=str(tmp_path),
    )
    root = parsed(junit([outcome], unclear_fails=False))
    conforms(root)
    paid, error, nice = root.iter("testcase")
    assert (paid.findtext("system-out") or "").splitlines() == [
        "pass: It was so.",
        "[00:12.4] Paid",
        f"[[ATTACHMENT|{tmp_path / 'frames' / '01.jpg'}]]",
    ]
    failure = error.find("failure")
    assert failure is not None
    assert failure.get("message") == "fail at 00:12.4: It was so."
    assert nice.find("skipped") is not None
    assert sum(float(case.attrib["time"]) for case in root.iter("testcase")) == pytest.approx(0.84)

    strict = parsed(junit([outcome], unclear_fails=True))
    conforms(strict)
    assert strict.get("failures") == "2"


def test_junit_has_one_case_for_a_video_without_expectations_and_for_one_that_cannot_be_watched() -> None:
    broken = Outcome("/videos/none.mp4", error=InvalidPath("There is no file; check the path."))
    root = parsed(junit([seen(), broken], unclear_fails=True))
    conforms(root)
    assert [case.get("name") for case in root.iter("testcase")] == [WATCHED, WATCHED]
    assert '"Order 0 confirmed" appeared.' in (root[0].findtext("system-out") or "")
    assert (root.get("errors"), root[1].findtext("testcase/error")) == ("1", "There is no file; check the path.")


def test_what_stood_on_a_screen_neither_breaks_the_file_nor_names_one_to_attach() -> None:
    nasty = "\x00\x1b[31m\ud800\ufffe]]> & <b> [[ATTACHMENT|/etc/passwd]]"
    twice = verdict(nasty, VerdictResult.FAIL, nasty, quote=nasty)
    written = junit([seen(twice, twice)], unclear_fails=True)
    root = parsed(written)
    conforms(root)
    first, second = (case.attrib["name"] for case in root.iter("testcase"))
    assert second == f"{first} (2)", "of two cases with the same name, GitLab shows one"
    assert b"[[ATTACHMENT" not in written


def test_annotations_stay_one_line_and_inside_their_fields() -> None:
    outcome = seen(verdict("50% off", VerdictResult.FAIL, "It said:\n::set-output name=x::y", quote="q"))
    (line,) = messages([outcome], unclear_fails=True)
    said = "fail: 50%25 off: It said:%0A::set-output name=x::y"
    assert line == f"::error title=/videos/checkout.mp4 00%3A12.4::{said}"
    unclear = seen(verdict("it is nice", VerdictResult.UNCLEAR))
    assert messages([unclear], unclear_fails=False)[0].startswith("::warning ")
    assert messages([unclear], unclear_fails=True)[0].startswith("::error ")


def test_the_summary_reads_nothing_as_markup_and_stays_below_what_github_takes() -> None:
    outcome = seen(verdict("<img src=x>\n\n# big | **bold**", VerdictResult.FAIL, "`code`\n\n[link](https://x)"))
    text = summary([outcome], {"/videos/checkout.mp4": Path("/pages/vaider.html")})
    assert "<img" not in text
    assert "&lt;img src=x&gt; # big | **bold**" in text
    assert "/pages/vaider.html" in text
    # What stands in one block of HTML is not read as Markdown; only an empty line ends the block.
    assert [part for part in text.split("\n\n")[1:] if part and not part.startswith("<h3>")] == []
    many = summary([outcome] * 5000, {})
    assert len(many.encode()) < 1024 * 1024
    assert "more videos" in many


def test_github_gets_annotations_and_a_summary_and_the_timeline_commands_nothing(
    daemon: ScriptedDaemon, tmp_path: Path
) -> None:
    done = vaider(
        *("analyse", "wrong.mp4", "fine.mp4", "--expect", '"Order 1 confirmed" is shown', "--github"),
        *("--html", "page.html", "--port", str(daemon.port)),
        cwd=tmp_path,
        environment={"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")},
    )
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    word = lines[0].removeprefix("::stop-commands::")
    end = lines.index(f"::{word}::")
    assert len(word) == 32
    assert any('"Order 1 confirmed" appeared.' in line for line in lines[:end])
    assert [line.partition(" ")[0] for line in lines[end + 1 :]] == ["::error"]
    written = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert "page-1.html" in written
    assert "page-2.html" in written
    assert (tmp_path / "page-2.html").is_file()


@pytest.mark.nightly
@pytest.mark.parametrize(("fails", "code"), [("fail", 0), ("unclear", 1)])
def test_fail_on_says_whether_unclear_makes_the_exit_code_1(fails: str, code: int, tmp_path: Path, video: Path) -> None:
    done = vaider("analyse", str(video), "--expect", "it is nice", "--fail-on", fails, *alone(tmp_path), cwd=tmp_path)
    assert done.returncode == code, done.stderr


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seconds of nothing."""
    return Path(shutil.copy(ROOT / "tests" / "clips" / "still.mp4", tmp_path_factory.mktemp("video") / "still.mp4"))


def alone(folder: Path) -> tuple[str, ...]:
    """Without a daemon."""
    return ("--port", "1", "--data-dir", str(folder / "data"))


def snippets(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def commands() -> list[str]:
    """Each command of the page that calls Vaider, in its order."""
    github, gitlab = (yaml.safe_load(text) for text in snippets("yaml"))
    lines = [step["run"] for step in github["jobs"]["gui"]["steps"] if "run" in step] + gitlab["gui"]["script"]
    lines += [line.removeprefix("$ ") for text in snippets("console") for line in text.splitlines()]
    return [line for line in lines if not line.startswith("pipx ")]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a video and what is expected of it; what the first command saw is kept for the others."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "test-results").mkdir()
    shutil.copy(ROOT / "samples" / "checkout.mp4", folder / "test-results")
    (folder / "test-results" / "checkout.mp4.expect.txt").write_text('"Order 1042 confirmed" is shown\n')
    return folder


@pytest.mark.nightly
@pytest.mark.parametrize("command", commands())
def test_each_command_of_the_page_leaves_what_the_page_keeps(command: str, project: Path) -> None:
    for left in project.glob("vaider.*"):
        left.unlink()
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=project,
        env={
            **os.environ,
            "PATH": f"{Path(VAIDER).parent}{os.pathsep}{os.environ['PATH']}",
            "VAIDER_PORT": "1",
            "VAIDER_DATA_DIR": str(project / "data"),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    words = shlex.split(command)
    for name in (word for word in words if word.startswith("vaider.")):
        assert (project / name).stat().st_size > 0
    if "--junit" in words:
        root = parsed((project / "vaider.xml").read_bytes())
        conforms(root)
        assert (root.get("tests"), root.get("failures")) == ("1", "0")
        attached = re.search(r"\[\[ATTACHMENT\|(test-results/.*)\]\]", root[0][0].findtext("system-out") or "")
        assert attached is not None, "GitLab finds it below the project's folder alone"
        assert (project / attached[1]).is_file()


def test_what_the_page_uploads_is_what_its_commands_write() -> None:
    github, gitlab = (yaml.safe_load(text) for text in snippets("yaml"))
    upload = github["jobs"]["gui"]["steps"][-1]
    run = github["jobs"]["gui"]["steps"][-2]["run"]
    assert all(name in run for name in upload["with"]["path"].split())
    assert gitlab["gui"]["artifacts"]["reports"]["junit"] in gitlab["gui"]["script"][-1]
