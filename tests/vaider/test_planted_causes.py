"""Ten tests of a shop, five green, three red, two flaky: the reason of each red one is the cause that was planted.

Run for real by ``@playwright/test`` and by pytest-playwright.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import playwright
import pytest

from tests.fakes.daemons.commands import VAIDER, vaider
from tests.fakes.videos.playwright_browsers import NODE, browsers_of

pytestmark = [pytest.mark.nightly, pytest.mark.screen]

PAGE = """<body style='font:24px sans-serif;background:#fff'><h1>Shop</h1>
<button id=order>Place order</button> <button id=coupon>Apply coupon</button> <button id=add>Add mug</button>
<p id=said></p><p id=total></p><script>
const say = (id, text) => { document.getElementById(id).textContent = text; };
const bind = (id, act) => { document.getElementById(id).onclick = act; };
bind('order', async () => {
  const answer = await fetch('/api/orders' + location.search, { method: 'POST' });
  say('said', answer.ok ? 'Order confirmed' : 'Payment failed');
});
bind('coupon', () => {
  if (location.search.includes('throws')) throw new TypeError('coupon has no code');
  say('said', 'Coupon accepted');
});
bind('add', () => setTimeout(() => say('total', location.search.includes('twice') ? 'Total 30' : 'Total 15'),
                             location.search.includes('slow') ? 4000 : 200));
