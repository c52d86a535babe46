import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, statusAndLocation, textOf } from '../../support/browser';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/qrcodes': 'codes/list/page.tsx',
    '/user/qrcodes/selection': 'codes/list/bulk-page.tsx',
    '/user/qrcodes/:id': 'codes/code/page.tsx',
    '/user/qrcodes/:id/count': 'codes/code/counting-page.tsx',
    '/user/qrcodes/:id/delete': 'codes/code/delete-page.tsx',
    '/user/qrcodes/:id/deleted': 'codes/code/deleted-page.tsx',
    '/r/:code': 'codes/visit/redirect-route.ts',
    '/e/:code/:act': 'codes/visit/act-route.ts',
  });
});
afterAll(async () => website.close());

type Fields = Parameters<TestWebsite['host']['code']>[1];

async function ownerOf(fields: Fields = {}, access = true) {
  const { host } = website;
  const account = await host.account({ access });
  const code = await host.code(account.id, fields);
  const browser = await openBrowser(website, account);
  const stored = async () => {
    const answer = await host.request(`/api/qrcodes/${code.id}`, { token: account.token });
    return (await answer.json()) as { data: { code: { counted: boolean; archivedAt: string | null } } };
  };
  return { account, code, browser, path: `/user/qrcodes/${code.id}`, stored };
}

test('counting is switched off at once, and on only from a page that asks', async () => {
  const { browser, path, stored } = await ownerOf();
  const off = await browser.post(`${path}?index`, { intent: 'counting', counted: 'false' });
  expect(statusAndLocation(off)).toEqual([303, path]);
  expect((await stored()).data.code.counted).toBe(false);
  expect(await browser.notices()).toMatchObject([{ key: 'code_uncounted' }]);
  const refused = await browser.post(`${path}?index`, { intent: 'counting', counted: 'true' });
  expect([refused.status, (await stored()).data.code.counted]).toEqual([422, false]);
  expect(await textOf(await browser.open(`${path}/count`))).toContain(
    'Do not do this with a code on a wine label',
  );
  expect((await stored()).data.code.counted).toBe(false);
  expect(statusAndLocation(await browser.post(`${path}/count`, {}))).toEqual([303, path]);
  expect((await stored()).data.code.counted).toBe(true);
  expect(statusAndLocation(await browser.open(`${path}/count`))).toEqual([302, path]);
  const page = await textOf(await browser.open(path));
  expect(page).toMatch(/Counting visits are not counted visits are counted/);
});

test('a code that ends after a number of visits says why it stays counted, and an uncounted one why it has none', async () => {
  const { browser, path, stored } = await ownerOf();
  await browser.post(`${path}?index`, { intent: 'end', timeZone: 'Europe/London', visits: '9' });
  const off = await browser.post(`${path}?index`, { intent: 'counting', counted: 'false' });
  expect([off.status, (await stored()).data.code.counted]).toEqual([422, true]);
  expect(await textOf(off)).toContain('This code ends after a number of visits, so they have to be counted.');
  const other = await ownerOf({ isCounted: false });
  const limited = { intent: 'end', timeZone: 'Europe/London', visits: '9' };
  const refused = await other.browser.post(`${other.path}?index`, limited);
  expect(refused.status).toBe(422);
  expect(await refused.text()).toMatch(
    /href="#end-form-visits">Visits of this code are not counted, so it cannot/,
  );
});

test('the pages of an uncounted code say so in place of figures', async () => {
  const { browser, code, path } = await ownerOf({ isCounted: false });
  const page = await textOf(await browser.open(path));
  expect(page).toContain('Visits of this code are not counted, so there are no figures.');
  expect(page).toContain('Sentence to print beside the code');
  expect(page).not.toContain('Beacon address');
  const list = await textOf(await browser.open('/user/qrcodes?show=uncounted'));
  expect(list).toMatch(/– Not counted/);
  expect(await textOf(await browser.open(`${path}/delete`))).toContain(
    'nobody knows whether it is still in use',
  );
  expect(await textOf(await browser.open(`/user/qrcodes/selection?act=count&ids=${code.id}`))).toContain(
    'Count visits of 1 code',
  );
});

test.each([
  ['gb', 'en-GB', 'Visits of this code are not counted. Nothing about your visit is kept.'],
  ['fr', 'fr', 'Les visites de ce code ne sont pas comptées. Rien n’est conservé de la vôtre.'],
  ['es', 'es', 'Las visitas de este código no se cuentan. No se conserva nada de la suya.'],
  ['de', 'de', 'Besuche dieses Codes werden nicht gezählt. Von Ihrem Besuch bleibt nichts erhalten.'],
  ['it', 'it', 'Le visite di questo codice non si contano. Della tua non si conserva nulla.'],
])('its page says so to its visitor (%s), sets no cookie and reports nothing', async (_, language, text) => {
  const { code } = await ownerOf({ type: 'text', content: 'Sulphites', isCounted: false });
  const page = await website.browse(`/r/${code.slug}`, { headers: { 'accept-language': language } });
  expect([page.status, page.headers.get('x-visits-counted')]).toEqual([200, 'no']);
  expect(page.headers.getSetCookie()).toEqual([]);
  const html = await page.text();
  expect(html).toContain(text);
  expect(html).not.toContain('sendBeacon');
});

