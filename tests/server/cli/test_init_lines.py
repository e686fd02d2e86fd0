"""``vaider init`` adds its lines to files of a project that are not ours, and harms nothing in them."""

import subprocess
from pathlib import Path

import pytest

from tests.fakes.daemons.commands import vaider

BEGIN, END, IGNORED = "<!-- vaider:begin -->", "<!-- vaider:end -->", "*.VaiderInteractions/"


def init(project: Path, *arguments: str, code: int = 0) -> str:
    done = vaider("init", *arguments, cwd=project)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder under git."""
    (tmp_path / "project").mkdir()
    subprocess.run(["git", "init", "--quiet", "."], cwd=tmp_path / "project", check=True)
    return tmp_path / "project"


def test_agents_are_told_in_a_marked_block_and_git_ignores_the_logs(project: Path) -> None:
    init(project)
    for name in ("AGENTS.md", "CLAUDE.md"):
        text = (project / name).read_text()
        assert text.startswith(BEGIN)
        assert text.endswith(f"{END}\n")
        assert "analyse_video" in text
    (project / "test-results" / "a.webm.VaiderInteractions").mkdir(parents=True)
    (project / "test-results" / "a.webm.VaiderInteractions" / "timeline.md").touch()
    ignored = ["git", "check-ignore", "--quiet", "test-results/a.webm.VaiderInteractions/timeline.md"]
    assert subprocess.run(ignored, cwd=project, check=False).returncode == 0


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_what_is_there_stays_and_doing_it_again_changes_nothing(project: Path, ending: str) -> None:
    (project / "AGENTS.md").write_bytes(f"# Rules{ending}{ending}Be kind.".encode())
    (project / ".gitignore").write_bytes(f"dist/{ending}".encode())
    init(project)
    agents, ignored = (project / "AGENTS.md").read_bytes(), (project / ".gitignore").read_bytes()
    assert agents.startswith(f"# Rules{ending}{ending}Be kind.{ending}{ending}{BEGIN}{ending}".encode())
    assert agents.count(b"\n") == agents.count(ending.encode())
    assert ignored.decode() == f"dist/{ending}{IGNORED}{ending}"
    init(project)
    assert ((project / "AGENTS.md").read_bytes(), (project / ".gitignore").read_bytes()) == (agents, ignored)


def test_a_block_that_somebody_edited_is_theirs(project: Path) -> None:
    own = f"{BEGIN}\nOnly on Fridays.\n{END}\n"
    (project / "AGENTS.md").write_text(own)
    assert "already" in init(project)
    assert (project / "AGENTS.md").read_text() == own


def test_one_client_gets_what_it_reads_and_nothing_is_said_twice(project: Path) -> None:
    init(project, "--client", "claude-code")
    assert not (project / "AGENTS.md").exists()
    (project / "CLAUDE.md").write_text("@AGENTS.md\n")
    init(project)
    assert (project / "CLAUDE.md").read_text() == "@AGENTS.md\n"
    assert BEGIN in (project / "AGENTS.md").read_text()


def test_a_link_to_the_other_file_stays_one_and_one_out_of_the_project_is_left_alone(project: Path) -> None:
    (project / "AGENTS.md").write_text("# Rules\n")
    (project / "CLAUDE.md").symlink_to("AGENTS.md")
    init(project)
    assert (project / "CLAUDE.md").is_symlink()
    assert (project / "AGENTS.md").read_text().count(BEGIN) == 1
    (project.parent / "shared.md").write_text("# Everybody's\n")
    (project / "CLAUDE.md").unlink()
    (project / "CLAUDE.md").symlink_to(project.parent / "shared.md")
    assert "leads out of the project" in init(project, code=2)
    assert (project.parent / "shared.md").read_text() == "# Everybody's\n"


def test_without_git_nothing_is_ignored_and_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert BEGIN in init(tmp_path / "plain", "--dry-run")
    assert list((tmp_path / "plain").iterdir()) == []
    init(tmp_path / "plain")
    assert not (tmp_path / "plain" / ".gitignore").exists()
