"""Which files of a project its rules speak of."""

import os
from pathlib import Path

import pytest

from core.errors import InvalidRequest
from core.rules import Rules, matching_videos

FILES = (
    "test-output/a.mp4",
    "test-output/deep/er/b.mp4",
    "test-output/c.webm",
    "test-output/c.webm.VaiderInteractions/frames/d.mp4",
    "test-output/notes.txt",
    "test-results/e.WEBM",
    "other/[1].mp4",
)


def project(root: Path) -> Path:
    for age, name in enumerate(FILES):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
        os.utime(path, (1_000_000 + age, 1_000_000 + age))
    return root


def found(root: Path, pattern: str) -> list[str]:
    return [path.relative_to(root).as_posix() for path in matching_videos(Rules(video_trigger_pattern=pattern), root)]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("test-output/**/*.mp4", ["test-output/deep/er/b.mp4", "test-output/a.mp4"]),
        ("test-output/*.mp4", ["test-output/a.mp4"]),
        ("./test-output/?.{mp4,webm}", ["test-output/c.webm", "test-output/a.mp4"]),
        ("test-{output,results}/*.[wW]*", ["test-results/e.WEBM", "test-output/c.webm"]),
        ("**/*.mp4", ["other/[1].mp4", "test-output/deep/er/b.mp4", "test-output/a.mp4"]),
        ("test-output/**", ["test-output/c.webm", "test-output/deep/er/b.mp4", "test-output/a.mp4"]),
        ("other/[[]1].mp4", ["other/[1].mp4"]),
        ("other/[!a]*.mp4", ["other/[1].mp4"]),
        ("nowhere/*.mp4", []),
        ("**/*.txt", []),
    ],
)
def test_a_pattern_finds_its_videos_newest_first(tmp_path: Path, pattern: str, names: list[str]) -> None:
    assert found(project(tmp_path), pattern) == names


def test_no_link_leads_out_of_the_project(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.mp4").write_bytes(b"x")
    root = tmp_path / "project"
    (root / "videos").mkdir(parents=True)
    (root / "videos" / "mine.mp4").write_bytes(b"x")
    (root / "videos" / "link.mp4").symlink_to(outside / "secret.mp4")
    (root / "videos" / "dangling.mp4").symlink_to(root / "gone.mp4")
    (root / "videos" / "folder").symlink_to(outside)
    (root / "linked").symlink_to(outside)
    assert found(root, "**/*.mp4") == ["videos/mine.mp4"]
    assert found(root, "linked/*.mp4") == []


def test_a_pattern_of_too_many_patterns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="more than 64"):
        found(tmp_path, "{a,b}" * 10 + ".mp4")