test('so do the pages of private ones, the redirects of links and the acts', async () => {
  const link = await ownerOf({ isCounted: false });
  const text = { type: 'text', content: 'https://destination.example/', isCounted: false } as const;
  const [hidden, open] = [await ownerOf({ ...text, visibility: 'private' }), await ownerOf(text)];
  const answers = [
    await website.browse(`/r/${link.code.slug}`),
    await website.browse(`/r/${hidden.code.slug}`),
    await website.browse(`/e/${open.code.slug}/open?n=1`),
    await website.browse(`/e/${open.code.slug}/copy`, { method: 'POST' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([302, 404, 302, 204]);
  expect(answers.map(({ headers }) => headers.get('x-visits-counted'))).toEqual(['no', 'no', 'no', 'no']);
  const counted = await ownerOf();
  expect((await website.browse(`/r/${counted.code.slug}`)).headers.get('x-visits-counted')).toBeNull();
});

test('deleting offers archiving, which can be undone, as a button of the same form', async () => {
  const { browser, path, stored } = await ownerOf();
  const html = await (await browser.open(`${path}/delete`)).text();
  expect(html).toContain(`formAction="${path}"`.toLowerCase());
  expect(html).toMatch(/write to us within 30 days/);
  const archived = await browser.post(`${path}?index`, { intent: 'archive', archived: 'true' });
  expect(archived.status).toBe(303);
  expect((await stored()).data.code.archivedAt).not.toBeNull();
  expect(await (await browser.open(`${path}/delete`)).text()).not.toContain('Archive it instead');
});

test('many codes can be archived from the page that asks before deleting them', async () => {
  const { browser, code, stored } = await ownerOf();
  const page = `/user/qrcodes/selection?act=delete&ids=${code.id}`;
  const html = await (await browser.open(page)).text();
  const [, action = ''] = /formaction="([^"]*act=archive[^"]*)"/i.exec(html) ?? [];
  expect((await browser.post(action.replaceAll('&amp;', '&'), {})).status).toBe(303);
  expect((await stored()).data.code.archivedAt).not.toBeNull();
});

test('the page of a deleted code says until when we can bring it back', async () => {
  const { account, browser, code, path } = await ownerOf();
  await website.host.request(`/api/qrcodes/${code.id}`, { method: 'DELETE', token: account.token });
  expect(statusAndLocation(await browser.open(path))).toEqual([303, `${path}/deleted`]);
  const page = await browser.open(`${path}/deleted`);
  expect(page.status).toBe(410);
  expect(await textOf(page)).toMatch(/Until \d{1,2} \w+ \d{4} we can bring it back as it was/);
});

test('another code like it is made once, however often the form is sent', async () => {
  const { account, browser, path } = await ownerOf({ name: 'Cellar', tags: ['wine'] });
  const fields = { intent: 'duplicate', key: 'a-key-of-the-page' };
  const [first, second] = [
    await browser.post(`${path}?index`, fields),
    await browser.post(`${path}?index`, fields),
  ];
  expect(first.headers.get('location')).toBe(second.headers.get('location'));
  const list = await website.host.request('/api/qrcodes', { token: account.token });
  expect(await list.json()).toMatchObject({
    data: [{ name: 'Cellar (copy)', tags: ['wine'] }, { name: 'Cellar' }],
  });
  const poor = await ownerOf({}, false);
  expect(statusAndLocation(await poor.browser.post(`${poor.path}?index`, fields))).toEqual([
    303,
    '/user/subscription',
  ]);
});

test('new targets of many codes are shown before and after, then changed', async () => {
  const { account, browser, code } = await ownerOf({ content: 'https://old.example/menu' });
  await website.host.code(account.id, { type: 'text', content: 'old.example', name: 'A text' });
  const form = '/user/qrcodes/selection?act=retarget&all=1';
  expect(await textOf(await browser.open(form))).toContain('One address for all');
  for (const [fields, error] of [
    [{ kind: 'set', target: 'no address' }, 'Enter a web address'],
    [{ kind: 'replace', find: '' }, 'Enter what should be replaced.'],
  ] as const) {
    const refused = await browser.post(form, fields);
    expect(refused.status).toBe(422);
    expect(await textOf(refused)).toContain(error);
  }
  const shown = await browser.post(form, {
    kind: 'replace',
    find: 'old.example',
    replacement: 'new.example',
  });
  expect(shown.status).toBe(303);
  const address = shown.headers.get('location') ?? '';
  const page = await browser.open(address);
  const html = await page.text();
  expect(html).toMatch(/https:\/\/old\.example\/menu.*https:\/\/new\.example\/menu/s);
  expect(html).toContain('This is not a link code');
  const [, key = ''] = /name="key" value="([^"]+)"/.exec(html) ?? [];
  const stored = () => website.host.request(`/r/${code.slug}`, { method: 'HEAD' });
  expect((await stored()).headers.get('location')).toBe('https://old.example/menu');
  const outdated = await browser.post(address, { expected: '2', key });
  expect(outdated.headers.get('location')).toContain('/user/qrcodes/selection?act=retarget');
  const done = await browser.post(address, { expected: '1', key });
  expect(done.headers.get('location')).toMatch(/^\/user\/qrcodes\/jobs\//);
});

test('if nothing would change, there is nothing to confirm', async () => {
  const { browser, code } = await ownerOf({ content: 'https://old.example/menu' });
  const address = `/user/qrcodes/selection?act=retarget&ids=${code.id}&kind=replace&find=absent&replacement=`;
  const page = await browser.open(address);
  const html = await page.text();
  expect(html).toContain('No address would change.');
  expect(html).not.toMatch(/Change \d+ address/);
});
