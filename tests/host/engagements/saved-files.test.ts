import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { blockTarget } from '#host/codes/blocks/blocking';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { JSON_CALLER, lead, PAST, readEngagements, visitorAt } from './engaged-codes';

const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1';
const ANDROID =
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/131.0.0.0 Mobile Safari/537.36';
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36';
const ONE = { visitors: 1, engagements: 1, engaged: 1, rate: 1 };

let host: TestHost;
let owner: TestAccount;
let people = 0;
let ada: ReturnType<typeof visitorAt>;

beforeAll(async () => {
  host = await createTestHost();
  owner = await host.account();
});
beforeEach(() => {
  people += 1;
  ada = visitorAt(host, `192.0.2.${people}`);
});
afterAll(() => host.close());

const contactCode = (fields = {}) =>
  host.code(owner.id, {
    type: 'contact',
    content: JSON.stringify({
      givenName: 'Zoë',
      familyName: 'Großmann',
      mobilePhone: '+33123456789',
      homePhone: '+33987654321',
      workEmail: 'zoe@example.com',
      contactWebsite: 'https://blocked.example/zoe',
      homeCity: 'Paris',
    }),
    ...fields,
  });
const eventCode = (content: object = {}) =>
  host.code(owner.id, {
    type: 'event',
    content: JSON.stringify({
      eventTitle: 'Opening',
      startDate: '2026-05-01',
      startTime: '18:00',
      timeZone: 'Europe/Paris',
      venue: 'Café, Paris',
      eventPage: 'https://example.com/opening',
      ...content,
    }),
  });
const appCode = (content: object) => host.code(owner.id, { type: 'app', content: JSON.stringify(content) });
const APP = {
  appStore: 'https://apps.apple.com/app/id123456789',
  googlePlay: 'https://play.google.com/store/apps/details?id=com.example.app',
};

test('saving a contact returns its card with a safe name, and counts', async () => {
  const code = await contactCode();
  expect((await ada.visit(code)).status).toBe(200);
  const answer = await ada.act(code, 'save');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/vcard; charset=utf-8');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="zoe-grossmann.vcf"');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(await answer.text()).toMatch(/^BEGIN:VCARD\r\nVERSION:3\.0\r\nN:Großmann;Zoë;;;\r\n/);
  await expect.poll(() => readEngagements(host, owner, code.id), { timeout: 15_000 }).toEqual(ONE);
});

test('acts of a contact lead to its numbers, addresses and maps by position, and nowhere else', async () => {
  const code = await contactCode();
  await ada.visit(code);
  const leadsTo = async (act: string) => (await ada.act(code, act)).headers.get('location');
  expect(await leadsTo('call')).toBe('tel:+33123456789');
  expect(await leadsTo('call?n=2')).toBe('tel:+33987654321');
  expect(await leadsTo('write')).toBe('mailto:zoe@example.com');
  expect(await leadsTo('map')).toBe('https://maps.apple.com/?q=Paris');
  expect(await leadsTo('open')).toBe('https://blocked.example/zoe');
  for (const gone of ['call?n=3', 'write?n=2', 'map?n=9'])
    expect(new URL((await leadsTo(gone)) ?? '').pathname).toBe(`/l/${code.slug}`);
  expect((await ada.act(code, 'sms')).status).toBe(404);
});

test('a website at a blocked host is neither shown nor opened, and refused for a new code', async () => {
  const code = await contactCode();
  await blockTarget(host.db.orm, 'blocked.example', host.clock.now());
  await expect
    .poll(async () => (await (await ada.visit(code)).json()).data.website, { timeout: 15_000 })
    .toBe('');
  const sent = new URL((await ada.act(code, 'open')).headers.get('location') ?? '');
  expect(sent.pathname).toBe(`/l/${code.slug}`);
  const form = new FormData();
  form.set('type', 'contact');
  form.set('data', JSON.stringify({ givenName: 'A', contactWebsite: 'https://sub.blocked.example' }));
  const refused = await host.request('/api/qrcodes', { method: 'POST', body: form, token: owner.token });
  expect([refused.status, (await refused.json()).errors]).toEqual([
    422,
    { contactWebsite: ['link_blocked'] },
  ]);
});

test('saving an event returns a calendar whose identity stays, also after a change', async () => {
  const code = await eventCode();
  await ada.visit(code);
  const answer = await ada.act(code, 'save');
  expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="opening.ics"');
  const before = await answer.text();
  expect(before).toContain(`UID:${code.id}\r\n`);
  expect(before).toContain('DTSTART;TZID=Europe/Paris:20260501T180000\r\n');
  const content = JSON.stringify({ eventTitle: 'Opening', startDate: '2026-05-02' });
  const changed = await host.request(`/api/qrcodes/${code.id}`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ content }),
    token: owner.token,
  });
  expect(changed.status).toBe(200);
  await expect
    .poll(async () => (await ada.act(code, 'save')).text(), { timeout: 15_000 })
    .toContain(`UID:${code.id}\r\nDTSTAMP:20260302T100000Z\r\nDTSTART;VALUE=DATE:20260502\r\n`);
});

