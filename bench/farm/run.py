"""All that is measured of a farm."""

from bench.farm import chaos, equal, starts, throughput, waiting
from bench.table import Table


def run(*, quick: bool = False) -> list[Table]:
    """The tables; quick: with less of everything."""
    if quick:
        return [*chaos.run(quick=True), *waiting.run(waiting=1000, crowd=500), *starts.run(), *equal.run(quick=True)]
    return [*chaos.run(), *waiting.run(), *throughput.run(), *starts.run(), *equal.run()]
