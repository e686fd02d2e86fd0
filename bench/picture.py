"""Draws what ``vaider analyse`` prints of the sample as docs/demo.svg, the README's picture."""

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

ROOT = Path(__file__).parent.parent
SAMPLE = "samples/checkout.mp4"
COLUMNS = 118
FORMAT = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, monospace; font-size: {char_height}px;
line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: arial; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""Rich's own, without the font that it would fetch from elsewhere."""


def run() -> None:
    """Analyse the sample as a user would, in colour, and keep the picture."""
    vaider = Path(sys.executable).with_name("vaider")
    environment = os.environ | {"FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "VAIDER_PROVIDER": "local"}
    done = subprocess.run(
        [vaider, "analyse", SAMPLE, "--no-cache"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    console = Console(record=True, width=COLUMNS, file=StringIO())
    console.print(f"[bold green]$[/] vaider analyse {SAMPLE}")
    console.print(Text.from_ansi(done.stdout.replace(f"{ROOT}/", "")))
    console.save_svg(str(ROOT / "docs" / "demo.svg"), title="vaider", theme=DIMMED_MONOKAI, code_format=FORMAT)


if __name__ == "__main__":
    run()
