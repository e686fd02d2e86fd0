"""Small clips of every kind, made in a moment: the left half red, the right half blue, the top left corner white."""

import io
import struct
import zlib
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

RED, BLUE, WHITE = (255, 0, 0), (0, 0, 255), (255, 255, 255)


def picture(width: int, height: int) -> NDArray[np.uint8]:
    """RGB, (height, width, 3)."""
    pixels = np.empty((height, width, 3), np.uint8)
    pixels[:, : width // 2] = RED
    pixels[:, width // 2 :] = BLUE
    pixels[: height // 4, : width // 4] = WHITE
    return pixels


def write_clip(
    path: Path,
    *,
    codec: str = "libx264",
    pix_fmt: str = "yuv420p",
    size: tuple[int, int] = (64, 48),
    times_ms: Sequence[int] = range(0, 1000, 100),
    rotation: int = 0,
    options: dict[str, str] | None = None,
    opacity: int = 255,
) -> Path:
    """Write a film whose container follows the path's ending, with a frame at each of the times."""
    with av.open(str(path), "w", container_options=options or {}) as container:
        stream: Any = container.add_stream(codec, rate=10)
        stream.width, stream.height, stream.pix_fmt = *size, pix_fmt
        stream.codec_context.time_base = Fraction(1, 10 if path.suffix == ".avi" else 1000)
        if rotation:
            stream.set_display_rotation(rotation)
        if opacity < 255:
            stream.metadata["alpha_mode"] = "1"
        for t_ms in times_ms:
            rgba = np.dstack([picture(*size), np.full(size[::-1], opacity, np.uint8)])
            frame: Any = av.VideoFrame.from_ndarray(rgba, format="rgba")
            frame = frame.reformat(format=pix_fmt)
            frame.time_base = stream.codec_context.time_base
            frame.pts = t_ms // 100 if path.suffix == ".avi" else t_ms
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def write_sound(path: Path) -> Path:
    """Write a second of silence, without any film."""
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("aac", rate=44_100)
        silence = av.AudioFrame.from_ndarray(np.zeros((1, 44_100), np.float32), format="fltp", layout="mono")
        silence.sample_rate = 44_100
        container.mux(stream.encode(silence))
        container.mux(stream.encode())
    return path


def write_gif(
    path: Path, *, size: tuple[int, int] = (64, 48), frames: int = 3, transparent: bool = False, delay_ms: int = 100
) -> Path:
    """Write an animated picture; when transparent, its red half can be seen through."""
    images: list[Image.Image] = []
    for n in range(frames):
        pixels = np.dstack([picture(*size), np.full(size[::-1], 255, np.uint8)])
        pixels[-1, -1] = (n * 40, 255, 0, 255)  # or equal frames are merged
        if transparent:
            pixels[:, : size[0] // 2, 3] = 0
        images.append(Image.fromarray(pixels))
    images[0].save(path, save_all=True, append_images=images[1:], duration=delay_ms, loop=0, disposal=2)
    return path


def write_gif_bomb(path: Path, *, side: int, frames: int) -> Path:
    """Write a small file of many large frames: each after the first changes one pixel. 10 frames a second."""
    Image.new("P", (side, side)).save(path)
    first = path.read_bytes().removesuffix(b";")
    shown = b"\x21\xf9\x04\x04\x0a\x00\x00\x00"
    one_pixel = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00"
    path.write_bytes(first + (shown + one_pixel) * (frames - 1) + b";")
    return path


def write_growing_size(path: Path, *, side: int, frames: int) -> Path:
    """Write a film whose first frame is tiny, and which goes on with large ones, one millisecond each."""
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("mjpeg", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuvj420p"
        stream.codec_context.time_base = Fraction(1, 1000)
        for width, height, times in ((64, 48, range(1)), (side, side, range(1, frames))):
            image = io.BytesIO()
            Image.new("RGB", (width, height)).save(image, "JPEG", subsampling="4:2:0")
            for time_ms in times:
                packet: Any = av.Packet(image.getvalue())
                packet.stream, packet.time_base, packet.is_keyframe = stream, Fraction(1, 1000), True
                packet.pts = packet.dts = time_ms
                container.mux(packet)
    return path


def write_changing_size(path: Path) -> Path:
    """Write a film that goes on in half the size."""
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("mjpeg", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuvj420p"
        stream.codec_context.time_base = Fraction(1, 1000)
        for n, (width, height) in enumerate([(64, 48), (64, 48), (32, 24)]):
            encoder: Any = av.CodecContext.create("mjpeg", "w")
            encoder.width, encoder.height, encoder.pix_fmt = width, height, "yuvj420p"
            encoder.time_base = Fraction(1, 1000)
            frame: Any = av.VideoFrame.from_ndarray(picture(width, height), format="rgb24")
            for packet in [*encoder.encode(frame.reformat(format="yuvj420p")), *encoder.encode()]:
                packet.stream, packet.time_base = stream, Fraction(1, 1000)
                packet.pts = packet.dts = n * 100
                container.mux(packet)
    return path


def write_screen(path: Path, *, lines: Sequence[tuple[int, str]], until_ms: int) -> Path:
    """Write a white screen on which lines of text appear, each at its time in milliseconds, below one another."""
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 480, 272, "yuv420p"
        for t_ms in range(0, until_ms, 100):
            screen = Image.new("RGB", (480, 272), WHITE)
            drawing = ImageDraw.Draw(screen)
            for n, (since_ms, text) in enumerate(lines):
                if since_ms <= t_ms:
                    drawing.text((30, 40 + 60 * n), text, fill=(0, 0, 0), font=ImageFont.load_default(24))
            container.mux(stream.encode(av.VideoFrame.from_image(screen)))
        container.mux(stream.encode())
    return path


def write_bomb(path: Path, *, side: int, claimed: int) -> Path:
    """Write a mov of one PNG, a huge square of a few bytes, which the container claims to be of another side."""
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(bytes(1 << 20))), (b"IEND", b"")]
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("png", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 64, "gray"
        packet: Any = av.Packet(png)
        packet.stream, packet.time_base, packet.pts, packet.dts = stream, Fraction(1, 10), 0, 0
        packet.is_keyframe = True
        container.mux(packet)
    dots_per_inch = struct.pack(">I", 72 << 16)  # follows width and height in the sample description
    return patched(
        path, struct.pack(">HH", 64, 64) + dots_per_inch, struct.pack(">HH", claimed, claimed) + dots_per_inch
    )


def patched(path: Path, old: bytes, new: bytes, *, occurrence: int = 0) -> Path:
    """Replace bytes in a file, e.g. what its header claims. Raises ``ValueError`` when they are not there."""
    content = path.read_bytes()
    at = -1
    for _ in range(occurrence + 1):
        at = content.index(old, at + 1)
    path.write_bytes(content[:at] + new + content[at + len(old) :])
    return path
