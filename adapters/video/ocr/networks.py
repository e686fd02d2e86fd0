"""The two networks of PP-OCR, as their models lie inside RapidOCR's wheel, run by onnxruntime.

RapidOCR itself is not imported: its configuration alone takes longer to load than the networks (0.9 s of 1.0), and it
was made for photographs of documents, in which lines are tilted. What it does around the networks is in
``detection.py`` and ``recognition.py``, in the form that screens need.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final, Protocol

from adapters.carried_data import carried_file
from core.errors import Internal

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.float32]
    """A batch as the networks take it: (1, 3, height, width), each value from -1 to 1."""


_PACKAGE: Final = "rapidocr"


class Network(Protocol):
    """One forward pass; may be called by several threads at once."""

    def __call__(self, pixels: Pixels) -> NDArray[np.float32]:
        """The network's only output."""
        ...


class OnnxNetwork:
    """A model file that was published with RapidOCR.

    Args:
        task: ``det`` or ``rec``, as the file's name says.
        threads: how many share one call.

    Raises:
        Internal: there is no such model.

    """

    def __init__(self, task: str, *, threads: int = 1) -> None:
        # Newer wheels than the pinned ones send telemetry unless this is set before the import.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        import onnxruntime  # noqa: PLC0415 - the daemon starts without it

        runtime: Any = onnxruntime
        options = runtime.SessionOptions()
        options.log_severity_level = 4
        # Threads that spin while they wait halve the speed of a machine that has other work. The arena keeps the
        # largest picture's memory for good, and saves no time.
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.enable_cpu_mem_arena = False
        self._session = runtime.InferenceSession(
            str(_model(task)), sess_options=options, providers=["CPUExecutionProvider"]
        )
        self._input = self._session.get_inputs()[0].name

    def __call__(self, pixels: Pixels) -> NDArray[np.float32]:
        """See ``Network``."""
        return self._session.run(None, {self._input: pixels})[0]

    def note(self, key: str) -> str:
        """What the model's file says under ``key``."""
        return str(self._session.get_modelmeta().custom_metadata_map[key])


def _model(task: str) -> Path:
    try:
        return carried_file(_PACKAGE, f"PP-OCRv6_{task}_small.onnx")
    except FileNotFoundError:
        raise Internal(f"The text reader's model '{task}' is missing. Install Vaider anew.") from None
