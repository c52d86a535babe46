import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { getCode } from '#contract/codes';
import { HOUR_MS } from '#contract/time';
import { openBrowser, statusAndLocation, textOf } from '../../../support/browser';
import { send } from '../../../support/json-calls';
import { createTestWebsite, startClocks, type TestWebsite } from '../../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/qrcodes': 'codes/list/page.tsx',
    '/user/qrcodes/:id': 'codes/code/page.tsx',
    '/user/qrcodes/:id/rules/:rule': 'codes/rules/rule-page.tsx',
  });
});
afterAll(async () => website.close());

/** Moves the clocks of both programs, which `startClocks` has set. */
function passTime(milliseconds: number): void {
  const now = new Date(Date.now() + milliseconds);
  vi.setSystemTime(now);
  website.host.clock.set(now);
}

type Fields = Record<string, string>;

async function openCode(made: Parameters<TestWebsite['host']['code']>[1] = {}) {
  startClocks(website);
  const as = await website.host.account();
  const { id } = await website.host.code(as.id, made);
  const browser = await openBrowser(website, as);
  const path = `/user/qrcodes/${id}`;
  return {
    path,
    browser,
    post: (intent: string, fields: Fields = {}) => browser.post(`${path}?index`, { intent, ...fields }),
    read: async () => {
      const { body } = await send(website.host, 'GET', `/api/qrcodes/${id}`, undefined, as);
      return getCode.response.parse(body).data;
    },
    text: async (of = path) => textOf(await browser.open(of)),
    change: (routing: object) => send(website.host, 'PATCH', `/api/qrcodes/${id}`, { routing }, as),
  };
}

test('a code of any type but Wi-Fi is paused with a message and resumed', async () => {
  for (const made of [{}, { type: 'text', content: 'Hello' }] as const) {
    const { post, read, browser, text, path } = await openCode(made);
    const paused = await post('pause', { message: ' Back at 9 ' });
    expect(statusAndLocation(paused)).toEqual([303, path]);
    expect(await browser.notices()).toMatchObject([{ key: 'code_paused' }]);
    expect((await read()).routing?.pause).toEqual({ message: 'Back at 9' });
    const page = await text();
    expect(page).toContain('Paused: it leads nowhere for now');
    expect(page).toContain('Back at 9');
    expect(await text('/user/qrcodes')).toContain('Paused');
    await post('resume');
    expect(await browser.notices()).toMatchObject([{ key: 'code_resumed' }]);
    expect((await read()).routing?.pause ?? null).toBeNull();
    expect(await text('/user/qrcodes')).not.toContain('Paused');
  }
  const wifi = await openCode({ type: 'wifi', content: 'WIFI:T:WPA;S:guests;P:squared-paper;;' });
  expect(await wifi.text()).not.toContain('Pause the code');
  expect((await wifi.post('pause')).status).toBe(422);
});

test('an end is entered by the clock of the account, with a number of visits as people write it', async () => {
  const { post, read, text, browser } = await openCode();
  const times = { at: '2026-03-03T18:00', timeZone: 'Europe/Berlin' };
  await post('end', { ...times, visits: '5 000', target: 'later.example', message: '' });
  expect(await browser.notices()).toMatchObject([{ key: 'code_end_saved' }]);
  expect((await read()).routing?.end).toMatchObject({
    at: '2026-03-03T17:00:00.000Z',
    visits: 5000,
    target: 'https://later.example',
    message: '',
  });
  const page = await text();
  expect(page).toContain('Ends on 3 Mar 2026');
  expect(page).toContain('Ends after 5,000 visits; 0 so far.');
  website.host.clock.set(new Date('2026-03-03T17:00:00Z'));
  expect(await text()).toMatch(/Ended\. It now leads to https:\/\/later\.example/);
  await post('endless');
  expect((await read()).routing?.end ?? null).toBeNull();
});

test.each([
  // The second time that clocks in London show 01:30 in this night.
  '2026-10-25T01:30:00.000Z',
  '2026-10-25T01:30:45.000Z',
  '2026-07-01T10:00:45.500Z',
])('the form of an end or a schedule at %s saves the same moment', async (at) => {
  const { post, read, change, path, browser } = await openCode();
  await change({ end: { at, message: 'Over' }, schedule: { at, target: 'new.example' } });
  const html = await (await browser.open(path)).text();
  const typed = (form: string) => new RegExp(`id="${form}-form-at"[^>]* value="([^"]*)"`).exec(html)?.[1];
  const [end = '', schedule = ''] = [typed('end'), typed('schedule')];
  const timeZone = 'Europe/London';
  expect((await post('end', { at: end, timeZone, message: 'Closed' })).status).toBe(303);
  expect((await post('schedule', { at: schedule, timeZone, target: 'b.example' })).status).toBe(303);
  expect((await read()).routing).toMatchObject({
    end: { at, message: 'Closed' },
    schedule: { at, target: 'https://b.example' },
  });
});

