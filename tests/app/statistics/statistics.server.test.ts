import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../../support/browser';
import type { TestAccount } from '../../support/host';
import { send } from '../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../support/website';

const DAY_MS = 86_400_000;
let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({ '/user/analytics': 'user.analytics.tsx' });
});
afterAll(async () => website.close());

/** What the page shows to an account that asks for this. */
async function analyticsOf(account: TestAccount, search = '') {
  const { getAnalytics } = await import('~/statistics/statistics.server');
  const request = new Request(`http://localhost/user/analytics${search}`, {
    headers: { 'accept-language': 'en-GB' },
  });
  const { data, init } = await getAnalytics(
    { request, context: {} },
    account.token,
    ({ content }) => content,
  );
  const { form = null, isEmpty = null } = { ...('form' in data && data) };
  return { shown: { ...data, form, isEmpty }, status: init?.status, headers: new Headers(init?.headers) };
}

/** An account with an old and a young code. */
async function owner() {
  const account = await website.host.account();
  const now = website.host.clock.now().getTime();
  const old = await website.host.code(account.id, {
    content: 'https://old.example/',
    createdAt: new Date(now - 300 * DAY_MS),
  });
  const young = await website.host.code(account.id, {
    content: 'https://young.example/',
    createdAt: new Date(now - 2 * DAY_MS),
  });
  return { account, old, young };
}

test('the figures of all codes come with the most active ones, those of one code without', async () => {
  const { account, old } = await owner();
  const { shown: all } = await analyticsOf(account);
  expect(all.statistics?.code).toBeNull();
  expect(all.statistics?.codes?.rankings).toHaveLength(2);
  const { shown: one } = await analyticsOf(account, `?code=${old.id}`);
  expect(one.statistics?.code).toMatchObject({ id: old.id, name: 'https://old.example/' });
  expect(one.statistics?.codes).toBeNull();
});

test('an account with tags can ask for one, and files and search keep it', async () => {
  const { account, old } = await owner();
  expect((await analyticsOf(account)).shown.form?.tags).toEqual([]);
  await send(website.host, 'PATCH', `/api/qrcodes/${old.id}`, { tags: ['Summer & sea', 'Art'] }, account);
  const { shown } = await analyticsOf(account, '?tag=summer+%26+sea&period=7');
  expect(shown.form?.tags.map(({ value }) => value)).toEqual(['Art', 'Summer & sea']);
  expect(shown.form?.values.tag).toBe('Summer & sea');
  expect(shown.statistics?.tag).toBe('Summer & sea');
  expect(shown.statistics?.codes?.rankings).toHaveLength(2);
  expect(new URL(shown.files.daily, 'http://localhost').searchParams.get('tag')).toBe('summer & sea');
  const browser = await openBrowser(website, account);
  expect((await browser.open('/user/analytics?tag=Winter')).status).toBe(404);
});

test('of a code younger than the period it is said since when there is one', async () => {
  const { account, old, young } = await owner();
  const since = async (id: string, period: number) =>
    (await analyticsOf(account, `?code=${id}&period=${period}`)).shown.statistics?.code?.since;
  const made = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(
    young.createdAt,
  );
  expect(await since(young.id, 30)).toBe(made);
  expect(await since(old.id, 30)).toBeNull();
});

test('figures say as of when they are, by the clock of the zone asked for, which holds for them alone', async () => {
  const { account } = await owner();
  for (const timeZone of ['Asia/Tokyo', 'America/New_York']) {
    const { shown, headers } = await analyticsOf(account, `?period=7&timeZone=${timeZone}`);
    const { asOf, zone } = shown.statistics ?? { asOf: { at: '', time: '' }, zone: '' };
    const clock = {
      timeZone,
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    } as const;
    expect(asOf.time).toBe(new Intl.DateTimeFormat('en-GB', clock).format(new Date(asOf.at)));
    expect(zone).toBe(timeZone.replace('_', ' '));
    expect(headers.has('set-cookie')).toBe(false);
  }
});

test('figures of a copy of the database that is late say by how much, from three seconds on', async () => {
  const { account } = await owner();
  const { orm, reads } = website.host.db;
  const { figures } = reads;
  const browser = await openBrowser(website, account);
  const read = async (behindMs: number) => {
    reads.figures = (_, work) => work(orm, behindMs);
    return (await browser.open('/user/analytics')).text();
  };
  try {
    expect(await read(2_400)).not.toContain('seconds behind');
    expect(await read(12_400)).toContain('12 seconds behind');
    const { shown } = await analyticsOf(account);
    const late = website.host.clock.now().getTime() - Date.parse(shown.statistics?.asOf.at ?? '');
    expect(late).toBe(12_400);
  } finally {
    reads.figures = figures;
  }
});

test('a code older than the hundred that are listed can be chosen where it is asked for', async () => {
  const { account, old, young } = await owner();
  const now = website.host.clock.now().getTime();
  for (let number = 0; number < 100; number += 1) {
    await website.host.code(account.id, { createdAt: new Date(now - DAY_MS + number) });
  }
  const valuesFor = async (search: string) =>
    (await analyticsOf(account, search)).shown.form?.codes.map(({ value }) => value) ?? [];
  const usual = await valuesFor('');
  expect([usual.length, usual.includes(old.id), usual.includes(young.id)]).toEqual([100, false, false]);
  const asked = await valuesFor(`?code=${old.id}`);
  expect([asked.length, asked[0]]).toEqual([101, old.id]);
  const listed = usual[0] ?? '';
  expect(await valuesFor(`?code=${listed}`)).toEqual(usual);
});

test('an invalid filter is answered with the default figures and what is wrong', async () => {
  const { account } = await owner();
  const { shown, status } = await analyticsOf(account, '?period=range&from=2026-02-02&to=2026-02-01');
  expect(status).toBe(400);
  expect(shown.form?.errors).not.toEqual([]);
  expect(shown.statistics).not.toBeNull();
  expect((await analyticsOf(account, '?period=7')).status).toBe(200);
});

test('a code of somebody else is a 404 page, and without a subscription there are the files alone', async () => {
  const { young } = await owner();
  const browser = await openBrowser(website, await website.host.account());
  expect((await browser.open(`/user/analytics?code=${young.id}`)).status).toBe(404);
  const broke = await website.host.account({ access: false });
  const { shown } = await analyticsOf(broke);
  expect(shown.statistics).toBeNull();
  expect(shown.files.codes).toBe('/user/analytics/codes.csv');
});

test('a file that was asked for too often is a 429, with when to ask again', async () => {
  const { account } = await owner();
  const again = Math.floor(Date.now() / 1000) + 200;
  const { status, headers, shown } = await analyticsOf(account, `?again=${again}`);
  expect(status).toBe(429);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(100);
  expect(shown.refusal).not.toBeNull();
});

test('an account without codes and visits is told so', async () => {
  expect((await analyticsOf(await website.host.account())).shown.isEmpty).toBe(true);
  expect((await analyticsOf((await owner()).account)).shown.isEmpty).toBe(false);
});
