import { expect, test } from '@playwright/test';

// Each click turns the page dark for a third of a second, and says so on the console at the moment it is drawn.
const flashing = `<!doctype html><title>Flash</title><button onclick="flash()">Flash</button><p>0</p>
<script>
let count = 0;
function flash() {
  document.body.style.background = '#000';
  document.querySelector('p').textContent = ++count;
  requestAnimationFrame(() => requestAnimationFrame(() => console.warn('dark')));
  setTimeout(() => { document.body.style.background = ''; }, 350);
}
</script>`;

test('a page that flashes, and a second one', async ({ page, context }) => {
  await context.route('http://*.test/', route => route.fulfill({ contentType: 'text/html', body: flashing }));
  await page.goto('http://first.test/');
  for (const pause of [700, 1100, 600]) {
    await page.waitForTimeout(pause);
    await page.getByRole('button').click();
  }
  const other = await context.newPage();
  await other.goto('http://second.test/');
  for (const pause of [900, 500]) {
    await other.waitForTimeout(pause);
    await other.getByRole('button').click();
  }
  await other.waitForTimeout(600);
  await expect(other.getByText('2')).toBeVisible();
});
