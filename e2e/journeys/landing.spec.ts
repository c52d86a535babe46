import { expect, test } from '../support/fixtures';

test('a text code shows its text, an e-mail code its address with a way to write', async ({
  page,
  factories,
}) => {
  const account = await factories.account();
  const text = await factories.code(account, { type: 'text', content: 'Ring twice.\nUpstairs.' });
  await page.goto(`/r/${text.slug}`);
  await expect(page.getByText('Ring twice.')).toBeVisible();
  const email = { type: 'email', content: 'ada@example.com', subject: 'Hello there' };
  const mail = await factories.code(account, email);
  await page.goto(`/l/${mail.slug}`);
  await expect(page.getByRole('link', { name: 'Write the e-mail' })).toHaveAttribute(
    'href',
    'mailto:ada@example.com?subject=Hello%20there',
  );
  await expect
    .poll(async () => (await factories.visitsOf(mail.id)).map(({ source }) => source))
    .toEqual(['click']);
});

test('an address nobody made gets a light page in the language of the phone', async ({ page }) => {
  const response = await page.request.get('/r/ZZZZZZZZ', {
    headers: { 'Accept-Language': 'de-AT,de;q=0.9' },
  });
  expect(response.status()).toBe(404);
  const html = await response.text();
  expect(html).toContain('<html lang="de"');
  expect(html.length).toBeLessThan(5_000);
});

test('looking without visiting is answered and not counted', async ({ page, factories }) => {
  const account = await factories.account();
  const code = await factories.code(account);
  const head = await page.request.head(`/r/${code.slug}`, { maxRedirects: 0 });
  expect(head.status()).toBe(302);
  const headers = { 'Sec-Purpose': 'prefetch' };
  const prefetch = await page.request.get(`/r/${code.slug}`, { maxRedirects: 0, headers });
  expect(prefetch.status()).toBe(302);
  expect(await factories.visitsOf(code.id)).toEqual([]);
});
