import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { visitOf } from '../../host/statistics/visit-stream';
import { openBrowser } from '../../support/browser';
import type { TestAccount } from '../../support/host';
import { send } from '../../support/json-calls';
import { userScopeOf } from '../../support/scope';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({ '/user/analytics': 'statistics/page.tsx' });
});
afterAll(async () => website.close());

/** The analytics page of an account for this query string. */
async function analyticsOf(account: TestAccount, search = '') {
  const { getAnalytics } = await import('~/statistics/statistics.server');
  const request = new Request(`http://localhost/user/analytics${search}`, {
    headers: { 'accept-language': 'en-GB' },
  });
  const { data, init } = await getAnalytics(await userScopeOf(account, request), ({ content }) => content);
  const { form = null, isEmpty = null } = { ...('form' in data && data) };
  return { shown: { ...data, form, isEmpty }, status: init?.status, headers: new Headers(init?.headers) };
}

/** An account with an old and a new code. */
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
  expect(all.statistics?.codes).not.toBeNull();
  expect(all.statistics?.figures).toHaveLength(12);
  const { shown: one } = await analyticsOf(account, `?code=${old.id}`);
  expect(one.statistics?.code).toMatchObject({ id: old.id, name: 'https://old.example/' });
  expect(one.statistics?.codes).toBeNull();
  expect(one.statistics?.figures).toHaveLength(8);
});

test('an account with tags can filter by one, and downloads and search keep it', async () => {
  const { account, old } = await owner();
  expect((await analyticsOf(account)).shown.form?.tags).toEqual([]);
  await send(website.host, 'PATCH', `/api/qrcodes/${old.id}`, { tags: ['Summer & sea', 'Art'] }, account);
  const { shown } = await analyticsOf(account, '?tag=summer+%26+sea&period=7');
  expect(shown.form?.tags.map(({ value }) => value)).toEqual(['Art', 'Summer & sea']);
  expect(shown.form?.values.tag).toBe('Summer & sea');
  expect(shown.statistics?.subject).toBe('Codes with the tag “Summer & sea”');
  expect(shown.statistics?.codes).not.toBeNull();
  expect(shown.exports.filter).toContainEqual(['tag', 'summer & sea']);
  const browser = await openBrowser(website, account);
  expect((await browser.open('/user/analytics?tag=Winter')).status).toBe(404);
});

test('a campaign in the table leads to its figures, which compare, report, files and list keep', async () => {
  const { account, old } = await owner();
  const { body } = await send(
    website.host,
    'PATCH',
    `/api/qrcodes/${old.id}`,
    { campaign: { utm_campaign: 'Summer & sea' } },
    account,
  );
  expect(body.data).toMatchObject({
    finalAddress: expect.stringContaining('utm_campaign=Summer%20%26%20sea'),
  });
  expect((await analyticsOf(account)).shown.form?.hasCampaigns).toBe(false);
  await expect
    .poll(async () => {
      await website.host.request(`/r/${old.slug}`);
      return (await analyticsOf(account)).shown.statistics?.campaigns[0]?.rows.map(({ to }) => to);
    })
    .toEqual(['/user/analytics?period=30&campaign=Summer+%26+sea&timeZone=Europe%2FLondon']);
  const { shown } = await analyticsOf(account, '?campaign=summer+%26+sea&period=7');
  expect(shown.statistics).toMatchObject({
    subject: 'Campaign “summer & sea”',
    list: 'campaign=summer+%26+sea&show=all',
    notes: ['These are the codes that lead to this campaign now, with all their visits.'],
  });
  expect(shown.form).toMatchObject({ hasCampaigns: true, values: { campaign: 'summer & sea' } });
  expect(shown).toMatchObject({
    links: {
      compare: '?of1=campaign%3Asummer+%26+sea',
      report: expect.stringContaining('campaign=summer+%26+sea'),
    },
  });
  expect(shown.exports.filter).toContainEqual(['campaign', 'summer & sea']);
  const none = (await analyticsOf(account, '?campaign=winter')).shown;
  expect(none.isEmpty).toBe(false);
  expect(none.statistics?.notes[0]).toContain('No code leads to this campaign now.');
});

