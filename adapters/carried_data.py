"""Data that other packages were published with: copied into Vaider's own wheel when that is built (``hatch_build.py``).

Neither those packages nor what they depend on is installed with Vaider, because only their data is used.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Final

_COPIES: Final = "vaider_data"


def carried_file(package: str, name: str) -> Path:
    """The file of that name from ``package``: Vaider's copy, or where the package itself is installed, its own.

    Raises:
        FileNotFoundError: there is neither.

    """
    for module, pattern in ((_COPIES, f"{package}/{name}"), (package, f"**/{name}")):
        spec = find_spec(module)
        for folder in (spec and spec.submodule_search_locations) or ():
            for found in Path(folder).glob(pattern):
                return found
    raise FileNotFoundError(f"{name} of the package {package}")
