import { like } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TEXT_LINKS } from '#host/codes/contents/text-links';
import { rateLimits } from '#host/db/accounts.tables';
import { breakable } from '../../support/breakable-database';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { JSON_CALLER, readEngagements, visitorAt } from './engaged-codes';

const NONE = { visitors: 1, engagements: 0, engaged: 0, rate: 0 };
const ONE = { visitors: 1, engagements: 1, engaged: 1, rate: 1 };
let host: TestHost;
let owner: TestAccount;
let broken: ReturnType<typeof breakable>;
let people = 0;
let ada: ReturnType<typeof visitorAt>;

beforeAll(async () => {
  broken = breakable(await openFresh());
  host = await createTestHost({ db: broken.db });
  owner = await host.account();
});
beforeEach(() => {
  people += 1;
  ada = visitorAt(host, `192.0.2.${people}`);
});
afterAll(() => host.close());

/** The highest rate limit count of any IP address. */
async function maxPoints(): Promise<number> {
  const rows = await host.db.orm
    .select({ points: rateLimits.points })
    .from(rateLimits)
    .where(like(rateLimits.key, 'engagement:%'));
  return Math.max(0, ...rows.map(({ points }) => points));
}

/** Polls, because counting may take longer than the response on a slow machine. */
const expectSoon = (code: { id: string }, figures: object) =>
  expect.poll(() => readEngagements(host, owner, code.id), { timeout: 15_000 }).toEqual(figures);
const mailCode = (fields = {}) =>
  host.code(owner.id, {
    type: 'email',
    content: 'ada@b.example',
    subject: 'Hi, you',
    body: 'a\nb',
    ...fields,
  });
const textCode = (content = 'See https://one.example/a, (https://two.example/b_(c)).') =>
  host.code(owner.id, { type: 'text', content });

test.each([
  ['call', 'tel:+33123456789;ext=12'],
  ['sms', 'sms:+33123456789'],
] as const)('the act %s of a phone code leads to its number and counts', async (act, target) => {
  const code = await host.code(owner.id, { type: 'phone', content: '+33123456789;ext=12' });
  expect((await ada.visit(code)).status).toBe(200);
  const answer = await ada.act(code, act);
  expect([answer.status, answer.headers.get('location')]).toEqual([302, target]);
  await expectSoon(code, ONE);
  expect((await ada.act(code, 'write')).status).toBe(404);
});

test('writing redirects to the composed e-mail and counts', async () => {
  const code = await mailCode();
  await ada.visit(code);
  const answer = await ada.act(code, 'write');
  expect(answer.status).toBe(302);
  expect(answer.headers.get('location')).toBe('mailto:ada@b.example?subject=Hi%2C%20you&body=a%0D%0Ab');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  await expectSoon(code, ONE);
});

test('opening redirects to the links of the text by position, and nowhere else', async () => {
  const code = await textCode();
  await ada.visit(code);
  const targetOf = async (search: string) => (await ada.act(code, `open${search}`)).headers.get('location');
  expect(await targetOf('?n=1')).toBe('https://one.example/a');
  expect(await targetOf('?n=2')).toBe('https://two.example/b_(c)');
  expect(await targetOf('')).toBe('https://one.example/a');
  for (const n of ['3', '99', '1e9']) {
    const target = new URL((await targetOf(`?n=${n}`)) ?? '');
    expect(target.origin + target.pathname).toBe(`https://www.quadrille.example/l/${code.slug}`);
  }
  for (const n of ['0', '-1', '1.5', 'https://evil.example', '&url=https://evil.example', '%00']) {
    expect(await targetOf(`?n=${n}`)).toBe('https://one.example/a');
  }
});

test('of many links the page’s last one opens, and the next is none of it', async () => {
  const urls = Array.from({ length: TEXT_LINKS + 1 }, (_, n) => `https://many.example/${n + 1}`);
  const code = await textCode(urls.join(' '));
  await ada.visit(code);
  const open = async (n: number) => (await ada.act(code, `open?n=${n}`)).headers.get('location');
  expect(await open(TEXT_LINKS)).toBe(urls[TEXT_LINKS - 1]);
  expect(new URL((await open(TEXT_LINKS + 1)) ?? '').pathname).toBe(`/l/${code.slug}`);
});

