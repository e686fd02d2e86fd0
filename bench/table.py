"""What a benchmark hands back, and how it is shown on the terminal."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table as RichTable

Row = tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Rows of text under columns; the first column names what was measured."""

    title: str
    columns: Row
    rows: Sequence[Row]
    note: str = ""

    def show(self) -> None:
        """Print it."""
        shown = RichTable(title=self.title, title_justify="left")
        for number, column in enumerate(self.columns):
            shown.add_column(column, justify="left" if number == 0 else "right")
        for row in self.rows:
            shown.add_row(*row)
        console = Console()
        console.print(shown)
        if self.note:
            console.print(self.note, style="dim", markup=False)
