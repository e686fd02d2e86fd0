import { expect, test } from '@playwright/test';

const page_of_the_shop = `<!doctype html><title>Shop</title><h1>Checkout</h1>
<label>Name <input></label> <button onclick="order()">Place order</button><h2></h2>
<script>
async function order() {
  const answer = await fetch('/api/orders', { method: 'POST', body: '{}' });
  document.querySelector('h2').textContent = answer.ok ? 'Order confirmed' : 'Payment failed';
  if (!answer.ok) console.error('order refused');
}
</script>`;

for (const status of [201, 500])
  test(`an order that is answered ${status}`, async ({ page }) => {
    await page.route('http://shop.test/', route => route.fulfill({ contentType: 'text/html', body: page_of_the_shop }));
    await page.route('**/api/orders', async route => {
      await new Promise(done => setTimeout(done, 300));
      await route.fulfill({ status });
    });
    await page.goto('http://shop.test/');
    await page.getByLabel('Name').fill('Ada');
    await page.getByRole('button', { name: 'Place order' }).click();
    await expect(page.getByText('Order confirmed')).toBeVisible();
  });