test('an outdated act redirects to the page of the code without counting another visit', async () => {
  const code = await textCode('Nothing to open any more');
  await ada.visit(code);
  const target = new URL((await ada.act(code, 'open?n=1')).headers.get('location') ?? '');
  const shown = await host.request(target.pathname + target.search, { headers: JSON_CALLER });
  expect(await shown.json()).toMatchObject({
    data: { kind: 'text', text: 'Nothing to open any more', links: [] },
  });
  expect(await readEngagements(host, owner, code.id)).toEqual(NONE);
});

test('copying is reported by the script and counts', async () => {
  const code = await textCode();
  await ada.visit(code);
  const answer = await ada.copy(code);
  expect([answer.status, await answer.text()]).toEqual([204, '']);
  await expectSoon(code, ONE);
});

test('each act counts once a day, and the person once', async () => {
  const code = await textCode();
  await ada.visit(code);
  for (const act of ['open', 'open?n=2', 'open']) await ada.act(code, act);
  await ada.copy(code);
  await ada.copy(code);
  const twice = { visitors: 1, engagements: 2, engaged: 1, rate: 1 };
  await expectSoon(code, twice);
  host.clock.advance(24 * 3_600_000);
  await ada.copy(code);
  await expectSoon(code, twice);
  await ada.visit(code);
  await ada.copy(code);
  await expectSoon(code, { ...twice, visitors: 2, engagements: 3, engaged: 2 });
  host.clock.advance(-24 * 3_600_000);
});

test('without a visit to the code that day, an act redirects and does not count', async () => {
  const [code, other] = [await mailCode(), await mailCode()];
  await ada.visit(other);
  expect((await ada.act(code, 'write')).status).toBe(302);
  expect(await readEngagements(host, owner, code.id)).toEqual({
    visitors: 0,
    engagements: null,
    engaged: null,
    rate: null,
  });
});

test.each([
  ['HEAD', { method: 'HEAD' }, {}],
  ['a prefetch', {}, { 'sec-purpose': 'prefetch;prerender' }],
  ['a robot', {}, { 'user-agent': 'Googlebot/2.1' }],
  ['a preview', {}, { 'user-agent': 'WhatsApp/2.23.20.0 A' }],
  ['no user agent at all', {}, { 'user-agent': '' }],
])('%s is answered and not counted', async (_, init, headers) => {
  const code = await mailCode();
  const person = { ...JSON_CALLER, 'x-client-ip': `198.51.100.${people}` };
  for (const each of [person, { ...person, ...headers }])
    await host.request(`/r/${code.slug}`, { headers: each });
  const answer = await host.request(`/e/${code.slug}/write`, { ...init, headers: { ...person, ...headers } });
  expect([answer.status, answer.headers.get('location')?.slice(0, 7)]).toEqual([302, 'mailto:']);
  expect(await readEngagements(host, owner, code.id)).toEqual(NONE);
});

test('the owner is redirected and not counted, even after visiting signed out', async () => {
  const code = await mailCode({ visibility: 'public' });
  await ada.visit(code);
  const headers = { ...JSON_CALLER, 'x-client-ip': `192.0.2.${people}` };
  const own = await host.request(`/e/${code.slug}/write`, { headers, token: owner.token });
  expect(own.status).toBe(302);
  expect(await readEngagements(host, owner, code.id)).toEqual(NONE);
});

test('acts on a private code work only for its owner', async () => {
  const code = await mailCode({ visibility: 'private' });
  const refused = await ada.act(code, 'write');
  expect([refused.status, (await refused.json()).code]).toEqual([404, 'code_private']);
  expect((await ada.copy(code)).status).toBe(404);
  const own = await host.request(`/e/${code.slug}/write`, { headers: JSON_CALLER, token: owner.token });
  expect(own.status).toBe(302);
});

