import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { getCode } from '#contract/codes';
import { openBrowser, statusAndLocation, type TestBrowser, textOf } from '../../support/browser';
import type { TestAccount } from '../../support/host';
import { send } from '../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;
let account: TestAccount;
let browser: TestBrowser;

beforeAll(async () => {
  website = await createTestWebsite({
    '/create': 'codes/create/page.tsx',
    '/user/qrcodes': 'codes/list/page.tsx',
    '/user/qrcodes/selection': 'codes/list/bulk-page.tsx',
    '/user/qrcodes/:id': 'codes/code/page.tsx',
  });
});
beforeEach(async () => {
  account = await website.host.account();
  browser = await openBrowser(website, account);
});
afterAll(async () => website.close());

const INPUTS = {
  utm_source: '',
  utm_medium: '',
  utm_campaign: '',
  utm_term: '',
  utm_content: '',
  utm_more: '',
};

async function codeOf(id: string) {
  const { body } = await send(website.host, 'GET', `/api/qrcodes/${id}`, undefined, account);
  return getCode.response.parse(body).data.code;
}

async function madeCode(fields: object = {}) {
  const { id, slug } = await website.host.code(account.id, { content: 'https://a.example/', ...fields });
  return { id, slug, path: `/user/qrcodes/${id}` };
}

test('the page shows where visitors would be led before anything is saved, and then saves it', async () => {
  const { id, slug, path } = await madeCode({ name: 'Window' });
  const entered = { ...INPUTS, utm_campaign: '{name}', utm_more: 'ref={id}' };
  const shown = await browser.post(`${path}?index`, { ...entered, intent: 'campaign-preview' });
  expect(shown.status).toBe(200);
  const html = await shown.text();
  const final = `https://a.example/?utm_campaign=Window&ref=${slug}`;
  expect(await textOf(new Response(html))).toContain(`Visitors get this address: ${final}`);
  expect(html).toMatch(/<details class="fold" id="campaign" open="">/);
  expect(html).toContain('value="ref={id}"');
  expect((await codeOf(id)).campaign).toBeNull();
  const saved = await browser.post(`${path}?index`, { ...entered, intent: 'campaign' });
  expect(statusAndLocation(saved)).toEqual([303, path]);
  expect(await browser.notices()).toMatchObject([{ key: 'code_campaign_saved' }]);
  expect(await codeOf(id)).toMatchObject({
    campaign: { utm_campaign: '{name}', ref: '{id}' },
    finalAddress: final,
  });
  expect(await textOf(await browser.open('/user/qrcodes'))).not.toContain('utm_campaign');
});

test('the form of a code with parameters saves the same ones', async () => {
  for (const campaign of [{ ref: 'R&D' }, { ref: 'a&b=c', x: '%26' }]) {
    const { id, path } = await madeCode({ campaign });
    const html = await (await browser.open(path)).text();
    const [, typed = ''] = /name="utm_more"[^>]* value="([^"]*)"/.exec(html) ?? [];
    const utm_more = typed.replaceAll('&amp;', '&');
    const saved = await browser.post(`${path}?index`, { ...INPUTS, utm_more, intent: 'campaign' });
    expect(statusAndLocation(saved)).toEqual([303, path]);
    expect((await codeOf(id)).campaign).toEqual(campaign);
  }
});

test('the link to the figures names the campaign as it is counted', async () => {
  const typed = `  ${'x'.repeat(200)}`;
  const { path } = await madeCode({
    content: `https://a.example/?utm_campaign=${encodeURIComponent(typed)}`,
  });
  const html = await (await browser.open(path)).text();
  expect(html).toContain(`href="/user/analytics?campaign=${'x'.repeat(98)}"`);
});

test('the history says what changed, and brings it back', async () => {
  const { id, path } = await madeCode({ campaign: { utm_source: 'flyer', ref: 'x' } });
  await browser.post(`${path}?index`, { ...INPUTS, intent: 'campaign' });
  expect(await browser.notices()).toMatchObject([{ key: 'code_campaign_removed' }]);
  const page = await (await browser.open(path)).text();
  expect(await textOf(new Response(page))).toMatch(/Campaign parameters utm_source=flyer ref=x none/);
  const [, earlier = ''] = /name="campaign" value="([^"]*)"/.exec(page) ?? [];
  const campaign = earlier.replaceAll('&quot;', '"');
  const back = await browser.post(`${path}?index`, { intent: 'bring-back', campaign });
  expect(statusAndLocation(back)).toEqual([303, path]);
  expect((await codeOf(id)).campaign).toEqual({ utm_source: 'flyer', ref: 'x' });
});