test('a target is scheduled, shown and given up again', async () => {
  const { post, read, text, browser } = await openCode();
  await post('schedule', { at: '2026-03-29T02:30', timeZone: 'Europe/Berlin', target: 'new.example' });
  expect((await read()).routing?.schedule).toEqual({
    at: '2026-03-29T01:30:00.000Z',
    target: 'https://new.example',
  });
  expect(await text()).toMatch(/From 29 Mar 2026, 02:30 BST ?: https:\/\/new\.example/);
  await post('unschedule');
  expect(await browser.notices()).toMatchObject([{ key: 'code_unscheduled' }]);
  expect((await read()).routing?.schedule ?? null).toBeNull();
});

test('the history tells changes of rules, pause and end in words, and brings them back', async () => {
  const { path, browser, post, read, text } = await openCode();
  const acts = [
    () => browser.post(`${path}/rules/new`, { target1: 'a.example', ios: 'on' }),
    () => browser.post(`${path}/rules/new`, { target1: 'b.example' }),
    () => post('pause', { message: 'Back soon' }),
    () => post('resume'),
    () => post('end', { at: '2026-03-02T10:30', timeZone: 'Europe/London' }),
    () => post('endless'),
  ];
  for (const act of acts) {
    passTime(60_000);
    await act();
  }
  const page = await text();
  expect(page).toContain('Rules none 1. Device: iOS → https://a.example');
  expect(page).toContain('Rules 2. Every visit → https://b.example');
  expect(page).toMatch(/Pause none paused: “Back soon”/);
  expect(page).toMatch(/End ends on 2 Mar 2026, 10:30 GMT none Bring back/);
  passTime(HOUR_MS);
  expect(await text()).toMatch(/End ends on 2 Mar 2026, 10:30 GMT none 2 Mar 2026/);

  const [{ before } = { before: '' }] = (await read()).changes.filter(({ field }) => field === 'pause');
  expect(before).toContain('Back soon');
  await post('bring-back', { pause: before });
  expect((await read()).routing?.pause).toEqual({ message: 'Back soon' });

  const [rules] = (await read()).changes.filter(({ field }) => field === 'rules');
  await post('bring-back', { rules: rules?.before ?? '' });
  expect(await browser.notices()).toMatchObject([{ key: 'rules_restored' }]);
  expect((await read()).routing?.rules).toMatchObject([{ systems: ['ios'] }]);
  await post('bring-back', { rules: '' });
  expect((await read()).routing?.rules ?? []).toEqual([]);
  for (const rules of ['{', '{}', '[{}]']) expect((await post('bring-back', { rules })).status).toBe(422);
});

const ZONE = { timeZone: 'UTC' };

const REFUSED: [intent: string, fields: Fields, names: string[]][] = [
  ['end', { ...ZONE, at: '', visits: '' }, ['at']],
  ['end', { ...ZONE, at: '2026-03-01T10:00' }, ['at']],
  ['end', { ...ZONE, at: 'soon', visits: 'many' }, ['at', 'visits']],
  ['end', { ...ZONE, visits: '0' }, ['visits']],
  ['end', { ...ZONE, visits: '10', target: 'nowhere' }, ['target']],
  ['end', { ...ZONE, visits: '10', message: 'x'.repeat(301) }, ['message']],
  ['schedule', { ...ZONE, at: '', target: '' }, ['at']],
  ['schedule', { ...ZONE, at: '2026-03-01T10:00', target: 'b.example' }, ['at']],
  ['schedule', { ...ZONE, at: '2026-07-01T10:00', target: '' }, ['target']],
  ['pause', { message: 'x'.repeat(301) }, ['message']],
];

test('what is invalid is refused beside its fields, in an open fold', async () => {
  const { post, read } = await openCode();
  for (const [intent, fields, names] of REFUSED) {
    const answer = await post(intent, fields);
    expect(answer.status).toBe(422);
    const page = await answer.text();
    for (const name of names) expect(page).toContain(`id="${intent}-form-${name}-error"`);
    expect(page.match(/class="field-error"/g)).toHaveLength(names.length);
    expect(page).toMatch(new RegExp(`<details class="fold" id="${intent}" open`));
  }
  expect((await read()).routing).toBeNull();
});
