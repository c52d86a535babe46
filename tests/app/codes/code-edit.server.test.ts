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

/** Posts a change to a new code with these fields; returns the response, the code as stored and the notices. */
async function edit(fields: Record<string, string>, made: Parameters<typeof website.host.code>[1] = {}) {
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
  expect(await browser.notices()).toMatchObject([{ type: 'success', key: 'qrcode_updated' }]);
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
