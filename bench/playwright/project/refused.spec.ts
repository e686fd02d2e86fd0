import { expect, test } from '@playwright/test';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

test.use({ trace: { mode: 'on', snapshots: true, sources: false, attachments: false } });

const page_of_the_shop = `<!doctype html><title>Shop</title><link rel=icon href=data:,><h1>Checkout</h1>
<button onclick="order()">Place order</button><h2></h2>
<script>
async function order() {
  const answer = await fetch('/api/orders?token=secret', { method: 'POST', body: '{}' });
  document.querySelector('h2').textContent = answer.ok ? 'Order confirmed' : 'Payment failed';
}
</script>`;

let shop: Server;
test.beforeAll(async () => {
  shop = createServer((request, response) => {
    if (request.url === '/')
      response.end(page_of_the_shop);
    else
      setTimeout(() => response.writeHead(500).end(), 300);
  }).listen(0, '127.0.0.1');
  await new Promise(done => shop.once('listening', done));
});
test.afterAll(() => shop.close());

test('an order that the server refuses', async ({ page }) => {
  await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`);
  await page.waitForTimeout(600);
  await page.getByRole('button', { name: 'Place order' }).click();
  await expect(page.getByText('Order confirmed')).toBeVisible({ timeout: 1500 });
});
