import { eq } from 'drizzle-orm';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ResponseOf } from '#contract/call';
import type { getCode } from '#contract/codes';
import { DAY_MS } from '#contract/time';
import { runDueJobs } from '#host/codes/bulk/run';
import { emptyDeletedCodes } from '#host/codes/code/deletion';
import { dropExpiredDrafts } from '#host/codes/drafts/store';
import { logos } from '#host/db/codes.tables';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';

let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());
beforeEach(async () => {
  account = await host.account();
});

async function send(path: string, method: string, body?: unknown, { token } = account) {
  const init = body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) };
  const answer = await host.request(path, { method, token, ...init });
  return { ...(await answer.json()), status: answer.status };
}

async function upload(background = '#a4210d', name = 'mark.png', owner = account): Promise<string> {
  const png = await sharp({ create: { width: 8, height: 8, channels: 3, background } })
    .png()
    .toBuffer();
  const form = new FormData();
  form.set('logo', new File([new Uint8Array(png)], name));
  const { status, data } = await send('/api/logos', 'POST', form, owner);
  expect(status).toBe(201);
  return data.id;
}

const change = (id: string, logo: unknown, owner = account) =>
  send(`/api/qrcodes/${id}`, 'PATCH', { logo }, owner);

async function read(id: string): Promise<ResponseOf<typeof getCode>['data']> {
  return (await send(`/api/qrcodes/${id}`, 'GET')).data;
}

const exists = async (id: string) => (await host.db.orm.$count(logos, eq(logos.id, id))) === 1;

/** Drops what nothing uses, as the host does every hour. */
const clean = () => dropExpiredDrafts(host.db.orm, new Date(host.clock.now().getTime() + 2 * 3_600_000));

test('an existing code gets an own logo, a preset or none, and its other values stay', async () => {
  const { id } = await host.code(account.id, { content: 'https://a.example/' });
  const own = await upload();
  const uploaded = await change(id, { kind: 'upload', id: own, useWhiteBackground: true });
  expect(uploaded.data).toMatchObject({
    content: 'https://a.example/',
    logo: { kind: 'upload', name: 'mark.png', id: own },
    useWhiteBackground: true,
  });
  expect((await host.request(`/api/qrcodes/${id}/logo`, { token: account.token })).status).toBe(200);
  const preset = await change(id, { kind: 'preset', name: 'heart.svg' });
  expect(preset.data).toMatchObject({
    logo: { kind: 'preset', name: 'heart.svg' },
    useWhiteBackground: false,
  });
  expect((await send(`/api/qrcodes/${id}`, 'PATCH', { name: 'Table 1' })).data.logo).toMatchObject({
    kind: 'preset',
  });
  expect((await change(id, { kind: 'none' })).data.logo).toBeNull();
});

test('the history names each logo, and an earlier one is kept to be given back', async () => {
  const { id } = await host.code(account.id);
  const own = await upload();
  const choice = { kind: 'upload', id: own, useWhiteBackground: false };
  await change(id, choice);
  await change(id, choice);
  host.clock.advance(1_000);
  await change(id, { kind: 'none' });
  await clean();
  const { changes } = await read(id);
  expect(changes).toMatchObject([
    {
      field: 'logo',
      before: JSON.stringify({ id: own, kind: 'upload', name: 'mark.png', useWhiteBackground: false }),
      after: '',
    },
    { field: 'logo', before: '', after: expect.stringContaining('mark.png') },
  ]);
  expect((await change(id, JSON.parse(changes[0]?.before ?? ''))).data.logo).toMatchObject({ id: own });
});

test('a logo is dropped 30 days after the last code that has or had it, and an hour after its upload if none ever got it', async () => {
  const { id } = await host.code(account.id);
  const [used, unused] = [await upload('#1d6b45'), await upload('#14203c')];
  await change(id, { kind: 'upload', id: used });
  await change(id, { kind: 'preset', name: 'heart.svg' });
  await clean();
  expect([await exists(used), await exists(unused)]).toEqual([true, false]);
  await send(`/api/qrcodes/${id}`, 'DELETE');
  expect(await exists(used)).toBe(true);
  host.clock.advance(30 * DAY_MS);
  await emptyDeletedCodes(host.db.orm, host.clock.now(), new AbortController().signal);
  expect(await exists(used)).toBe(false);
});

