import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Code } from '#contract/codes';
import type { Draft } from '#contract/drafts';
import { DAY_MS } from '#contract/time';
import { dropExpiredDrafts } from '#host/codes/drafts/store';
import { getLogoPng, insertLogo } from '#host/codes/logos/store';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { become, saveDraft, unfinishedOf, VISITOR } from './draft-calls';

let host: TestHost;
let logo: File;

beforeAll(async () => {
  host = await createTestHost();
  const png = await sharp({ create: { width: 30, height: 30, channels: 3, background: '#c4361f' } })
    .png()
    .toBuffer();
  logo = new File([png as BlobPart], 'mark.png');
});
afterAll(() => host.close());

const save = (fields: Record<string, string | Blob>) => saveDraft(host, fields);
const find = (id: string, visitor = VISITOR) =>
  host.request(`/api/drafts/${id}?visitor=${encodeURIComponent(visitor)}`);
const logoOf = (id: string) => host.request(`/api/drafts/${id}/logo?visitor=${encodeURIComponent(VISITOR)}`);

test('a draft keeps what was typed and its logo, until it is replaced', async () => {
  const first = await save({ logo });
  expect(first.data.logo).toMatchObject({ kind: 'upload', name: 'mark.png' });
  const again = await save({
    id: first.data.id,
    fields: JSON.stringify({ type: 'text', content: 'changed' }),
  });
  expect(again.data).toMatchObject({
    id: first.data.id,
    fields: { content: 'changed' },
    logo: { kind: 'upload' },
  });
  expect((await logoOf(first.data.id)).headers.get('content-type')).toBe('image/png');
  const preset = await save({ id: first.data.id, logoPreset: 'star.svg' });
  expect(preset.data.logo).toEqual({ kind: 'preset', name: 'star.svg' });
  expect((await logoOf(first.data.id)).status).toBe(404);
});

test('a logo can be removed', async () => {
  const { data } = await save({ logo });
  expect((await save({ id: data.id, removeLogo: 'true' })).data.logo).toBeNull();
});

test("another browser's draft can be neither read nor changed", async () => {
  const { data } = await save({ logo });
  const stranger = 'the key of another browser, as long';
  expect((await find(data.id, stranger)).status).toBe(404);
  expect(await save({ id: data.id, visitor: stranger })).toMatchObject({ status: 404, code: 'not_found' });
  expect((await find(data.id)).status).toBe(200);
});

test('a code created from a draft gets its logo', async () => {
  const { data } = await save({ logo });
  const account = await host.account();
  const form = new FormData();
  for (const [name, value] of Object.entries({
    type: 'link',
    data: 'https://a.example',
    draft: data.id,
    visitor: VISITOR,
  }))
    form.set(name, value);
  const created = await host.request('/api/qrcodes', { method: 'POST', body: form, token: account.token });
  const code = (await created.json()) as { data: { id: string; logo: unknown } };
  expect(code.data.logo).toMatchObject({ kind: 'upload', name: 'mark.png' });
  expect((await find(data.id)).status).toBe(404);
  const picture = await host.request(`/api/qrcodes/${code.data.id}/logo`, { token: account.token });
  expect(await sharp(await picture.arrayBuffer()).metadata()).toMatchObject({ format: 'png', width: 30 });
  host.clock.advance(DAY_MS);
  await dropExpiredDrafts(host.db.orm, host.clock.now());
  expect((await host.request(`/api/qrcodes/${code.data.id}/logo`, { token: account.token })).status).toBe(
    200,
  );
});

test('a draft and its logo expire after 30 days', async () => {
  const { data } = await save({ logo });
  host.clock.advance(30 * DAY_MS - 1);
  expect([(await find(data.id)).status, (await logoOf(data.id)).status]).toEqual([200, 200]);
  // Saving it again begins another thirty days.
  await save({ id: data.id });
  host.clock.advance(30 * DAY_MS - 1);
  expect((await find(data.id)).status).toBe(200);
  host.clock.advance(1);
  expect([(await find(data.id)).status, (await logoOf(data.id)).status]).toEqual([404, 404]);
  host.clock.advance(1);
  await dropExpiredDrafts(host.db.orm, host.clock.now());
  const left = await host.db.query<{ count: string }>({
    name: 'left',
    text: 'select count(*) from logos where id not in (select logo_id from codes where logo_id is not null)',
    values: [],
  });
  expect(Number(left[0]?.count)).toBe(0);
});

test('an expired or unknown design becomes no code', async () => {
  const account = await host.account();
  const design = { fields: JSON.stringify({ type: 'link', content: 'kept.example' }) };
  const { id } = (await save(design)).data;
  host.clock.advance(30 * 24 * 3_600_000);
  expect(await become(host, account.id, id)).toBeNull();
  expect(await become(host, account.id, randomUUID())).toBeNull();
  const last = (await save(design)).data.id;
  host.clock.advance(30 * 24 * 3_600_000 - 1);
  expect(await become(host, account.id, last)).toEqual(expect.any(String));
});

