import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  BULK_ACTS_PER_ACCOUNT,
  CHANGES_PER_ACCOUNT,
  CREATIONS_PER_ACCOUNT,
  DRAFTS_PER_IP,
  UPLOADS_PER_ACCOUNT,
  UPLOADS_PER_IP,
} from '#host/codes/limits';
import { rateLimits } from '#host/db/accounts.tables';
import { logos } from '#host/db/codes.tables';
import { consumeRateLimit, type RateLimit } from '#host/http/rate-limit';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

/** One pixel (GIF89a). */
const LOGO = new File([Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs=', 'base64')], 'dot.gif');
let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

async function create(account: TestAccount, fields: Record<string, string | Blob>, address: string) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ type: 'link', data: 'https://a.example', ...fields }))
    form.set(name, value);
  const headers = { 'x-client-ip': address };
  const answer = await host.request('/api/qrcodes', {
    method: 'POST',
    body: form,
    token: account.token,
    headers,
  });
  const { code, data } = (await answer.json()) as { code?: string; data?: { id: string } };
  return { status: answer.status, code, id: data?.id };
}

async function spend(limit: RateLimit, key: string) {
  for (let n = 0; n < limit.points; n += 1) await consumeRateLimit(host.db.orm, limit, key, host.clock.now());
}

const countLogos = async () => (await host.db.orm.select({ id: logos.id }).from(logos)).length;

test('logos are rate limited per account and per IP address, and a refused one is not stored', async () => {
  const [ada, bea] = [await host.account(), await host.account()];
  await spend(UPLOADS_PER_ACCOUNT, ada.id);
  await spend(UPLOADS_PER_IP, '198.51.100.7');
  const before = await countLogos();
  const refused = { status: 429, code: 'rate_limited' };
  expect(await create(ada, { logo: LOGO }, '198.51.100.1')).toMatchObject(refused);
  expect(await create(bea, { logo: LOGO }, '198.51.100.7')).toMatchObject(refused);
  expect(await countLogos()).toBe(before);
  expect((await create(ada, {}, '198.51.100.1')).status).toBe(201);
  expect((await create(bea, { logo: LOGO }, '198.51.100.2')).status).toBe(201);
});

test('changes of codes and of their rules are rate limited per account and hour', async () => {
  const account = await host.account();
  const { id } = await host.code(account.id);
  const key = `${CHANGES_PER_ACCOUNT.name}:${account.id}`;
  const resetsAt = new Date(host.clock.now().getTime() + 3_600_000);
  await host.db.orm.insert(rateLimits).values({ key, points: CHANGES_PER_ACCOUNT.points - 1, resetsAt });
  const call = async (method: string, path: string, body?: object) =>
    (await send(host, method, `/api/qrcodes/${id}${path}`, body, account)).status;
  expect(await call('PATCH', '', { name: 'Menu' })).toBe(200);
  expect(await call('PATCH', '', { name: 'Card' })).toBe(429);
  expect(await call('DELETE', '/rules/1')).toBe(429);
});

test('new codes are rate limited per account and hour', async () => {
  const account = await host.account();
  await spend(CREATIONS_PER_ACCOUNT, account.id);
  expect(await create(account, {}, '198.51.100.3')).toMatchObject({ status: 429, code: 'rate_limited' });
  host.clock.advance(3_600_000);
  expect((await create(account, {}, '198.51.100.3')).status).toBe(201);
});

test('acts on many codes are rate limited per account and hour, and the last allowed one is done', async () => {
  const account = await host.account();
  const { id } = await host.code(account.id);
  const archive = async () => {
    const body = JSON.stringify({ act: 'archive', ids: [id] });
    return (await host.request('/api/jobs', { method: 'POST', body, token: account.token })).status;
  };
  await spend({ ...BULK_ACTS_PER_ACCOUNT, points: BULK_ACTS_PER_ACCOUNT.points - 1 }, account.id);
  expect([await archive(), await archive()]).toEqual([201, 429]);
  host.clock.advance(3_600_000);
  expect(await archive()).toBe(201);
});

test('a form posted again stores no second logo and does not count towards the limit', async () => {
  const account = await host.account();
  const post = () => create(account, { key: 'the-same-form', logo: LOGO }, '198.51.100.4');
  const first = await post();
  const stored = await countLogos();
  expect(first.status).toBe(201);
  await spend(CREATIONS_PER_ACCOUNT, account.id).catch(() => undefined);
  expect(await post()).toEqual(first);
  expect(await countLogos()).toBe(stored);
});

test('new designs are rate limited per IP address, changes of existing ones are not', async () => {
  const address = '198.51.100.4';
  const save = async (id?: string) => {
    const form = new FormData();
    const sent = { visitor: 'the key of some browser, 32 signs', fields: '{"type":"link","content":"a"}' };
    for (const [name, value] of Object.entries({ ...sent, ...(id && { id }) })) form.set(name, value);
    const headers = { 'x-client-ip': address };
    const answer = await host.request('/api/drafts', { method: 'POST', body: form, headers });
    const { data } = (await answer.json()) as { data?: { id: string } };
    return { status: answer.status, id: data?.id };
  };
  const { id } = await save();
  for (let n = 1; n < DRAFTS_PER_IP.points; n += 1)
    await consumeRateLimit(host.db.orm, DRAFTS_PER_IP, address, host.clock.now());
  expect((await save()).status).toBe(429);
  expect((await save(id)).status).toBe(201);
});
