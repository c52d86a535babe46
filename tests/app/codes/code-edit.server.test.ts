import { afterAll, beforeAll, expect, test } from 'vitest';
import { getCode } from '#contract/codes';
import { DEFAULT_STYLE } from '#contract/style-rules';
import { openBrowser, statusAndLocation } from '../../support/browser';
import { send } from '../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({ '/user/qrcodes/:id': 'codes/code/page.tsx' });
});
afterAll(async () => website.close());

test('the scanning distance names the width it is for, as it cannot follow the field without scripts', async () => {
  const as = await website.host.account();
  const { id } = await website.host.code(as.id);
  const page = await (await website.browse(`/user/qrcodes/${id}`, { as })).text();
  expect(page).toMatch(/40 mm wide: readable from up to 0\.\d m/);
});

test.each(['constructor', 'toString', '__proto__', 'nothing', ''])(
  'a change named "%s" is read as one of the content',
  async (intent) => {
    const as = await website.host.account();
    const { id } = await website.host.code(as.id);
    const body = new URLSearchParams({ intent, content: 'https://typed.example/' });
    const response = await website.browse(`/user/qrcodes/${id}?index`, { method: 'POST', body, as });
    expect([response.status, response.headers.get('location')]).toEqual([303, `/user/qrcodes/${id}`]);
    const saved = await (await website.host.request(`/api/qrcodes/${id}`, { token: as.token })).json();
    expect(saved.data.code.content).toBe('https://typed.example/');
  },
);

test('a change sent while the host is down can be resent from its form', async () => {
  const as = await website.host.account();
  const { id } = await website.host.code(as.id);
  await website.hostDown();
  const body = new URLSearchParams({ intent: 'content', content: 'https://typed.example/' });
  const answer = await website.browse(`/user/qrcodes/${id}?index`, { method: 'POST', body, as });
  expect(answer.status).toBe(503);
  expect(await answer.text()).toContain(
    '<input type="hidden" name="content" value="https://typed.example/"/>',
  );
});

type Made = Parameters<typeof website.host.code>[1];

/** Posts a change to a new code with these fields; returns the response, the code as stored and the notices. */
async function edit(fields: Record<string, string>, made: Made = {}) {
  const as = await website.host.account();
  const { id } = await website.host.code(as.id, made);
  const browser = await openBrowser(website, as);
  const answer = await browser.post(`/user/qrcodes/${id}?index`, fields);
  const saved = await send(website.host, 'GET', `/api/qrcodes/${id}`, undefined, as);
  const { code } = getCode.response.parse(saved.body).data;
  return { id, as, browser, answer, code };
}

test('the name and the tags are saved together, and an invalid tag saves neither', async () => {
  const { answer, code, browser } = await edit({
    intent: 'labels',
    name: ' Menu  card ',
    tags: 'lunch, Été',
  });
  expect(answer.status).toBe(303);
  expect([code.name, code.tags]).toEqual(['Menu card', ['lunch', 'Été']]);
  expect(await browser.notices()).toMatchObject([
    { type: 'success', key: 'code_renamed', values: { name: 'Menu card' } },
  ]);
  const ten = Array.from({ length: 10 }, (_, n) => `tag ${n}`).join();
  expect((await edit({ intent: 'labels', name: 'x'.repeat(80), tags: ten })).code.tags).toHaveLength(10);
  for (const fields of [{ tags: `${ten},eleven` }, { tags: 'x'.repeat(31) }, { name: 'x'.repeat(81) }]) {
    const refused = await edit({ intent: 'labels', name: 'Menu', tags: 'lunch', ...fields });
    expect([refused.answer.status, refused.code.name, refused.code.tags]).toEqual([422, null, []]);
  }
});

test('a code is archived and taken back, and nothing else about it changes', async () => {
  const { id, as, browser, code } = await edit({ intent: 'archive', archived: 'true' }, { name: 'Menu' });
  expect([code.archivedAt !== null, code.name]).toEqual([true, 'Menu']);
  await browser.post(`/user/qrcodes/${id}?index`, { intent: 'archive', archived: 'false' });
  const back = await send(website.host, 'GET', `/api/qrcodes/${id}`, undefined, as);
  expect(getCode.response.parse(back.body).data.code).toMatchObject({ archivedAt: null, name: 'Menu' });
});

const CHANGES: [fields: Record<string, string>, made: Made, key: string, content?: string][] = [
  [
    { intent: 'content', content: 'https://new.example/menu' },
    {},
    'code_leads_to',
    'https://new.example/menu',
  ],
  [
    { intent: 'content', content: 'Open till ten' },
    { type: 'text', content: 'Open' },
    'code_contains',
    'Open till ten',
  ],
  [{ intent: 'visibility', visibility: 'private' }, {}, 'code_private'],
  [{ intent: 'visibility', visibility: 'public' }, { visibility: 'private' }, 'code_public'],
  [{ intent: 'archive', archived: 'true' }, {}, 'code_archived'],
  [{ intent: 'archive', archived: 'false' }, {}, 'code_unarchived'],
  [{ intent: 'labels', name: 'Menu', tags: 'lunch' }, { name: 'Menu' }, 'code_labels_saved'],
  [{ intent: 'labels', name: '', tags: '' }, { name: 'Menu' }, 'code_labels_saved'],
  [{ intent: 'bring-back', style: '' }, { style: DEFAULT_STYLE }, 'code_look_changed'],
];