test('an uploaded logo is kept for an hour until a code uses it', async () => {
  const id = randomUUID();
  await insertLogo(host.db.orm, {
    id,
    name: 'mark.png',
    png: new Uint8Array([1]),
    createdAt: host.clock.now(),
  });
  host.clock.advance(3_600_000);
  await dropExpiredDrafts(host.db.orm, host.clock.now());
  expect(await getLogoPng(host.db.orm, id)).not.toBeNull();
  host.clock.advance(1);
  await dropExpiredDrafts(host.db.orm, host.clock.now());
  expect(await getLogoPng(host.db.orm, id)).toBeNull();
});

test('uploads are rate limited per IP address', async () => {
  let status = 201;
  for (let n = 0; n < 70 && status === 201; n += 1) status = (await save({ logo })).status;
  expect(status).toBe(429);
});

test('presets are listed by file name and served as images', async () => {
  const names = (await (await host.request('/api/logos_presets')).json()) as string[];
  expect(names.length).toBeGreaterThanOrEqual(12);
  for (const name of names) {
    const picture = await host.request(`/api/logos_presets/${name}`);
    expect(picture.headers.get('content-type')).toBe('image/svg+xml');
  }
  for (const name of ['..%2f..%2fpackage.json', 'none.svg', '.svg', 'heart.svg%00']) {
    expect((await host.request(`/api/logos_presets/${name}`)).status).toBe(404);
  }
});

test('a design reports what keeps it from becoming a code, including what only the host can check', async () => {
  const own = { type: 'link', content: 'https://go.quadrille.example/r/7K3M9QXD' };
  expect((await save({ fields: JSON.stringify(own) })).data.problems).toEqual({ content: ['link_own'] });
  const fine = { type: 'link', content: 'bücher.example' };
  expect((await save({ fields: JSON.stringify(fine) })).data.problems).toEqual({});
});

test('a design that cannot become a code is on the dashboard with the reason until it is fixed', async () => {
  // Uploads of the tests above count towards the daily limit.
  host.clock.advance(DAY_MS);
  const account = await host.account();
  const { data } = await save({ fields: JSON.stringify({ type: 'link', content: 'word' }), logo });
  expect(await become(host, account.id, data.id)).toBeNull();
  expect(await unfinishedOf(host, account.token)).toEqual({
    id: data.id,
    type: 'link',
    name: 'word',
    reason: 'link_invalid',
  });
  const later = new Date(host.clock.now().getTime() + 40 * DAY_MS);
  await dropExpiredDrafts(host.db.orm, later);

  const visitor = 'another browser, in which it is fixed';
  const stranger = await host.account();
  const claim = (token: string) =>
    host.request(`/api/drafts/${data.id}/claim`, {
      method: 'POST',
      token,
      body: JSON.stringify({ visitor }),
    });
  expect((await claim(stranger.token)).status).toBe(404);
  expect((await claim(account.token)).status).toBe(200);
  expect((await find(data.id)).status).toBe(404);
  expect(((await (await find(data.id, visitor)).json()) as { data: Draft }).data).toMatchObject({
    fields: { content: 'word' },
    logo: { kind: 'upload', name: 'mark.png' },
  });

  const form = new FormData();
  const fixed = { type: 'link', data: 'word.example', parameters: '{}', draft: data.id, visitor };
  for (const [name, value] of Object.entries(fixed)) form.set(name, value);
  const created = await host.request('/api/qrcodes', { method: 'POST', token: account.token, body: form });
  expect(((await created.json()) as { data: Code }).data.logo).toMatchObject({
    kind: 'upload',
    name: 'mark.png',
  });
  expect(await unfinishedOf(host, account.token)).toBeNull();
});

test('an unfinished design is kept for a year, however often its browser saves it', async () => {
  const account = await host.account();
  const own = JSON.stringify({ type: 'link', content: 'https://www.quadrille.example/r/7K3M9QXD' });
  const { id } = (await save({ fields: own })).data;
  expect(await become(host, account.id, id)).toBeNull();
  await save({ id, fields: own });
  const token = async () => {
    const { body } = await send(host, 'POST', '/api/login_check', account);
    return String(body.token);
  };
  host.clock.advance(365 * DAY_MS - 1);
  expect(await unfinishedOf(host, await token())).toMatchObject({ id });
  host.clock.advance(1);
  expect(await unfinishedOf(host, await token())).toBeNull();
});

test('only its own account can discard an unfinished design', async () => {
  const [account, stranger] = [await host.account(), await host.account()];
  const { data } = await save({ fields: JSON.stringify({ type: 'text', content: '' }) });
  await become(host, account.id, data.id);
  const discard = (token: string) => host.request(`/api/drafts/${data.id}`, { method: 'DELETE', token });
  expect((await discard(stranger.token)).status).toBe(404);
  expect(await unfinishedOf(host, account.token)).toMatchObject({ reason: 'content_required' });
  expect((await discard(account.token)).status).toBe(200);
  expect(await unfinishedOf(host, account.token)).toBeNull();
});