test.each([
  [{ utm_source: '{nmae}' }, 'In braces, only {name}, {tag} and {id} have a meaning.', 'utm_source'],
  [{ utm_more: 'a=1&a=2' }, 'Give each parameter only once.', 'utm_more'],
  [{ utm_more: 'a b=1' }, 'The name of a parameter consists of letters', 'utm_more'],
  [{ utm_more: 'ref=R&D' }, 'Write each further parameter as name=value', 'utm_more'],
  [{ utm_source: 'x'.repeat(1_001) }, 'too long', 'utm_source'],
])('%j is refused beside its input', async (entered, text, field) => {
  const { id, path } = await madeCode();
  for (const intent of ['campaign', 'campaign-preview']) {
    const answer = await browser.post(`${path}?index`, { ...INPUTS, ...entered, intent });
    expect(answer.status).toBe(422);
    const html = await answer.text();
    expect(html).toContain(`href="#campaign-form-${field}"`);
    expect(await textOf(new Response(html))).toMatch(
      new RegExp(text.slice(0, 12).replace(/[{}]/g, '\\$&'), 'i'),
    );
  }
  expect((await codeOf(id)).campaign).toBeNull();
});

test('an address that would be too long is refused for the whole form', async () => {
  const { path } = await madeCode({ content: `https://a.example/${'x'.repeat(230)}` });
  const answer = await browser.post(`${path}?index`, { ...INPUTS, utm_source: 'flyer', intent: 'campaign' });
  expect(answer.status).toBe(422);
  expect(await textOf(answer)).toContain('an address of this code would have more than 255 characters');
});

test('a code that is no link has no such form', async () => {
  const { path } = await madeCode({ type: 'text', content: 'Hello' });
  expect(await textOf(await browser.open(path))).not.toContain('utm_source');
});

test('the creation form shows where visitors would be led, and creates the code with it', async () => {
  const fields = { ...INPUTS, type: 'link', content: 'a.example', name: 'Door', utm_term: '{name}' };
  const shown = await browser.post('/create', { ...fields, intent: 'preview' });
  expect(await textOf(shown)).toContain('Visitors get this address: https://a.example/?utm_term=Door');
  const refused = await browser.post('/create', { ...fields, utm_more: 'a b=1', intent: 'create' });
  expect(refused.status).toBe(422);
  expect(await textOf(refused)).toContain('The name of a parameter consists of letters');
  expect((await browser.post('/create', { ...fields, intent: 'create' })).status).toBe(303);
  const { body } = await send(website.host, 'GET', '/api/qrcodes', undefined, account);
  expect(body.data).toMatchObject([{ campaign: { utm_term: '{name}' }, content: 'https://a.example' }]);
});

test('parameters that were typed for a link are ignored for a text', async () => {
  const fields = { ...INPUTS, type: 'text', content: 'Hello', utm_source: '{nmae}', intent: 'create' };
  expect((await browser.post('/create', fields)).status).toBe(303);
});

test('a visitor keeps what was typed until there is an account', async () => {
  const visitor = await openBrowser(website);
  const fields = { ...INPUTS, type: 'link', content: 'a.example', utm_source: 'flyer', utm_more: 'ref=1' };
  expect((await visitor.post('/create', { ...fields, intent: 'create' })).status).toBe(303);
  const page = await (await visitor.open('/create')).text();
  expect(page).toContain('value="ref=1"');
  expect(await textOf(new Response(page))).toContain('https://a.example/?utm_source=flyer&ref=1');
});

test('many codes get them after a look at each address', async () => {
  const one = await madeCode({ name: 'Door' });
  const other = await madeCode({ name: 'Window', campaign: { ref: 'old' } });
  const form = `/user/qrcodes/selection?act=retarget&ids=${one.id},${other.id}`;
  const entered = { kind: 'campaign', ...INPUTS, utm_campaign: '{name}' };
  const asked = await browser.post(form, entered);
  const [status, page] = statusAndLocation(asked);
  expect(status).toBe(303);
  const text = await textOf(await browser.open(page ?? ''));
  expect(text).toContain('Before https://a.example/?ref=old After https://a.example/?utm_campaign=Window');
  expect(text).toContain('Change 2 addresses');
  expect((await browser.post(page ?? '', { expected: '2' })).status).toBe(303);
  expect((await codeOf(other.id)).campaign).toEqual({ utm_campaign: '{name}' });
  const [, removal] = statusAndLocation(await browser.post(form, { kind: 'campaign', ...INPUTS }));
  expect((await browser.post(removal ?? '', { expected: '2' })).status).toBe(303);
  expect((await codeOf(one.id)).campaign).toBeNull();
  const refused = await browser.post(form, { ...entered, utm_source: '{x}' });
  expect(refused.status).toBe(422);
});
