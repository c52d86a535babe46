import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { HOUR_MS } from '#contract/time';
import { dropOldPersons } from '#host/statistics/visitor-retention';
import { VISITS_CHANNEL } from '#host/visits/count/notifier';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { JSON_CALLER, lead, PAST, readEngagements, visitorAt } from './engaged-codes';

const NOT_MEASURED = { engagements: null, engaged: null, rate: null };

let host: TestHost;
let owner: TestAccount;
let people = 0;

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(async () => {
  owner = await host.account();
});
afterAll(() => host.close());

function somebody() {
  people += 1;
  return visitorAt(host, `192.0.2.${people}`);
}

const expectSoon = (code: string | null, figures: object) =>
  expect.poll(() => readEngagements(host, owner, code), { timeout: 10_000 }).toEqual(figures);

test('any site may report by image or POST, and both count once together', async () => {
  const code = await host.code(owner.id);
  const ada = somebody();
  await ada.visit(code);
  const image = await ada.report(code, 'GET');
  expect(image.status).toBe(200);
  expect(Object.fromEntries(image.headers)).toMatchObject({
    'content-type': 'image/gif',
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  });
  expect(image.headers.has('set-cookie')).toBe(false);
  const bytes = Buffer.from(await image.arrayBuffer());
  expect(bytes.toString('latin1', 0, 6)).toBe('GIF89a');
  expect([bytes.readUInt16LE(6), bytes.readUInt16LE(8)]).toEqual([1, 1]);
  const posted = await ada.report(code);
  expect([posted.status, await posted.text()]).toEqual([204, '']);
  expect(posted.headers.get('access-control-allow-origin')).toBe('*');
  const one = { visitors: 1, engagements: 1, engaged: 1, rate: 1 };
  await expectSoon(code.id, one);
  await expectSoon(null, one);
});

test('a CORS preflight is answered', async () => {
  const requested = await host.request('/b/ABCDEFGH', { method: 'OPTIONS' });
  expect([requested.status, requested.headers.get('access-control-allow-methods')]).toEqual([
    204,
    'GET, POST',
  ]);
  expect(Object.fromEntries(requested.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'Content-Type',
    'access-control-max-age': '86400',
    'cross-origin-resource-policy': 'cross-origin',
  });
});

test('a report without a visit that day counts nothing and measures nothing', async () => {
  const [code, other] = [await host.code(owner.id), await host.code(owner.id)];
  const [ada, eve] = [somebody(), somebody()];
  await ada.visit(code);
  await eve.visit(other);
  await eve.report(code);
  host.clock.advance(24 * HOUR_MS);
  await ada.report(code);
  expect(await readEngagements(host, owner, code.id)).toEqual({ visitors: 1, ...NOT_MEASURED });
  expect(await readEngagements(host, owner)).toEqual({ visitors: 2, ...NOT_MEASURED });
  host.clock.advance(-24 * HOUR_MS);
});

test('after the first report all visitors of that day are measured, including earlier ones', async () => {
  const code = await host.code(owner.id);
  const text = await host.code(owner.id, { type: 'text', content: 'x' });
  const [ada, ben, cleo, dan] = [somebody(), somebody(), somebody(), somebody()];
  for (const person of [ada, ben, cleo]) await person.visit(code);
  await ben.visit(text);
  await ada.report(code);
  await dan.visit(code);
  await expectSoon(code.id, { visitors: 4, engagements: 1, engaged: 1, rate: 1 / 4 });
  await expectSoon(null, { visitors: 4, engagements: 1, engaged: 1, rate: 1 / 4 });
  host.clock.advance(24 * HOUR_MS);
  await ben.visit(code);
  await expectSoon(code.id, { visitors: 5, engagements: 1, engaged: 1, rate: 1 / 5 });
  await expectSoon(null, { visitors: 5, engagements: 1, engaged: 1, rate: 1 / 5 });
  host.clock.advance(-24 * HOUR_MS);
});

