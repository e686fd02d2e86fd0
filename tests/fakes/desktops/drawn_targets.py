"""Eyes for targets on a ``DrawnDesktop``: a target is the words of its row, and is wherever these words stand once."""

import base64
from collections.abc import Sequence

from core.reload.entry import Anchor
from core.reload.ports import Found, Missing, Reader
from core.screens import Box, Picture, Point, TextLine, Window


class DrawnTargets:
    """Implements ``core.reload.ports.Targets``."""

    def cut(
        self, picture: Picture, target: Point | Box, within: Box, *, ignore: Sequence[Box], reader: Reader
    ) -> Anchor | None:
        point = target.centre if isinstance(target, Box) else target
        line = next((each for each in reader.read(picture) if each.box.contains(point)), None)
        if line is None or any(line.box.overlap(box) for box in ignore):
            return None
        return Anchor(
            image=base64.b64encode(line.text.encode()).decode(),
            core=Box(x=0, y=0, width=line.box.width, height=line.box.height),
            point=Point(x=point.x - line.box.x, y=point.y - line.box.y),
            place=Point(x=point.x - within.x, y=point.y - within.y),
            words=line.text,
        )

    def find(
        self, anchor: Anchor, picture: Picture, within: Box, *, reader: Reader, far: bool = True
    ) -> Found | Missing:
        del far
        lines = [each for each in reader.read(picture) if each.text == anchor.words]
        if len(lines) != 1:
            return Missing("it is there more than once" if lines else f'no "{anchor.words}" is seen')
        return _found(anchor, lines[0], within)

    def crop(self, picture: Picture, box: Box) -> str:
        del picture, box
        return ""

    def same(self, image: str, picture: Picture, box: Box) -> bool:
        del image, picture, box
        return True


def _found(anchor: Anchor, line: TextLine, within: Box) -> Found:
    point = Point(x=line.box.x + anchor.point.x, y=line.box.y + anchor.point.y)
    is_same = (point.x - within.x, point.y - within.y) == (anchor.place.x, anchor.place.y)
    return Found(point, "same_place" if is_same else "moved", line.box)


class NamedPrograms:
    """Implements ``core.reload.ports.Programs``: programs as a test names them, by the window's id."""

    def __init__(self, names: dict[int, str] | None = None) -> None:
        self.names = names or {}

    def program(self, window: Window) -> str:
        return self.names.get(window.id, "")