test.each<[string, Parameters<typeof lead>[2], string]>([
  ['paused', { pause: { message: 'later' } }, '"kind":"paused"'],
  ['ended by its date', { end: { at: PAST } }, '"kind":"ended"'],
  ['ended by its visits', { end: { visits: 1, reachedAt: PAST } }, '"kind":"ended"'],
  ['led on to a target', { end: { at: PAST, target: 'https://after.example/' } }, ''],
])('a contact that is %s has no acts, for its owner neither, and counts none', async (_, routing, shown) => {
  const code = await contactCode();
  await ada.visit(code);
  await lead(host, code, routing);
  const follow = async (act: string, init: RequestInit & { token?: string } = {}) => {
    const answer = await host.request(`/e/${code.slug}/${act}`, { headers: JSON_CALLER, ...init });
    return new URL(answer.headers.get('location') ?? 'none:');
  };
  const page = `/l/${code.slug}`;
  await expect.poll(async () => (await follow('save')).pathname).toBe(page);
  for (const act of ['call', 'write', 'map', 'open']) expect((await follow(act)).pathname).toBe(page);
  expect((await follow('save', { method: 'HEAD' })).pathname).toBe(page);
  expect((await follow('save', { token: owner.token })).pathname).toBe(page);
  await ada.act(code, 'save');
  expect((await ada.copy(code)).status).toBe(204);
  const got = await host.request(page + (await follow('save')).search, { headers: JSON_CALLER });
  expect(got.headers.get('location')).toBe(shown ? null : 'https://after.example/');
  expect(await got.text()).toContain(shown);
  expect(await readEngagements(host, owner, code.id)).toEqual({
    ...ONE,
    engagements: 0,
    engaged: 0,
    rate: 0,
  });
});

test('files are not handed out for private, deleted and unreadable codes', async () => {
  const hidden = await contactCode({ visibility: 'private' });
  expect((await (await ada.act(hidden, 'save')).json()).code).toBe('code_private');
  const deleted = await contactCode({ deletedAt: host.clock.now() });
  expect((await (await ada.act(deleted, 'save')).json()).code).toBe('code_deleted');
  const broken = await host.code(owner.id, { type: 'event', content: '{' });
  await ada.visit(broken);
  const sent = new URL((await ada.act(broken, 'save')).headers.get('location') ?? '');
  expect(sent.pathname).toBe(`/l/${broken.slug}`);
});

test('the maps of a place are those of the phone, or of one of three providers', async () => {
  const content = JSON.stringify({ position: '48.1, 11.5', placeName: 'Café (old)' });
  const code = await host.code(owner.id, { type: 'place', content });
  const leadsTo = async (act: string, agent: string) => {
    const headers = { ...JSON_CALLER, 'user-agent': agent };
    return (await host.request(`/e/${code.slug}/${act}`, { headers })).headers.get('location');
  };
  expect(await leadsTo('map', IPHONE)).toBe('https://maps.apple.com/?ll=48.1,11.5&q=Caf%C3%A9%20(old)');
  expect(await leadsTo('map', ANDROID)).toBe('geo:48.1,11.5?q=48.1,11.5(Caf%C3%A9%20(old))');
  expect(await leadsTo('map', WINDOWS)).toBe('geo:48.1,11.5');
  expect(await leadsTo('map?n=2', IPHONE)).toBe(
    'https://www.openstreetmap.org/?mlat=48.1&mlon=11.5#map=17/48.1/11.5',
  );
  expect(await leadsTo('map?n=3', IPHONE)).toBe('https://www.google.com/maps/search/?api=1&query=48.1,11.5');
  expect(await leadsTo('map?n=4', WINDOWS)).toBe('https://maps.apple.com/?ll=48.1,11.5&q=Caf%C3%A9%20(old)');
  expect(new URL((await leadsTo('map?n=5', IPHONE)) ?? '').pathname).toBe(`/l/${code.slug}`);
});

test.each<[string, object, string, string | null]>([
  ['an iPhone', APP, IPHONE, APP.appStore],
  ['an Android phone', APP, ANDROID, APP.googlePlay],
  ['a computer without an address of its own', APP, WINDOWS, null],
  [
    'a computer with one',
    { ...APP, otherAddress: 'https://bücher.example' },
    WINDOWS,
    'https://xn--bcher-kva.example',
  ],
  [
    'an iPhone without a store',
    { googlePlay: APP.googlePlay, otherAddress: 'https://example.com' },
    IPHONE,
    'https://example.com',
  ],
  ['an iPhone with only the other store', { googlePlay: APP.googlePlay }, IPHONE, null],
])('%s gets what an app code has for it', async (_, content, agent, target) => {
  const code = await appCode(content);
  const headers = { ...JSON_CALLER, 'user-agent': agent };
  const answer = await host.request(`/r/${code.slug}`, { headers });
  expect([answer.status, answer.headers.get('location')]).toEqual(target ? [302, target] : [200, null]);
  const { data } = target ? { data: null } : await answer.json();
  if (data)
    expect(data.stores.map(({ address }: { address: string }) => address)).toEqual(Object.values(content));
});

test('an app at blocked hosts leads to what is left, and is blocked if nothing is', async () => {
  const code = await appCode({ ...APP, otherAddress: 'https://store.blocked.example/' });
  const visit = (agent: string, at = code) =>
    host.request(`/r/${at.slug}`, { headers: { ...JSON_CALLER, 'user-agent': agent } });
  await blockTarget(host.db.orm, 'blocked.example', host.clock.now());
  expect((await visit(WINDOWS)).status).toBe(200);
  expect((await visit(IPHONE)).headers.get('location')).toBe(APP.appStore);
  const only = await appCode({ otherAddress: 'https://blocked.example/' });
  expect((await (await visit(IPHONE, only)).json()).code).toBe('code_blocked');
});
