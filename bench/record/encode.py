"""Turns footage into video files with a constant frame rate."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from bench.record.recorder import Footage


@dataclass(frozen=True)
class Profile:
    """How a clip is encoded; ``size`` scales it, ``arguments`` are ffmpeg's."""

    fps: int
    suffix: str
    arguments: tuple[str, ...]
    size: tuple[int, int] | None = None


H264 = ("-c:v", "libx264", "-preset", "slow", "-crf", "23", "-pix_fmt", "yuv420p", "-movflags", "+faststart")
# What Playwright's own recorder passes to its ffmpeg, word for word; the pixel format it gets from its JPEG input.
VP8 = ("-c:v", "vp8", "-qmin", "0", "-qmax", "50", "-crf", "8", "-deadline", "realtime", "-speed", "8",
       "-b:v", "1M", "-threads", "1", "-pix_fmt", "yuv420p")  # fmt: skip

PROFILES = {
    "desktop": Profile(25, ".mp4", H264),
    "slow": Profile(2, ".mp4", H264),
    "webm": Profile(25, ".webm", VP8),
    "playwright": Profile(25, ".webm", VP8, (800, 450)),
}


def encode(footage: Footage, profile: Profile, path: Path) -> int:
    """Write the clip; frame ``k`` is what stood on the screen ``k / fps`` seconds after the recording began.

    Returns:
        The number of frames.

    """
    count = int((footage.ended - footage.started) * profile.fps)
    source = ["-f", "rawvideo", "-pix_fmt", "bgr0", "-s", f"{footage.width}x{footage.height}"]
    scale = ["-vf", f"scale={profile.size[0]}:{profile.size[1]}:flags=bilinear"] if profile.size else []
    command = ["ffmpeg", "-loglevel", "error", "-y", *source, "-r", str(profile.fps), "-i", "pipe:0", "-an"]
    command += [*scale, *profile.arguments, "-fflags", "+bitexact", "-flags:v", "+bitexact", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as encoder:
        if encoder.stdin is None:
            raise RuntimeError("ffmpeg has no input.")
        for number in range(count):
            encoder.stdin.write(footage.at(footage.started + number / profile.fps).tobytes())
        encoder.stdin.close()
        if encoder.wait() != 0:
            raise RuntimeError(f"ffmpeg could not write {path.name}.")
    return count
