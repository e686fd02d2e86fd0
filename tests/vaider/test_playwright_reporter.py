"""The reporter for Playwright in JavaScript, in a project with the real ``@playwright/test``."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.fakes.daemons.commands import VAIDER, vaider
from tests.fakes.videos.playwright_browsers import NODE, browsers_of

CONFIG = """
import { defineConfig } from '@playwright/test';
export default defineConfig({
  workers: 1,
  reporter: [['./vaider-reporter.mjs', { mode: process.env.MODE }], ['json', { outputFile: 'report.json' }]],
  use: {
    viewport: { width: 800, height: 450 },
    video: { mode: 'on', size: { width: 800, height: 450 } },
    launchOptions: { executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium', args: ['--no-sandbox'] },
  },
});
"""
SPEC = """
import { expect, test } from '@playwright/test';
const order = async (page, said) => {
  await page.setContent(`<body style="font:24px sans-serif;background:#fff"><h1>Shop</h1>
    <button onclick="setTimeout(() => { document.querySelector('p').textContent = '${said}'; }, 300)">Buy now</button>
    <p></p>`);
  await page.waitForTimeout(600);
  await page.click('text=Buy now');
  await page.waitForTimeout(1200);
};
const seen = { annotation: { type: 'vaider', description: '"Order confirmed" appears' } };
test('red', async ({ page }) => {
  await order(page, 'Payment failed');
  expect(await page.textContent('p')).toBe('Order confirmed');
});
test('green', seen, async ({ page }) => order(page, 'Order confirmed'));
test('contradicted', seen, async ({ page }) => order(page, 'Payment failed'));
test('unasked', async ({ page }) => order(page, 'Order confirmed'));
"""
pytestmark = [pytest.mark.nightly, pytest.mark.screen]


@pytest.fixture
def project(modules: Path, tmp_path: Path) -> Path:
    """A fresh project, as `vaider init --playwright` leaves it."""
    (tmp_path / "node_modules").symlink_to(modules)
    (tmp_path / "package.json").write_text('{"name": "shop", "private": true}')
    (tmp_path / "playwright.config.ts").write_text(CONFIG)
    (tmp_path / "shop.spec.ts").write_text(SPEC)
    assert vaider("init", "--playwright", cwd=tmp_path).returncode == 0
    browsers_of(tmp_path, modules / "playwright-core" / "browsers.json")
    return tmp_path


def run(project: Path, mode: str, *options: str) -> tuple[int, str]:
    environment = {
        **os.environ,
        "PLAYWRIGHT_BROWSERS_PATH": str(project / "browsers"),
        "VAIDER": VAIDER,
        "VAIDER_DATA_DIR": str(project / "data"),
        "VAIDER_PORT": "1",
        "MODE": mode,
    }
    command = [NODE, project / "node_modules" / "@playwright" / "test" / "cli.js", "test", *options]
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_the_reporter_says_why_a_test_is_red_and_which_green_one_is_contradicted(project: Path) -> None:
    code, out = run(project, "warn")
    told = {part.split("\n", 1)[0].split(" ", 1)[-1]: part for part in out.split("vaider: ")[1:]}
    assert code == 1, out
    assert "failed; its video shows:" in told["red"]
    assert '"Payment failed" appeared.' in told["red"]
    assert "passed, and its video shows:" in told["green"]
    assert "passed, but its video contradicts it:" in told["contradicted"]
    assert "unasked" not in told
    picture = Path(told["red"].partition("picture: ")[2].splitlines()[0])
    assert picture.is_file()
    assert out.count("picture: ") >= 1
    report = json.loads((project / "report.json").read_text())
    attached = [
        each["name"]
        for spec in report["suites"][0]["specs"]
        for each in spec["tests"][0]["results"][0]["attachments"]
        if spec["title"] == "red"
    ]
    assert attached.count("vaider") == 2, "the text and the picture are in the reports of others"


BROWSERS = """
import base from './playwright.config';
const projects = [{ name: 'chromium' }, { name: 'firefox' }];
export default { ...base, retries: 1, use: { ...base.use, trace: 'on' }, projects };
"""


def test_the_browsers_of_a_test_stand_together_and_the_same_reason_is_said_once(project: Path) -> None:
    (project / "browsers.config.ts").write_text(BROWSERS)
    _, out = run(project, "warn", "-c", "browsers.config.ts", "-g", "red")
    (told,) = out.split("vaider: ")[1:-1]
    assert told.startswith("shop.spec.ts:12 red\n[chromium] failed 2 times; the last time its video shows:\nwhy: ")
    assert told.rstrip().endswith("[firefox] failed for the same reason as chromium")
    assert "watching 2 videos" in out


def test_a_contradiction_fails_the_run_where_that_is_wanted(project: Path) -> None:
    assert run(project, "warn", "-g", "contradicted")[0] == 0
    assert run(project, "fail", "-g", "contradicted")[0] == 1


def test_a_reporter_that_is_there_is_left_alone(project: Path) -> None:
    (project / "vaider-reporter.mjs").write_text("// my own\n")
    done = vaider("init", "--playwright", cwd=project)
    assert done.returncode == 0
    assert "is there already" in done.stdout
    assert (project / "vaider-reporter.mjs").read_text() == "// my own\n"
