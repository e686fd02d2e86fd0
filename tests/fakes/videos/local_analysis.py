"""A local analysis as a program: ``python -m tests.fakes.videos.local_analysis VIDEO FOLDER`` prints the findings.

With ``kept`` behind it, by a process that would wait for the next video.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from adapters.video.local import LocalAnalyser
from adapters.video.process.child import keep_child
from adapters.video.video_files import VideoFile
from tests.fakes.jobs.contexts import FakeContext

MAX_BYTES, MAX_SECONDS, MAX_PIXELS = 1 << 30, 300, 33_177_600


@dataclass(frozen=True)
class Pictures:
    """Implements ``core.ports.FrameFolder``."""

    directory: Path
    prefix: str = "01_"
    relative: str = "frames"


def main() -> None:
    """Analyse, and print ``{"video": …, "findings": …}``."""
    path, folder = map(Path, sys.argv[1:3])
    video = VideoFile(max_bytes=MAX_BYTES, max_seconds=MAX_SECONDS, max_pixels=MAX_PIXELS).inspect(path)
    kept = keep_child() if "kept" in sys.argv[3:] else None
    analyser = LocalAnalyser(max_bytes=MAX_BYTES, max_seconds=MAX_SECONDS, max_pixels=MAX_PIXELS, kept=kept)
    findings = analyser.analyse(video, (), Pictures(folder), FakeContext())
    sys.stdout.write(json.dumps({"video": video.model_dump(), "findings": findings.model_dump(mode="json")}))


if __name__ == "__main__":
    main()
