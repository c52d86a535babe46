import { expect, test } from '../support/fixtures';

test('the language can be switched and persists', async ({ page, open, ready }) => {
  await open('/login');
  await page.getByRole('button', { name: 'Language: English' }).click();
  await page.getByRole('button', { name: 'Deutsch' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await expect(page).toHaveURL(/\/login/);
  await ready();
  await open('/');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
});

test('the theme can be switched and persists', async ({ page, open }) => {
  await open('/login');
  await page.getByRole('contentinfo').getByRole('button', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  // Scripts change the page first and send the choice afterwards.
  await expect
    .poll(async () => (await page.context().cookies()).find(({ name }) => name === 'theme')?.value)
    .toBe('dark');
  await open('/');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('a page opened by a link has its own title', async ({ page, open }) => {
  await open('/faq');
  await page.getByRole('banner').getByRole('link', { name: 'Contact' }).click();
  await expect(page).toHaveTitle('Contact – Quadrille');
  await page.getByRole('banner').getByRole('link', { name: 'Pricing' }).click();
  await expect(page).toHaveTitle('Pricing – Quadrille');
  await page.getByRole('link', { name: 'Choose this plan' }).click();
  await expect(page).toHaveTitle('Order – Quadrille');
});

test.describe('in Austria', () => {
  test.use({ locale: 'de-AT' });

  test("an unknown URL gets a 404 page in the visitor's language", async ({ page, open }) => {
    expect(await open('/no/such/page')).toBe(404);
    await expect(page.locator('html')).toHaveAttribute('lang', 'de');
    await expect(page.getByRole('heading', { level: 1, name: 'Seite nicht gefunden' })).toBeVisible();
    await expect(page.getByRole('navigation').first()).toBeVisible();
    await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex, nofollow');
  });
});

test('after the cookie banner, the keyboard reaches a skip link to the content', async ({ page, open }) => {
  await open('/login');
  const skip = page.getByRole('link', { name: 'Skip to the content' });
  for (
    let presses = 0;
    presses < 6 && !(await skip.evaluate((link) => link === document.activeElement));
    presses += 1
  ) {
    await page.keyboard.press('Tab');
  }
  await expect(skip).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.locator('main')).toBeFocused();
});

test('cross-site POST requests are refused', { tag: '@once' }, async ({ page }) => {
  const headers = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
  for (const path of ['/logout', '/theme', '/locale', '/create/receipt', '/login', '/?index', '/contact']) {
    const response = await page.request.post(path, { headers, form: { theme: 'dark' }, maxRedirects: 0 });
    expect(response.status(), path).toBe(403);
  }
});