test('days before the first report stay unmeasured', async () => {
  const code = await host.code(owner.id);
  const ada = somebody();
  await ada.visit(code);
  host.clock.advance(24 * HOUR_MS);
  await ada.visit(code);
  await ada.report(code);
  await expectSoon(code.id, { visitors: 2, engagements: 1, engaged: 1, rate: 1 });
  await expectSoon(null, { visitors: 2, engagements: 1, engaged: 1, rate: 1 });
  host.clock.advance(-24 * HOUR_MS);
});

test('concurrent reports count once per person', async () => {
  const code = await host.code(owner.id);
  const crowd = Array.from({ length: 8 }, somebody);
  await Promise.all(crowd.map((person) => person.visit(code)));
  await Promise.all(crowd.flatMap((person) => Array.from({ length: 5 }, () => person.report(code))));
  const all = { visitors: 8, engagements: 8, engaged: 8, rate: 1 };
  await expectSoon(code.id, all);
  await expectSoon(null, all);
});

test('concurrent acts and reports on several codes count once each, and the person once', async () => {
  const link = await host.code(owner.id);
  const text = await host.code(owner.id, { type: 'text', content: 'https://a.example/' });
  const ada = somebody();
  await Promise.all([ada.visit(link), ada.visit(text)]);
  const tell = () => [ada.report(link), ada.act(text, 'open'), ada.copy(text), ada.report(link, 'GET')];
  await Promise.all([...tell(), ...tell(), ...tell()]);
  await expectSoon(null, { visitors: 1, engagements: 3, engaged: 1, rate: 1 });
  await expectSoon(text.id, { visitors: 1, engagements: 2, engaged: 1, rate: 1 });
});

test('visitors who arrive while others report are measured too, and none twice', async () => {
  const codes = [await host.code(owner.id), await host.code(owner.id)];
  const [crowd, quiet] = [Array.from({ length: 20 }, somebody), Array.from({ length: 20 }, somebody)];
  await Promise.all([
    ...crowd.flatMap((person) => codes.map((code) => person.visit(code).then(() => person.report(code)))),
    ...quiet.flatMap((person) => codes.map((code) => person.visit(code))),
  ]);
  for (const { id } of codes) {
    await expectSoon(id, { visitors: 40, engagements: 20, engaged: 20, rate: 1 / 2 });
  }
  await expect
    .poll(async () => (await readEngagements(host, owner)).engagements, { timeout: 10_000 })
    .toBe(40);
  await dropOldPersons(host.db.orm, host.clock.now());
  expect(await readEngagements(host, owner)).toEqual({
    visitors: 40,
    engagements: 40,
    engaged: 20,
    rate: 1 / 2,
  });
});

test('of a paused link reports count nothing, and of one whose end leads on they count', async () => {
  const [code, other] = [await host.code(owner.id), await host.code(owner.id)];
  const ada = somebody();
  for (const each of [code, other]) await ada.visit(each);
  await lead(host, other, { end: { at: PAST, target: 'https://after.example/' } });
  await lead(host, code, { pause: { message: '' } });
  const shows = async () => (await ada.visit(code)).text();
  await expect.poll(shows).toContain('"kind":"paused"');
  expect((await ada.report(code)).status).toBe(204);
  expect((await ada.report(code, 'GET')).status).toBe(200);
  await ada.report(other);
  await expectSoon(other.id, { visitors: 1, engagements: 1, engaged: 1, rate: 1 });
  expect(await readEngagements(host, owner, code.id)).toEqual({ visitors: 1, ...NOT_MEASURED });
});

test('codes of another account are not affected', async () => {
  const other = await host.account();
  const [code, foreign] = [await host.code(owner.id), await host.code(other.id)];
  const ada = somebody();
  for (const each of [code, foreign]) await ada.visit(each);
  await ada.report(foreign);
  await expect.poll(async () => (await readEngagements(host, other)).engaged).toBe(1);
  expect(await readEngagements(host, owner)).toEqual({ visitors: 1, ...NOT_MEASURED });
});

