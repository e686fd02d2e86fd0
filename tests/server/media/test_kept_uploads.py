import os
import time
from pathlib import Path

import pytest

from server.media.playable import MARK, KeptUploads

DAY = 24 * 3600


@pytest.fixture
def uploads(tmp_path: Path) -> KeptUploads:
    return KeptUploads(tmp_path, keep_days=7, keep_bytes=2500)


def upload(folder: Path, name: str, *, days: float = 0) -> Path:
    """An upload of 1000 bytes that is kept since so many days."""
    path = folder / name / "clip.mp4"
    path.parent.mkdir()
    path.write_bytes(bytes(1000))
    mark = path.parent / MARK
    mark.touch()
    since = time.time() - days * DAY
    os.utime(mark, (since, since))
    return path


def test_what_is_older_than_allowed_goes(uploads: KeptUploads, tmp_path: Path) -> None:
    old, young = upload(tmp_path, "a", days=7.1), upload(tmp_path, "b", days=6.9)

    uploads.trim()

    assert (old.exists(), young.exists()) == (False, True)


def test_the_oldest_make_room_for_what_comes(uploads: KeptUploads, tmp_path: Path) -> None:
    oldest, older, newest = (upload(tmp_path, name, days=days) for name, days in (("a", 3), ("b", 2), ("c", 1)))

    uploads.keep(newest)

    assert (oldest.exists(), older.exists(), newest.exists()) == (False, True, True)


def test_without_a_limit_of_bytes_none_goes_for_room(tmp_path: Path) -> None:
    paths = [upload(tmp_path, name) for name in "abcd"]

    KeptUploads(tmp_path, keep_days=7, keep_bytes=0).trim()

    assert all(path.exists() for path in paths)


def test_what_a_job_reads_stays_until_it_is_read(uploads: KeptUploads, tmp_path: Path) -> None:
    old = upload(tmp_path, "a", days=8)

    with uploads.held(old):
        uploads.trim()
        assert old.exists()
    uploads.trim()

    assert not old.exists()


def test_asking_about_it_once_more_keeps_it_from_then_on(uploads: KeptUploads, tmp_path: Path) -> None:
    old = upload(tmp_path, "a", days=8)

    uploads.keep(old)

    assert old.exists()


def test_what_is_not_ours_is_neither_kept_nor_removed(uploads: KeptUploads, tmp_path: Path) -> None:
    own = tmp_path / "deep" / "er" / "clip.mp4"
    own.parent.mkdir(parents=True)
    own.write_bytes(b"1")
    (tmp_path / "link").symlink_to(own.parent)

    uploads.keep(own)
    uploads.let_go(own)

    assert not uploads.discard(own)
    assert [path.name for path in own.parent.iterdir()] == ["clip.mp4"]
    assert uploads.folders() == set()


def test_only_what_was_never_kept_is_let_go(uploads: KeptUploads, tmp_path: Path) -> None:
    kept, failed = upload(tmp_path, "a"), upload(tmp_path, "b")
    (failed.parent / MARK).unlink()

    uploads.let_go(kept)
    uploads.let_go(failed)

    assert (kept.exists(), failed.parent.exists()) == (True, False)
