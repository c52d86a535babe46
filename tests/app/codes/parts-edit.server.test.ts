import { afterAll, beforeAll, expect, test } from 'vitest';
import { getCode } from '#contract/codes';
import { openBrowser } from '../../support/browser';
import { send } from '../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({ '/user/qrcodes/:id': 'codes/code/page.tsx' });
});
afterAll(async () => website.close());

const CONTENT = JSON.stringify({ givenName: 'Ada', mobilePhone: '+33123456789', note: 'Line 1\nLine 2' });

async function contactCode() {
  const as = await website.host.account();
  const { id } = await website.host.code(as.id, { type: 'contact', content: CONTENT });
  const browser = await openBrowser(website, as);
  const post = (fields: Record<string, string>) =>
    browser.post(`/user/qrcodes/${id}?index`, { intent: 'content', ...fields });
  const read = async () =>
    getCode.response.parse((await send(website.host, 'GET', `/api/qrcodes/${id}`, undefined, as)).body).data;
  const page = async () => (await website.browse(`/user/qrcodes/${id}`, { as })).text();
  return { post, read, page };
}

test('the form has what is stored, each text in its field', async () => {
  const page = await (await contactCode()).page();
  expect(page).toMatch(/name="givenName"[^>]*value="Ada"/);
  expect(page).toMatch(/name="mobilePhone"[^>]*value="\+33123456789"/);
  expect(page).toMatch(/<textarea[^>]*name="note"[^>]*>Line 1\nLine 2<\/textarea>/);
  expect(page).not.toMatch(/name="content"/);
});

test('a change replaces all texts, is shown in words in the history, and can be brought back', async () => {
  const { post, read, page } = await contactCode();
  expect((await post({ givenName: 'Grace', workEmail: 'grace@example.com' })).status).toBe(303);
  const { code, changes } = await read();
  expect(JSON.parse(code.content)).toEqual({ givenName: 'Grace', workEmail: 'grace@example.com' });
  expect(changes).toMatchObject([{ field: 'content', before: CONTENT, after: code.content }]);
  const shown = await page();
  expect(shown).toContain('Ada\n+33123456789\nLine 1\nLine 2');
  expect(shown).toContain('Grace\ngrace@example.com');
  expect((await post({ content: CONTENT, subject: '', body: '' })).status).toBe(303);
  expect((await read()).code.content).toBe(CONTENT);
});

test('what is wrong is said beside its field, and everything entered stays', async () => {
  const { post, read } = await contactCode();
  const refused = await post({ organisation: 'Engines', workEmail: 'ada@', note: 'kept' });
  expect(refused.status).toBe(422);
  const page = await refused.text();
  expect(page).toMatch(
    /name="workEmail"[^>]*aria-invalid="true"[^>]*value="ada@"|value="ada@"[^>]*aria-invalid="true"/,
  );
  expect(page).toMatch(/name="organisation"[^>]*value="Engines"/);
  expect((await post({ content: '{"givenName":1}' })).status).toBe(422);
  expect((await read()).code.content).toBe(CONTENT);
});