test.each(CHANGES)('after %o the notice says what was done', async (fields, made, key, content = '') => {
  const { browser } = await edit(fields, made);
  const [notice] = await browser.notices();
  expect(notice).toMatchObject({ type: 'success', key });
  expect(notice?.values?.content ?? '').toContain(content.replace('https://', ''));
});

test('an earlier target can be brought back, subject to the checks of any target, and its address is a link', async () => {
  const { id, browser } = await edit(
    { intent: 'content', content: 'https://now.example/' },
    { content: 'https://before.example/' },
  );
  const html = await (await browser.open(`/user/qrcodes/${id}`)).text();
  const [, history = ''] = html.split('class="history"');
  expect(history).toContain('<a href="https://before.example/" rel="noopener noreferrer nofollow">');
  expect(history).toContain('<input type="hidden" name="intent" value="content"/>');
  expect(history).toContain('<input type="hidden" name="content" value="https://before.example/"/>');
  expect(history.match(/history__return/g)).toHaveLength(1);
});

test('without a subscription every control of a change is disabled, with the reason on top of the page', async () => {
  const as = await website.host.account({ access: false });
  const all: Made[] = [{}, { type: 'wifi', content: 'WIFI:T:WPA;S:Guests;P:espresso;;' }];
  for (const made of all) {
    const { id } = await website.host.code(as.id, made);
    const html = await (await website.browse(`/user/qrcodes/${id}`, { as })).text();
    expect(html).toContain('<span id="no-subscription">');
    const [, main = ''] = html.split('class="code-page"');
    const forms = main.match(/<form[^>]*method="post"[^>]*action="\/user\/qrcodes.*?<\/form>/gs) ?? [];
    expect(forms.length).toBeGreaterThan(1);
    for (const form of forms)
      expect(form).toMatch(/<fieldset[^>]*disabled=""[^>]*aria-describedby="no-subscription"/);
  }
});

test('the page of a Wi-Fi code says nothing of scanners being told', async () => {
  const as = await website.host.account();
  const { id } = await website.host.code(as.id, {
    type: 'wifi',
    content: 'WIFI:T:WPA;S:Guests;P:espresso;;',
  });
  const html = await (await website.browse(`/user/qrcodes/${id}`, { as })).text();
  expect(html).toContain('Printed copies go on connecting phones, as the network is in the image itself.');
  expect(html).not.toMatch(/is told that the code was deleted|answering every scan/);
});

test('a refused width of a file stays in the form', async () => {
  const as = await website.host.account();
  const { id } = await website.host.code(as.id);
  const html = await (
    await website.browse(`/user/qrcodes/${id}?format=png&pixels=40&millimetres=70&variant=direct`, { as })
  ).text();
  expect(html).toMatch(/<input[^>]*value="png"[^>]*checked=""|<input[^>]*checked=""[^>]*value="png"/);
  expect(html).toMatch(/<input[^>]*name="pixels"[^>]*value="40"|<input[^>]*value="40"[^>]*name="pixels"/);
  expect(html).toMatch(
    /<input[^>]*name="millimetres"[^>]*value="70"|<input[^>]*value="70"[^>]*name="millimetres"/,
  );
});

test('an earlier look is brought back, also the default one, unless it is not readable', async () => {
  const blue = { ...DEFAULT_STYLE, moduleColour: '#1d2f6f', cornerColour: '#1d2f6f' };
  const style = JSON.stringify(blue);
  expect((await edit({ intent: 'bring-back', style })).code.style).toEqual(blue);
  expect((await edit({ intent: 'bring-back', style: '' }, { style: blue })).code.style).toBeNull();
  for (const broken of ['{', '{"moduleShape":"stars"}', 'null']) {
    const { answer, code } = await edit({ intent: 'bring-back', style: broken }, { style: blue });
    expect([answer.status, code.style]).toEqual([422, blue]);
  }
});

test('an e-mail keeps its subject and its text apart', async () => {
  const fields = { content: 'bea@shop.example', subject: 'Table', body: 'For two' };
  const { code } = await edit(
    { intent: 'content', ...fields },
    { type: 'email', content: 'ada@shop.example' },
  );
  expect(code).toMatchObject(fields);
});

test('a deleted code leads to the page about its deletion, and a foreign one is not found', async () => {
  const { id, as, browser } = await edit({ intent: 'archive', archived: 'true' });
  const stranger = await openBrowser(website, await website.host.account());
  expect((await stranger.open(`/user/qrcodes/${id}`)).status).toBe(404);
  await send(website.host, 'DELETE', `/api/qrcodes/${id}`, undefined, as);
  expect(statusAndLocation(await browser.open(`/user/qrcodes/${id}`))).toEqual([
    303,
    `/user/qrcodes/${id}/deleted`,
  ]);
});