test('acts on a deleted or unknown code or one of another type get 404 with the reason', async () => {
  const refusals: [{ slug: string }, string, string][] = [
    [await mailCode({ deletedAt: host.clock.now() }), 'write', 'code_deleted'],
    [{ slug: 'ZZZZZZZZ' }, 'write', 'code_unknown'],
    [{ slug: '%00' }, 'write', 'code_unknown'],
    [{ slug: 'x'.repeat(200) }, 'write', 'not_found'],
    [await mailCode(), 'open', 'code_unknown'],
    [await textCode(), 'write', 'code_unknown'],
    [await host.code(owner.id), 'open', 'code_unknown'],
    [await host.code(owner.id, { type: 'wifi', content: 'WIFI:T:nopass;S:cafe;;' }), 'open', 'code_unknown'],
    [await textCode(), 'erase', 'not_found'],
  ];
  for (const [code, act, said] of refusals) {
    const answer = await ada.act(code, act);
    expect([answer.status, (await answer.json()).code]).toEqual([404, said]);
  }
  expect((await ada.copy(await host.code(owner.id))).status).toBe(404);
});

test('a browser on the short domain is sent to the website, which counts', async () => {
  const code = await mailCode();
  await ada.visit(code);
  const headers = { accept: 'text/html', 'x-client-ip': `192.0.2.${people}` };
  const sent = await host.request(`/e/${code.slug.toLowerCase()}/write`, { headers });
  expect(sent.headers.get('location')).toBe(`https://www.quadrille.example/e/${code.slug}/write?n=1`);
  expect(await readEngagements(host, owner, code.id)).toEqual(NONE);
});

test('without the database a visitor is still redirected', async () => {
  const code = await mailCode();
  await ada.visit(code);
  for (const trouble of ['down', 'stuck'] as const) {
    broken.set(trouble, 'engagement_count');
    expect((await ada.act(code, 'write')).headers.get('location')).toMatch(/^mailto:/);
  }
  broken.set('none');
  await expectSoon(code, ONE);
});

test('an act whose acknowledgement was lost is sent again and counts once', async () => {
  const code = await mailCode();
  await ada.visit(code);
  broken.set('lost', 'engagement_count');
  expect((await ada.act(code, 'write')).status).toBe(302);
  broken.set('none');
  await ada.act(code, 'write');
  await expectSoon(code, ONE);
});

test('an act that overtakes its visit is counted when the visit is written', async () => {
  const code = await mailCode();
  await visitorAt(host, '192.0.2.250').visit(code);
  await ada.act(code, 'write');
  expect(await readEngagements(host, owner, code.id)).toEqual(NONE);
  await ada.visit(code);
  await expectSoon(code, { visitors: 2, engagements: 1, engaged: 1, rate: 0.5 });
});

test('beyond the rate limit of an IP address acts redirect without counting', async () => {
  const code = await mailCode();
  await ada.visit(code);
  const spent = Array.from({ length: 300 }, () => ada.act({ slug: code.slug }, 'write'));
  await Promise.all(spent);
  // Responses do not wait long for counting, so on a busy machine the last acts are recorded after them.
  await expect.poll(maxPoints, { timeout: 15_000 }).toBeGreaterThanOrEqual(300);
  const late = await textCode();
  await ada.visit(late);
  expect((await ada.act(late, 'open')).headers.get('location')).toBe('https://one.example/a');
  expect(await readEngagements(host, owner, late.id)).toEqual(NONE);
  await expectSoon(code, ONE);
});

test('no IP address or user agent of an act is stored', async () => {
  const code = await mailCode();
  const headers = {
    ...JSON_CALLER,
    'user-agent': 'Mozilla/5.0 (iPhone) Marker',
    'x-client-ip': '203.0.113.77',
  };
  await host.request(`/r/${code.slug}`, { headers });
  await host.request(`/e/${code.slug}/write`, { headers });
  for (const table of ['engagements', 'code_engagements', 'account_visitors', 'rate_limits']) {
    const text = `select t::text as row from ${table} t`;
    const rows = await host.db.query<{ row: string }>({ name: '', text, values: [] });
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ row }) => /Marker|203\.0/.test(row))).toEqual([]);
  }
});
