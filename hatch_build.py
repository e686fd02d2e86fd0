"""Copies data out of packages that are there only while Vaider's wheel is built.

Vaider reads the text reader's models and the vectors of words from files, and runs none of the code that they were
published with. So those packages are build requirements, which pip, uv and pipx put into an environment of their own
and drop afterwards; they would bring 15 more packages along, of which none is ever imported.
"""

from __future__ import annotations

from importlib.metadata import files
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CARRIED = {
    "rapidocr": ("PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx", "LICENSE", "MODEL_LICENSES.md"),
    "wordllama": ("l2_supercat_256.safetensors", "l2_supercat_tokenizer_config.json", "LICENSE"),
}
"""The files of each package, by their names, which none of its other files has; with the licences that go with them."""


class CarriedData(BuildHookInterface[Any]):
    """Adds the files as ``vaider_data/<package>/<name>``, to an editable installation too."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """See hatchling. Raises ``FileNotFoundError`` when a package does not have a file."""
        included = build_data["force_include_editable" if version == "editable" else "force_include"]
        for package, names in CARRIED.items():
            found = {path.name: path for path in files(package) or () if path.name in names}
            if missing := set(names) - set(found):
                raise FileNotFoundError(f"{package} does not carry {', '.join(sorted(missing))}")
            for name, path in found.items():
                included[str(path.locate())] = f"vaider_data/{package}/{name}"