test('a code newer than the period states since when it exists', async () => {
  const { account, old, young } = await owner();
  const since = async (id: string, period: number) =>
    (await analyticsOf(account, `?code=${id}&period=${period}`)).shown.statistics?.code?.since;
  const made = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(
    young.createdAt,
  );
  expect(await since(young.id, 30)).toBe(made);
  expect(await since(old.id, 30)).toBeNull();
});

test('a code that was created at the first moment of the period is not newer than it', async () => {
  const { account } = await owner();
  const today = Math.floor(website.host.clock.now().getTime() / DAY_MS) * DAY_MS;
  const sinceOf = async (createdAt: number) => {
    const { id } = await website.host.code(account.id, { createdAt: new Date(createdAt) });
    return (await analyticsOf(account, `?code=${id}&period=7&timeZone=UTC`)).shown.statistics?.code?.since;
  };
  expect(await sinceOf(today - 6 * DAY_MS)).toBeNull();
  expect(await sinceOf(today - 6 * DAY_MS + 1)).not.toBeNull();
});

test('a hundred codes are all listed, without a search for more', async () => {
  const account = await website.host.account();
  for (let number = 0; number < 100; number += 1) await website.host.code(account.id);
  const { shown } = await analyticsOf(account);
  expect([shown.form?.codes.length, shown.form?.hasMore, 'search' in shown && shown.search]).toEqual([
    100,
    false,
    null,
  ]);
  await website.host.code(account.id);
  const { shown: more } = await analyticsOf(account);
  expect([more.form?.codes.length, more.form?.hasMore, 'search' in more && more.search?.codes]).toEqual([
    100,
    true,
    [],
  ]);
});

test('the creation day of a code is that of the chosen time zone', async () => {
  const { account } = await owner();
  const midnight = Math.floor(website.host.clock.now().getTime() / DAY_MS) * DAY_MS;
  const createdAt = new Date(midnight - 3 * DAY_MS + DAY_MS / 12);
  const { id } = await website.host.code(account.id, { createdAt });
  for (const timeZone of ['UTC', 'America/Los_Angeles', 'Asia/Tokyo']) {
    const { shown } = await analyticsOf(account, `?code=${id}&timeZone=${timeZone}`);
    const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone }).format(createdAt);
    expect([timeZone, shown.statistics?.code?.since]).toEqual([timeZone, day]);
  }
});