</script>"""
SPEC = """
import { expect, test } from '@playwright/test';
const PAGE = `<PAGE>`;
test.beforeEach(async ({ context }) => {
  await context.route('http://shop.test/**', route => {
    const url = route.request().url();
    if (!url.includes('/api/')) return route.fulfill({ contentType: 'text/html', body: PAGE });
    return setTimeout(() => route.fulfill({ status: url.includes('refused') ? 500 : 201, body: '' }), 200);
  });
});
const open = async (page, how) => { await page.goto(`http://shop.test/?${how}`); await page.waitForTimeout(500); };
const order = async page => {
  await page.getByText('Place order').click();
  await expect(page.getByText('Order confirmed')).toBeVisible();
};
const coupon = async page => {
  await page.getByText('Apply coupon').click();
  await expect(page.getByText('Coupon accepted')).toBeVisible();
};
const add = async page => {
  await page.getByText('Add mug').click();
  await expect(page.locator('#total')).toHaveText('Total 15');
};
for (const n of [1, 2]) test(`green order ${n}`, async ({ page }) => { await open(page, 'ok'); await order(page); });
for (const n of [1, 2]) test(`green coupon ${n}`, async ({ page }) => { await open(page, 'ok'); await coupon(page); });
test('green total', async ({ page }) => { await open(page, 'ok'); await add(page); });
test('red refused', async ({ page }) => { await open(page, 'refused'); await order(page); });
test('red throws', async ({ page }) => { await open(page, 'throws'); await coupon(page); });
test('red total', async ({ page }) => { await open(page, 'twice'); await add(page); });
test('flaky slow', async ({ page }, info) => { await open(page, info.retry ? 'ok' : 'slow'); await add(page); });
test('flaky refused', async ({ page }, info) => {
  await open(page, info.retry ? 'ok' : 'refused');
  await order(page);
});
""".replace("<PAGE>", PAGE)
CONFIG = """
import { defineConfig } from '@playwright/test';
export default defineConfig({
  workers: 1, retries: 1, expect: { timeout: 1500 },
  reporter: process.env.WATCH ? [['./vaider-reporter.mjs'], ['line']] : 'line',
  use: {
    viewport: { width: 800, height: 450 },
    trace: 'retain-on-failure',
    video: { mode: 'retain-on-failure', size: { width: 800, height: 450 } },
    launchOptions: { executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium', args: ['--no-sandbox'] },
  },
});
"""
TESTS = '''
import pathlib, time
import pytest
from playwright.sync_api import expect

PAGE = """<PAGE>"""
expect.set_options(timeout=1500)


@pytest.fixture
def shop(page):
    def answer(route):
        if "/api/" not in route.request.url:
            return route.fulfill(content_type="text/html", body=PAGE)
        time.sleep(0.2)
        return route.fulfill(status=500 if "refused" in route.request.url else 201, body="")

    page.set_viewport_size({"width": 800, "height": 450})
    page.context.route("http://shop.test/**", answer)

    def open(how):
        page.goto(f"http://shop.test/?{how}")
        page.wait_for_timeout(500)
        return page

    return open


def order(page):
    page.get_by_text("Place order").click()
    expect(page.get_by_text("Order confirmed")).to_be_visible()


def coupon(page):
    page.get_by_text("Apply coupon").click()
    expect(page.get_by_text("Coupon accepted")).to_be_visible()


def add(page):
    page.get_by_text("Add mug").click()
    expect(page.locator("#total")).to_have_text("Total 15")


def first(name):
    is_first = not pathlib.Path(name).exists()
    pathlib.Path(name).touch()
    return is_first


@pytest.mark.parametrize("n", [1, 2])
def test_green_order(shop, n): order(shop("ok"))
@pytest.mark.parametrize("n", [1, 2])
def test_green_coupon(shop, n): coupon(shop("ok"))
def test_green_total(shop): add(shop("ok"))
def test_red_refused(shop): order(shop("refused"))
def test_red_throws(shop): coupon(shop("throws"))
def test_red_total(shop): add(shop("twice"))
def test_flaky_slow(shop): add(shop("slow" if first("slow") else "ok"))
def test_flaky_refused(shop): order(shop("refused" if first("refused") else "ok"))
'''.replace("<PAGE>", PAGE)
BROWSER = """
import pytest


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    return {**browser_type_launch_args, "executable_path": %r, "args": ["--no-sandbox"]}
"""
REASONS = {
    "refused": r'\S+:\d+ click "Place order" → POST /api/orders 500 \([\d.]+ s\) → "Payment failed" appeared; expect\(',
    "throws": r'\S+:\d+ click "Apply coupon" → TypeError: coupon has no code; expect\(',
    "total": r'\S+:\d+ click "Add mug" → "Total 30" appeared; expect\(.+Total 30',
    "slow": r'\S+:\d+ click "Add mug"; expect\(',
}
CHROMIUM = os.environ.get("CHROMIUM_PATH", "/usr/bin/chromium")


def environment(project: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PLAYWRIGHT_BROWSERS_PATH": str(project / "browsers"),
        "VAIDER": VAIDER,
        "VAIDER_DATA_DIR": str(project / "data"),
        "VAIDER_PORT": "1",
        "WATCH": "1",
        "NO_COLOR": "1",
    }


def reasons(out: str, title: str) -> dict[str, str]:
    """The reason that is given for each test, by the last word of its title."""
    parts = re.split(title, out)[1:]
    return {name: part.partition("why: ")[2].partition("\n")[0] for name, part in zip(*[iter(parts)] * 2, strict=True)}


def test_the_reporter_names_each_planted_cause(modules: Path, tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(modules)
    (tmp_path / "package.json").write_text('{"name": "shop", "private": true}')
    (tmp_path / "playwright.config.ts").write_text(CONFIG)
    (tmp_path / "shop.spec.ts").write_text(SPEC)
    assert vaider("init", "--playwright", cwd=tmp_path).returncode == 0
    browsers_of(tmp_path, modules / "playwright-core" / "browsers.json")
    command = [NODE, tmp_path / "node_modules" / "@playwright" / "test" / "cli.js", "test"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, timeout=300, check=False
    )
    assert "3 failed" in done.stdout
    assert "2 flaky" in done.stdout
    assert "5 passed" in done.stdout
    found = reasons(done.stdout.partition("watching")[0], r"vaider: \S+ (red \w+|flaky \w+)\n")
    assert set(found) == {"red refused", "red throws", "red total", "flaky slow", "flaky refused"}, done.stdout
    for name, reason in found.items():
        assert re.match(REASONS[name.split()[1]], reason), (name, reason)
    assert done.stdout.count("flaky; when it failed") == 2
    assert "watching 5 videos" in done.stdout, "of each test one attempt"


def test_the_pytest_plugin_names_each_planted_cause(tmp_path: Path) -> None:
    (tmp_path / "test_shop.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text(BROWSER % CHROMIUM)
    browsers_of(tmp_path, Path(playwright.__file__).parent / "driver/package/browsers.json")
    options = ["-p", "vaider", "-W", "ignore", "--vaider", "--video=retain-on-failure", "--tracing=retain-on-failure"]
    command = [sys.executable, "-m", "pytest", *options]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, timeout=300, check=False
    )
    assert "5 failed, 5 passed" in done.stdout, done.stdout
    found = reasons(done.stdout.partition("what the videos show")[2], r"::test_(red_\w+|flaky_\w+)\[chromium\]\n")
    assert set(found) == {"red_refused", "red_throws", "red_total", "flaky_slow", "flaky_refused"}, done.stdout
    for name, reason in found.items():
        assert re.match(REASONS[name.split("_")[1]], reason), (name, reason)
    again = subprocess.run(
        [*command, "--lf"],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "3 failed, 2 passed" in again.stdout, "two are flaky"
