import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/subscribe/:slug': 'subscribe.$slug.tsx',
    '/user/subscription/order/:slug': 'user.subscription_.order.$slug.tsx',
  });
});
afterAll(async () => website.close());

const order = { name: 'Ada Lovelace', address: '1 rue du Papier', city: 'Paris', terms: 'on' };

test('an order sent while the host is down is there to be sent again', async () => {
  const as = await website.host.account();
  await website.hostDown();
  for (const path of ['/subscribe/basic_monthly', '/user/subscription/order/basic_monthly']) {
    const answer = await website.browse(path, {
      method: 'POST',
      body: new URLSearchParams(order),
      ...(path.startsWith('/user/') && { as }),
    });
    expect(answer.status).toBe(503);
    const page = await answer.text();
    for (const [name, value] of Object.entries(order)) {
      expect(page).toContain(`<input type="hidden" name="${name}" value="${value}"/>`);
    }
  }
});
