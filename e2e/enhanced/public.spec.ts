import { expect, test } from '../support/fixtures';

test('the price changes at once, is announced, and leaves focus and scroll position alone', async ({
  page,
  open,
}) => {
  await open('/pricings');
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  const yearly = page.getByRole('link', { name: 'Yearly' });
  await yearly.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: '€106.92 per year' })).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: '€106.92 per year' })).toBeAttached();
  await expect(yearly).toBeFocused();
  await expect(page).toHaveURL(/billing=yearly$/);
  expect(requests.filter((path) => path.startsWith('/pricings'))).toEqual([]);
});

test('the questions are filtered on every keystroke while the focus stays in the field', async ({
  page,
  open,
}) => {
  await open('/faq');
  const field = page.getByLabel('Search the questions');
  await field.pressSequentially('wi-fi network');
  await expect(page.getByText(/^\d answers found$/).first()).toBeVisible();
  await expect(page.locator('details:not([open])')).toHaveCount(0);
  await expect(field).toBeFocused();
  await expect(page).toHaveURL(/\?q=wi-fi\+network$/);
  await expect(page.getByRole('status').filter({ hasText: 'answers found' })).toBeAttached();
  await page.getByRole('link', { name: 'Support', exact: true }).click();
  await expect(page.getByRole('heading', { name: /^Nothing found/ })).toBeVisible();
  await field.fill('');
  await expect(page.getByText('How do I reach support?')).toBeVisible();
  await expect(page.locator('details[open]')).toHaveCount(0);
  await expect(page).toHaveURL(/\/faq\?category=support$/);
  await page.reload();
  await expect(page.getByText('How do I create a QR code?')).toBeHidden();
});

test('text typed before hydration is searched for after it', async ({ page }) => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/assets\/.*\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/faq', { waitUntil: 'commit' });
  await page.getByLabel('Search the questions').fill('invoices');
  release();
  await expect(page.getByText(/answers? found$/).first()).toBeVisible();
  await expect(page.getByLabel('Search the questions')).toHaveValue('invoices');
});

test('a footer link opens another answer on the same page', async ({ page, open }) => {
  await open('/faq?category=support');
  const footer = page.getByRole('contentinfo');
  await footer.getByRole('link', { name: 'How to create a code' }).click();
  await expect(page.getByText('The preview shows you the result')).toBeInViewport();
  await footer.getByRole('link', { name: 'Kinds of QR codes' }).click();
  await expect(page.getByText('Link: opens a web page.')).toBeInViewport();
});

test('an unknown fragment leaves the page as it is', async ({ page, open, back }) => {
  await open('/faq#100%');
  const heading = page.getByRole('heading', { level: 1, name: 'Frequently asked questions' });
  await expect(heading).toBeVisible();
  await page.evaluate(() => {
    location.hash = '#50%';
  });
  await expect(page).toHaveURL(/#50%25$/);
  await page.getByRole('banner').getByRole('link', { name: 'Contact' }).click();
  await expect(page).toHaveURL(/\/contact$/);
  await back(/#50%25$/);
  await expect(heading).toBeVisible();
  await page.getByRole('contentinfo').getByRole('link', { name: 'Kinds of QR codes' }).click();
  await expect(page.getByText('Link: opens a web page.')).toBeInViewport();
});

test('data requests contain the texts of the page, whatever headers the browser sends', async ({ page }) => {
  const words = 'Your message has been sent';
  expect(await (await page.request.get('/contact.data')).text()).toContain(words);
  expect(await (await page.request.get('/create.data?_routes=codes%2Fcreate%2Fpage')).text()).toContain(
    'What should it open?',
  );
  const document = await page.request.get('/contact', { headers: { 'X-Data-Request': '1' } });
  expect(await document.text()).not.toContain(words);
});

test('a legal page can be printed', async ({ page, open }) => {
  await page.addInitScript(() => {
    window.print = () => document.documentElement.setAttribute('data-printed', '');
  });
  await open('/privacy-policy');
  await page.getByRole('button', { name: 'Print this page' }).click();
  await expect(page.locator('html[data-printed]')).toBeAttached();
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('button', { name: 'Print this page' })).toBeHidden();
  await expect(page.getByRole('navigation', { name: 'On this page' })).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Your rights', exact: true })).toBeVisible();
});

test('a new page opens at its top without smooth scrolling, and a fragment link moves the focus', async ({
  page,
  open,
}) => {
  await open('/terms-of-sales');
  const footer = page.getByRole('contentinfo');
  const legal = footer.getByRole('link', { name: 'Legal notice' });
  await legal.scrollIntoViewIfNeeded();
  await page.evaluate(() => {
    addEventListener('scroll', () => {
      document.documentElement.dataset.scrolled = `${document.documentElement.dataset.scrolled ?? ''} ${scrollY}`;
    });
  });
  await legal.click();
  await expect(page.getByRole('heading', { level: 1, name: 'Legal notice' })).toBeFocused();
  const html = page.locator('html');
  await expect(html).toHaveAttribute('data-scrolled', / 0$/);
  // At most one extra scroll, to the end of a shorter page; smooth scrolling would cause dozens.
  expect((await html.getAttribute('data-scrolled'))?.trim().split(' ').length).toBeLessThanOrEqual(2);

  await open('/');
  await footer.getByRole('link', { name: 'Advantages' }).click();
  await expect(page.locator('#advantages')).toBeFocused();
});

test('leaving a page that is still loading causes no error', async ({ page, open }) => {
  await page.addInitScript(() => {
    const { fetch } = window;
    // Deliver the body of the response but never close it.
    window.fetch = async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      const answer = await fetch(input, init);
      if (!url.includes('/faq.data')) return answer;
      const line = await answer.text();
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(line));
          init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
        },
      });
      return new Response(body, answer);
    };
  });
  // Hold the first page's script too, so that its navigation is pending when the second replaces it.
  await page.route(/\/assets\/faq-page-.*\.js$/, () => undefined);
  await open('/pricings');
  const links = page.getByRole('navigation', { name: 'Main' });
  const requested = page.waitForResponse((response) => response.url().includes('/faq.data'));
  await links.getByRole('link', { name: 'FAQ' }).click();
  await (await requested).finished();
  await links.getByRole('link', { name: 'Contact' }).click();
  await expect(page).toHaveURL(/\/contact$/);
});