test.each([
  ['HEAD', { method: 'HEAD' }, {}, undefined],
  ['a prerendered page', {}, { 'sec-purpose': 'prefetch;prerender' }, undefined],
  ['a robot', {}, { 'user-agent': 'Googlebot/2.1' }, undefined],
  ['the owner', {}, {}, 'own'],
])('a report by %s is answered and counts nothing', async (_name, init, headers, own) => {
  const code = await host.code(owner.id);
  const person = { ...JSON_CALLER, 'x-client-ip': '198.51.100.1' };
  await host.request(`/r/${code.slug}`, { headers: person });
  const token = own && owner.token;
  const sent = { ...init, headers: { ...person, ...headers }, ...(token && { token }) };
  expect((await host.request(`/b/${code.slug}`, sent)).status).toBe(200);
  expect(await readEngagements(host, owner, code.id)).toEqual({ visitors: 1, ...NOT_MEASURED });
});

test('only existing public links accept reports', async () => {
  const refusals: [{ slug: string }, string][] = [
    [await host.code(owner.id, { visibility: 'private' }), 'code_private'],
    [await host.code(owner.id, { deletedAt: host.clock.now() }), 'code_deleted'],
    [await host.code(owner.id, { type: 'text', content: 'x' }), 'code_unknown'],
    [await host.code(owner.id, { type: 'email', content: 'a@b.example' }), 'code_unknown'],
    [{ slug: 'ZZZZZZZZ' }, 'code_unknown'],
    [{ slug: "';drop--" }, 'code_unknown'],
    [{ slug: 'x'.repeat(100) }, 'not_found'],
  ];
  for (const [code, said] of refusals) {
    for (const method of ['GET', 'POST']) {
      const answer = await somebody().report(code, method);
      expect([answer.status, (await answer.json()).code]).toEqual([404, said]);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    }
  }
});

test('an IP address that reports too often is rate limited, and others are not', async () => {
  const code = await host.code(owner.id);
  const [ada, ben] = [somebody(), somebody()];
  await ben.visit(code);
  await Promise.all(Array.from({ length: 300 }, () => ada.report(code)));
  // Reports not refused within 250 ms are let through, which happens to some on a busy machine.
  let refused = await ada.report(code);
  const ask = async (method: 'POST' | 'GET') => {
    refused = await ada.report(code, method);
    return refused.status;
  };
  for (const method of ['POST', 'GET'] as const) await expect.poll(() => ask(method)).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.headers.get('access-control-allow-origin')).toBe('*');
  expect((await ben.report(code)).status).toBe(204);
  host.clock.advance(61_000);
  expect((await ada.report(code)).status).toBe(204);
});

test('all addresses of one IPv6 network share one limit', async () => {
  const code = await host.code(owner.id);
  const at = (address: string) => visitorAt(host, address).report(code);
  await Promise.all(Array.from({ length: 300 }, (_, n) => at(`2001:db8:a:b::${n}`)));
  await expect.poll(async () => (await at('2001:db8:a:b:f::1')).status, { timeout: 10_000 }).toBe(429);
  expect((await at('2001:db8:a:c::1')).status).toBe(204);
});

test('listeners are notified when engagements increase, and not of a report that changed nothing', async () => {
  const [code, other] = [await host.code(owner.id), await host.code(owner.id)];
  const ada = somebody();
  const heard: string[] = [];
  const stop = await host.db.listen(VISITS_CHANNEL, (payload) => heard.push(...payload.split(',')));
  const timesOf = ({ id }: { id: string }) => heard.filter((payload) => payload === id).length;
  const expectTimes = (each: { id: string }, times: number) =>
    expect.poll(() => timesOf(each), { timeout: 10_000 }).toBe(times);
  await ada.visit(code);
  await expectTimes(code, 1);
  await ada.report(code);
  await expectTimes(code, 2);
  await ada.visit(other);
  await expectTimes(other, 1);
  await ada.report(code);
  await ada.report(other);
  await expectTimes(other, 2);
  expect(timesOf(code)).toBe(2);
  await stop();
});
