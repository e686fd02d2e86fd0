from collections.abc import Callable, Iterator

import pytest

from core.analysis import Video
from tests.adapters.models.clip_helpers import describe, write_video
from tests.fakes.models.gemini import FakeGemini


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Video]:
    """Makes a clip of two seconds in the named container, once."""
    folder = tmp_path_factory.mktemp("clips")
    coders = {
        "mp4": ("libx264", "yuv420p"),
        "mov": ("libx264", "yuv420p"),
        "avi": ("mpeg4", "yuv420p"),
        "webm": ("libvpx", "yuv420p"),
        "mkv": ("libx264", "yuv420p"),
        "gif": ("gif", "rgb8"),
    }

    def make(kind: str) -> Video:
        path = folder / f"clip.{kind}"
        if not path.exists():
            write_video(path, codec=coders[kind][0], pixel_format=coders[kind][1])
        return describe(path)

    return make


@pytest.fixture
def clip(clips: Callable[[str], Video]) -> Video:
    return clips("mp4")


@pytest.fixture
def gemini() -> Iterator[FakeGemini]:
    with FakeGemini() as server:
        yield server
