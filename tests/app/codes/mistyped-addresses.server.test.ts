import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../../support/browser';
import { send } from '../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../support/website';

const MISTYPED = 'https://https://example.com/menu?a=1&b=$t(x)';
const MEANT = 'https://example.com/menu?a=1&amp;b=$t(x)';
const OFFERS: [tag: string, text: string][] = [
  ['en', `Did you mean “${MEANT}”?`],
  ['fr', `Vouliez-vous dire «\u202f${MEANT}\u202f»\u202f?`],
  ['es', `¿Quería decir «${MEANT}»?`],
  ['de', `Meinten Sie „${MEANT}“?`],
  ['it', `Intendevi «${MEANT}»?`],
];

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/create': 'codes/create/page.tsx',
    '/user/qrcodes/:id': 'codes/code/page.tsx',
    '/user/qrcodes/import': 'codes/import/page.tsx',
    '/user/qrcodes/import/:id': 'codes/import/report-page.tsx',
    '/user/qrcodes/import/:id/:list.csv': 'codes/import/rows-route.ts',
  });
});
afterAll(async () => website.close());

test.each(OFFERS)(
  'the page in %s offers the address that was meant, at its field and above the form',
  async (tag, text) => {
    const browser = await openBrowser(website, await website.host.account());
    const answer = await browser.post(
      '/create',
      { type: 'link', content: MISTYPED },
      { 'accept-language': tag },
    );
    expect(answer.status).toBe(422);
    const page = await answer.text();
    const shown = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    expect(page).toMatch(new RegExp(`<li><a href="#[\\w-]+-content">[^<]* ${shown}</a></li>`));
    expect(page).toMatch(new RegExp(`id="[\\w-]+-content-error".{0,400} ${shown}</span></p>`));
    expect(page).toContain(`value="${MISTYPED.replace('&', '&amp;')}"`);
  },
);

test('an e-mail address is offered at its own field', async () => {
  const browser = await openBrowser(website, await website.host.account());
  const answer = await browser.post('/create', { type: 'email', address: 'info@müller,de' });
  expect(await answer.text()).toMatch(
    /id="[\w-]+-address-error".{0,400} Did you mean “info@müller\.de”\?<\/span>/,
  );
});

test('an e-mail address with other letters is created, shown as typed and kept when it is saved again', async () => {
  const account = await website.host.account();
  const browser = await openBrowser(website, account);
  const fields = { type: 'email', address: 'info@xn--mller-kva.de', subject: 'Hi' };
  expect((await browser.post('/create', fields)).status).toBe(303);
  const { body } = await send(website.host, 'GET', '/api/qrcodes', undefined, account);
  const [code] = body.data as { id: string; content: string }[];
  expect(code?.content).toBe('info@müller.de');
  const path = `/user/qrcodes/${code?.id}`;
  expect(await (await browser.open(path)).text()).toContain('value="info@müller.de"');
  const again = await browser.post(`${path}?index`, {
    content: 'info@xn--mller-kva.de',
    subject: 'Hello',
    body: '',
  });
  expect(again.status).toBe(303);
  const saved = (await send(website.host, 'GET', `/api/qrcodes/${code?.id}`, undefined, account)).body.data;
  expect(saved).toMatchObject({
    code: { content: 'info@müller.de', subject: 'Hello' },
    changes: [{ field: 'subject' }],
  });
});

test('a changed code and the call of the host refuse a mistyped address in the same way', async () => {
  const account = await website.host.account();
  const { id } = await website.host.code(account.id);
  const browser = await openBrowser(website, account);
  const page = await (
    await browser.post(`/user/qrcodes/${id}?index`, { intent: 'content', content: 'www.example,com' })
  ).text();
  expect(page).toContain('Did you mean “https://www.example.com”?');
  const change = await send(
    website.host,
    'PATCH',
    `/api/qrcodes/${id}`,
    { content: 'www.example,com' },
    account,
  );
  expect([change.status, change.body.errors]).toEqual([
    422,
    { content: ['address_meant:https://www.example.com'] },
  ]);
});

test('the report on a file, and its problems as a file, offer the address that was meant', async () => {
  const as = await website.host.account();
  const body = new FormData();
  body.set(
    'file',
    new File(['content\n"www.example,com"\n"info@müller,de"\n'], 'codes.csv', { type: 'text/csv' }),
  );
  const sent = await website.browse('/user/qrcodes/import', { method: 'POST', body, as });
  const report = sent.headers.get('location') ?? '';
  const headers = { 'accept-language': 'de' };
  for (const path of [report, `${report}/problems.csv`]) {
    const text = await (await website.browse(path, { as, headers })).text();
    expect(text).toContain('Meinten Sie „https://www.example.com“?');
    expect(text).toContain('Meinten Sie „info@müller.de“?');
  }
});