test("another account's logo, an unknown one and an unknown preset are refused, and nothing changes", async () => {
  const other = await host.account();
  const foreign = await upload('#14203c', 'theirs.png', other);
  const { id } = await host.code(account.id);
  const unknown = '11111111-1111-4111-8111-111111111111';
  for (const logo of [
    { kind: 'upload', id: foreign },
    { kind: 'upload', id: unknown },
  ])
    expect(await change(id, logo)).toMatchObject({ status: 422, errors: { logo: ['logo_unknown'] } });
  expect(await change(id, { kind: 'preset', name: 'nothing.svg' })).toMatchObject({
    errors: { logo: ['preset_unknown'] },
  });
  expect((await read(id)).changes).toEqual([]);
  expect((await host.request(`/api/logos/${foreign}`, { token: account.token })).status).toBe(404);
});

test("a new code gets one of the account's own logos, but no other account's", async () => {
  const own = await upload();
  const foreign = await upload('#14203c', 'theirs.png', await host.account());
  const create = async (logoPreset: string) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ type: 'link', data: 'https://a.example/', logoPreset }))
      form.set(name, value);
    return send('/api/qrcodes', 'POST', form);
  };
  expect((await create(own)).data).toMatchObject({ logo: { kind: 'upload', id: own, name: 'mark.png' } });
  expect((await create(foreign)).errors).toEqual({ logoPreset: ['logo_unknown'] });
  expect((await create('nothing.svg')).errors).toEqual({ logoPreset: ['preset_unknown'] });
  expect((await create('heart.svg')).data).toMatchObject({ logo: { kind: 'preset', name: 'heart.svg' } });
});

test('the logos of an account are listed newest first, and the same file is stored once', async () => {
  const first = await upload('#a4210d');
  host.clock.advance(1_000);
  const second = await upload('#1d6b45', 'other.png');
  expect(await upload('#a4210d')).toBe(first);
  expect((await send('/api/styles', 'GET')).logos).toEqual([
    { id: second, name: 'other.png' },
    { id: first, name: 'mark.png' },
  ]);
});

test('many codes get a logo at once, with a look or without one', async () => {
  const codes = [await host.code(account.id), await host.code(account.id, { logoPreset: 'heart.svg' })];
  const own = await upload();
  const ids = codes.map(({ id }) => id);
  const logo = { kind: 'upload', id: own, useWhiteBackground: true };
  const started = await send('/api/jobs', 'POST', { act: 'style', logo, ids });
  expect(started.data).toMatchObject({ status: 'done', succeeded: 2, failed: 0 });
  for (const id of ids) expect((await read(id)).code).toMatchObject({ logo: { id: own }, style: null });
  await send('/api/jobs', 'POST', { act: 'style', style: { moduleShape: 'dots' }, ids });
  for (const id of ids)
    expect((await read(id)).code).toMatchObject({ logo: { id: own }, style: { moduleShape: 'dots' } });
  await send('/api/jobs', 'POST', { act: 'style', logo: { kind: 'none' }, ids });
  for (const id of ids)
    expect((await read(id)).code).toMatchObject({ logo: null, style: { moduleShape: 'dots' } });
  expect(await send('/api/jobs', 'POST', { act: 'style', ids })).toMatchObject({
    errors: { style: ['style_required'] },
  });
});

test('a saved look keeps its logo, which an import gives to its codes unless it names another', async () => {
  const own = await upload();
  const logo = { kind: 'upload', id: own, useWhiteBackground: false };
  const saved = await send('/api/styles', 'POST', { name: 'House', style: {}, logo });
  expect(saved.data).toMatchObject({ logo });
  await clean();
  expect(await exists(own)).toBe(true);
  const made = await importWith({ style: saved.data.id });
  expect(made).toMatchObject({ logo: { id: own } });
  expect(
    await importWith({ style: saved.data.id, logo: { kind: 'preset', name: 'heart.svg' } }),
  ).toMatchObject({
    logo: { kind: 'preset', name: 'heart.svg' },
  });
  const changed = await send(`/api/styles/${saved.data.id}`, 'PATCH', {
    style: { moduleShape: 'dots' },
    logo: null,
  });
  expect(changed.data).toMatchObject({ name: 'House', logo: null, style: { moduleShape: 'dots' } });
});

let imports = 0;

/** The code that an import of one row creates. */
async function importWith(choice: object) {
  imports += 1;
  const form = new FormData();
  form.set('file', new File([`url\nhttps://${imports}.example/\n`], 'codes.csv'));
  const { data: report } = await send('/api/imports', 'POST', form);
  await send(`/api/imports/${report.id}/start`, 'POST', choice);
  await runDueJobs(host.deps, new AbortController().signal);
  const { data } = await send(`/api/qrcodes?search=${imports}.example`, 'GET');
  return data[0];
}