test('figures state their time in the chosen zone, which applies only to that page', async () => {
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

test('figures from a lagging read replica state the lag from three seconds on', async () => {
  const { account } = await owner();
  const { orm, reads } = website.host.db;
  const { figures } = reads;
  const browser = await openBrowser(website, account);
  const read = async (behindMs: number) => {
    reads.figures = (_, work) => work(orm, behindMs);
    return (await browser.open('/user/analytics')).text();
  };
  try {
    expect(await read(2_499)).not.toContain('seconds behind');
    expect(await read(2_500)).toContain('3 seconds behind');
    expect(await read(12_400)).toContain('12 seconds behind');
    const { shown } = await analyticsOf(account);
    const late = website.host.clock.now().getTime() - Date.parse(shown.statistics?.asOf.at ?? '');
    expect(late).toBe(12_400);
  } finally {
    reads.figures = figures;
  }
});

test('visits on a different UTC day are not denied in the figures for devices and visitors', async () => {
  const { host } = website;
  const today = host.clock.now();
  onTestFinished(() => host.clock.set(today));
  // In Los Angeles it is still the second.
  host.clock.set(new Date('2026-03-03T02:00:00Z'));
  const account = await host.account();
  const { id } = await host.code(account.id);
  await host.recorder.record(visitOf(id, '2026-03-03T01:30:00Z'));
  await host.recorder.idle();
  const findings = async (timeZone: string) => {
    const { statistics } = (await analyticsOf(account, `?period=7&timeZone=${timeZone}`)).shown;
    if (!statistics) throw new Error('there are no figures');
    const { when, codes, origin } = statistics;
    expect(when.trend.finding).toMatch(/^1 visit:/);
    const rankings = [origin.devices, origin.systems, origin.languages, ...(codes ? [codes.mostActive] : [])];
    return [...rankings, when.visitors].map(({ finding }) => finding);
  };
  const local = await findings('America/Los_Angeles');
  expect(local).toHaveLength(5);
  for (const finding of local) {
    expect(finding).not.toMatch(/No (?:visits|visitors) in this period/);
    expect(finding).toContain('UTC');
  }
  for (const finding of await findings('UTC')) expect(finding).not.toContain('UTC');
});

test('a code older than the hundred listed is added to the list if it is selected', async () => {
  const { account, old, young } = await owner();
  const now = website.host.clock.now().getTime();
  for (let number = 0; number < 100; number += 1) {
    await website.host.code(account.id, { createdAt: new Date(now - DAY_MS + number) });
  }
  const valuesFor = async (search: string) =>
    (await analyticsOf(account, search)).shown.form?.codes.map(({ value }) => value) ?? [];
  const usual = await valuesFor('');
  expect([usual.length, usual.includes(old.id), usual.includes(young.id)]).toEqual([100, false, false]);
  const requested = await valuesFor(`?code=${old.id}`);
  expect([requested.length, requested[0]]).toEqual([101, old.id]);
  const listed = usual[0] ?? '';
  expect(await valuesFor(`?code=${listed}`)).toEqual(usual);
});

test('archived codes have figures and are listed after the others', async () => {
  const { account, old, young } = await owner();
  for (const { id } of [old, young])
    await send(website.host, 'PATCH', `/api/qrcodes/${id}`, { archived: true }, account);
  const { shown } = await analyticsOf(account);
  expect([shown.isEmpty, shown.form?.hasMore, 'search' in shown && shown.search]).toEqual([
    false,
    false,
    null,
  ]);
  expect(shown.form?.codes.map(({ value }) => value)).toEqual([young.id, old.id]);
  const inUse: string[] = [];
  for (let number = 0; number < 99; number += 1) inUse.unshift((await website.host.code(account.id)).id);
  const { shown: many } = await analyticsOf(account);
  expect(many.form?.codes.map(({ value }) => value)).toEqual([...inUse, young.id]);
  expect(many.form?.hasMore).toBe(true);
  const found = (await analyticsOf(account, '?find=old.example')).shown;
  expect('search' in found && found.search?.codes.map(({ id }) => id)).toEqual([old.id]);
  const { shown: none } = await analyticsOf(await website.host.account());
  expect(none.isEmpty).toBe(true);
});

test('an invalid filter gets the default figures and the errors', async () => {
  const { account } = await owner();
  const { shown, status } = await analyticsOf(account, '?period=range&from=2026-02-02&to=2026-02-01');
  expect(status).toBe(400);
  expect(shown.form?.errors).not.toEqual([]);
  expect(shown.statistics).not.toBeNull();
  expect((await analyticsOf(account, '?period=7')).status).toBe(200);
});

test("another account's code gets a 404 page, and without a subscription there are only downloads", async () => {
  const { young } = await owner();
  const browser = await openBrowser(website, await website.host.account());
  expect((await browser.open(`/user/analytics?code=${young.id}`)).status).toBe(404);
  const broke = await website.host.account({ access: false });
  const { shown } = await analyticsOf(broke);
  expect(shown.statistics).toBeNull();
  expect(shown.exports.filter.map(([name]) => name)).toEqual(['period', 'timeZone']);
});

test('a file downloaded too often gets a 429 with Retry-After', async () => {
  const { account } = await owner();
  const again = Math.floor(Date.now() / 1000) + 200;
  const { status, headers, shown } = await analyticsOf(account, `?again=${again}`);
  expect(status).toBe(429);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(100);
  expect(shown.refusal).not.toBeNull();
});

test('an account without codes or visits is told so', async () => {
  expect((await analyticsOf(await website.host.account())).shown.isEmpty).toBe(true);
  expect((await analyticsOf((await owner()).account)).shown.isEmpty).toBe(false);
});

test('a page without visits leaves out where they come from, but not visits that are counted separately', async () => {
  const { account, old } = await owner();
  const browser = await openBrowser(website, account);
  const pageText = async () => (await browser.open('/user/analytics')).text();
  expect(await pageText()).not.toMatch(/>Devices<|>Counted separately</);
  const { clock, recorder } = website.host;
  await recorder.record(visitOf(old.id, clock.now().toISOString(), { class: 'bot' }));
  await recorder.idle();
  clock.advance(60_000);
  expect(await pageText()).toMatch(/>Counted separately</);
});
