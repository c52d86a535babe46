import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { send } from '../../tests/support/json-calls';
import { type Account, expect, PHONE, test } from '../support/fixtures';
import { host } from '../support/host';
import { WEB_PORT } from '../support/ports';

// The user agent of a headless browser would be classified as a bot, whose visits do not count.
test.use({ userAgent: PHONE['User-Agent'], permissions: ['clipboard-read', 'clipboard-write'] });

/** The current figures of one code, as its owner sees them. */
async function figuresOf(account: Account, code: string) {
  const { body } = await send(host, 'POST', '/api/qrcodes/stats', { period: 7, code }, account);
  const { figures } = body.data as {
    figures: Record<'unique_visitors' | 'engagements' | 'conversion_rate', { value: number }>;
  };
  return {
    visitors: figures.unique_visitors.value,
    engagements: figures.engagements.value,
    rate: figures.conversion_rate.value,
  };
}

/** Starts a third-party site whose pages contain this markup. */
async function openSite(body: string) {
  const server = createServer((_, response) =>
    response.setHeader('Content-Type', 'text/html').end(`<!doctype html><title>Shop</title>${body}`),
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const name = `127.0.0.1:${port}`;
  return { name, address: `http://${name}/`, close: () => server.close() };
}

test('a text code shows its text, an e-mail code its address and a link to write to it', {
  tag: '@plain',
}, async ({ page, factories }) => {
  const account = await factories.account();
  const text = await factories.code(account, { type: 'text', content: 'Ring twice.\nUpstairs.' });
  await page.goto(`/r/${text.slug}`);
  await expect(page.getByText('Ring twice.')).toBeVisible();
  const email = { type: 'email', content: 'ada@example.com', subject: 'Hello there' };
  const mail = await factories.code(account, email);
  await page.goto(`/l/${mail.slug}`);
  const write = page.getByRole('link', { name: 'Write the e-mail' });
  const requested = page.waitForRequest((request) => request.url().endsWith('/write'));
  await write.click();
  const answer = await page.request.get((await requested).url(), { maxRedirects: 0 });
  expect(answer.headers().location).toBe('mailto:ada@example.com?subject=Hello%20there');
  await expect(page.getByText('ada@example.com')).toBeVisible();
  await expect
    .poll(async () => (await factories.visitsOf(mail.id)).map(({ source }) => source))
    .toEqual(['click']);
});

test('a phone code shows its number, which can be called or sent a message', { tag: '@plain' }, async ({
  page,
  factories,
}) => {
  const account = await factories.account();
  const code = await factories.code(account, { type: 'phone', content: '+33123456789' });
  await page.goto(`/r/${code.slug}`);
  await expect(page.getByText('+33123456789', { exact: true })).toBeVisible();
  for (const [name, target] of [
    ['Call', 'tel:+33123456789'],
    ['Send an SMS instead', 'sms:+33123456789'],
  ] as const) {
    const address = await page.getByRole('link', { name, exact: true }).getAttribute('href');
    const answer = await page.request.get(address ?? '', { maxRedirects: 0 });
    expect(answer.headers().location).toBe(target);
  }
  await expect.poll(() => figuresOf(account, code.id)).toEqual({ visitors: 1, engagements: 2, rate: 1 });
});

test('a contact and an event are saved as files, and count', { tag: '@plain' }, async ({
  page,
  factories,
}) => {
  const account = await factories.account();
  const contact = await factories.code(account, {
    type: 'contact',
    content: JSON.stringify({ givenName: 'Ada', familyName: 'Byron', workPhone: '+33123456789' }),
  });
  await page.goto(`/r/${contact.slug}`);
  await expect(page.getByText('Ada Byron')).toBeVisible();
  await expect(page.getByRole('link', { name: '+33123456789' })).toHaveAttribute('href', /\/call\?n=1$/);
  const saved = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Add to contacts' }).click();
  expect((await saved).suggestedFilename()).toBe('ada-byron.vcf');
  await expect.poll(() => figuresOf(account, contact.id)).toEqual({ visitors: 1, engagements: 1, rate: 1 });
  const event = await factories.code(account, {
    type: 'event',
    content: JSON.stringify({ eventTitle: 'Opening', startDate: '2026-12-24' }),
  });
  await page.goto(`/r/${event.slug}`);
  await expect(page.getByText('Thursday, 24 December 2026')).toBeVisible();
  const address = await page.getByRole('link', { name: 'Add to calendar' }).getAttribute('href');
  const file = await page.request.get(address ?? '');
  expect(file.headers()['content-type']).toBe('text/calendar; charset=utf-8');
  expect(await file.text()).toContain('DTSTART;VALUE=DATE:20261224\r\nDTEND;VALUE=DATE:20261225\r\n');
});

test('a place offers four maps; an app leads a phone to its store, and shows a page to a computer', {
  tag: '@plain',
}, async ({ page, factories, request }) => {
  const account = await factories.account();
  const place = await factories.code(account, { type: 'place', content: '{"position":"48.1, 11.5"}' });
  await page.goto(`/r/${place.slug}`);
  for (const name of ['Open in maps', 'OpenStreetMap', 'Google Maps', 'Apple Maps'])
    await expect(page.getByRole('link', { name })).toBeVisible();
  const store = 'https://apps.apple.com/app/id123456789';
  const app = await factories.code(account, { type: 'app', content: JSON.stringify({ appStore: store }) });
  const answer = await page.request.get(`/r/${app.slug}`, { maxRedirects: 0 });
  expect([answer.status(), answer.headers().location]).toEqual([302, store]);
  const computer = {
    'User-Agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/131.0.0.0 Safari/537.36',
  };
  const shown = await request.get(`/r/${app.slug}`, { headers: computer });
  expect(await shown.text()).toContain(store);
});

test('an unknown code gets a small page in the language of the phone', { tag: '@once' }, async ({ page }) => {
  const response = await page.request.get('/r/ZZZZZZZZ', {
    headers: { 'Accept-Language': 'de-AT,de;q=0.9' },
  });
  expect(response.status()).toBe(404);
  const html = await response.text();
  expect(html).toContain('<html lang="de"');
  expect(html.length).toBeLessThan(5_000);
});

test('a HEAD or prefetch request is answered but not counted', { tag: '@once' }, async ({
  page,
  factories,
}) => {
  const account = await factories.account();
  const code = await factories.code(account);
  const head = await page.request.head(`/r/${code.slug}`, { maxRedirects: 0 });
  expect(head.status()).toBe(302);
  const headers = { 'Sec-Purpose': 'prefetch' };
  const prefetch = await page.request.get(`/r/${code.slug}`, { maxRedirects: 0, headers });
  expect(prefetch.status()).toBe(302);
  expect(await factories.visitsOf(code.id)).toEqual([]);
});

test('actions on the page count as engagements, once a day per action', async ({ page, mode, factories }) => {
  const account = await factories.account();
  const site = await openSite('');
  const [menu, map] = [`${site.address}menu`, `${site.address}map`];
  const content = `The menu: ${menu}. And how to come: ${map}`;
  const code = await factories.code(account, { type: 'text', content });
  await page.goto(`/r/${code.slug}`);
  await expect.poll(() => figuresOf(account, code.id)).toEqual({ visitors: 1, engagements: 0, rate: 0 });
  const copy = page.getByRole('button', { name: 'Copy the text' });
  if (mode === 'no-js') await expect(copy).toBeHidden();
  else {
    await copy.click();
    await expect(page.getByRole('status')).toHaveText('Copied');
    await copy.click();
  }
  await page.getByRole('link', { name: `Open ${site.name}/map` }).click();
  await expect(page).toHaveURL(map);
  await page.goBack();
  await page.getByRole('link', { name: `Open ${site.name}/menu` }).click();
  await expect(page).toHaveURL(menu);
  const engagements = mode === 'no-js' ? 1 : 2;
  await expect.poll(() => figuresOf(account, code.id)).toEqual({ visitors: 1, engagements, rate: 1 });
  site.close();
});

test('the beacon on the destination counts engagements, but only of visitors of the code', {
  tag: '@plain',
}, async ({ page, factories }) => {
  const account = await factories.account();
  const slug = Array.from(randomBytes(8), (byte) => '0123456789ABCDEF'[byte % 16]).join('');
  const site = await openSite(`<img src="http://localhost:${WEB_PORT}/b/${slug}" alt="">`);
  const code = await factories.code(account, { slug, content: site.address });
  const reported = page.waitForResponse((response) => response.url().includes('/b/'));
  await page.goto(site.address);
  expect((await reported).headers()).toMatchObject({
    'content-type': 'image/gif',
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'cross-origin',
  });
  expect(await figuresOf(account, code.id)).toEqual({ visitors: 0, engagements: null, rate: null });
  await page.goto(`/r/${code.slug}`);
  await expect(page).toHaveTitle('Shop');
  await expect.poll(() => figuresOf(account, code.id)).toEqual({ visitors: 1, engagements: 1, rate: 1 });
  const posted = await page.request.post(`/b/${code.slug}`);
  expect([posted.status(), posted.headers()['access-control-allow-origin']]).toEqual([204, '*']);
  expect(posted.headers()['set-cookie']).toBeUndefined();
  expect(await figuresOf(account, code.id)).toEqual({ visitors: 1, engagements: 1, rate: 1 });
  site.close();
});

test('an action on an unknown code gets the same small page as a visit', { tag: '@once' }, async ({
  page,
}) => {
  for (const path of ['/e/ZZZZZZZZ/write', '/e/ZZZZZZZZ/open?n=2', '/e/a.b/write', '/e/ZZZZZZZZ/burn']) {
    const answer = await page.goto(path);
    expect(answer?.status()).toBe(404);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('This code does not exist');
  }
});

test('logging in to see a private code returns to it', async ({ page, ready, factories }) => {
  const account = await factories.account();
  const { slug } = await factories.code(account, { type: 'text', content: 'For me', visibility: 'private' });
  expect((await page.goto(`/l/${slug}`))?.status()).toBe(404);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(/\/login\?next=/);
  await ready();
  await page.getByLabel('E-mail address').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(new RegExp(`/l/${slug}$`));
  await expect(page.getByText('For me')).toBeVisible();
});
