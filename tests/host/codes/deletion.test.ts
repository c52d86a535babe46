import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { emptyDeletedCodes, restoreCode } from '#host/codes/code/deletion';
import { takeTags } from '#host/codes/code/tags';
import { accounts } from '#host/db/accounts.tables';
import { codes, tags } from '#host/db/codes.tables';
import { runCommand } from '#host/operator/run-command';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { logoFile } from './drawn-logo';

let host: TestHost;
let owner: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

const call = (method: string, path: string, body?: object) =>
  host.request(path, {
    method,
    token: owner.token,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
const read = async (id: string) => (await call('GET', `/api/qrcodes/${id}`)).json();
const list = async () => (await call('GET', '/api/qrcodes')).json();
const listTags = async () => (await call('GET', '/api/tags')).json();
const restore = (subject: string) =>
  runCommand(host.deps, { command: 'restore', subject, reason: 'asked for it', operator: 'ada' });
const empty = () => emptyDeletedCodes(host.db.orm, host.clock.now(), new AbortController().signal);

/** A code with everything that a code can have. */
async function fullCode() {
  owner = await host.account();
  const form = new FormData();
  const fields = {
    type: 'email',
    data: 'ada@shop.example',
    name: 'Cellar',
    tags: 'wine, 2026',
    counted: 'true',
  };
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('parameters', JSON.stringify({ subject: 'Label', body: 'Hello', style: { moduleShape: 'dots' } }));
  form.set(
    'logo',
    logoFile(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M1 1h7v7z"/></svg>',
      'seal.svg',
    ),
  );
  const made = await host.request('/api/qrcodes', { method: 'POST', token: owner.token, body: form });
  const { data } = (await made.json()) as { data: { id: string; link: string } };
  await call('PATCH', `/api/qrcodes/${data.id}`, { body: 'Dear cellar' });
  const slug = data.link.slice(-8);
  await host.request(`/r/${slug}`);
  return { id: data.id, slug };
}

test('the operator brings a deleted code back with everything it had, and its owner is told', async () => {
  const { id, slug } = await fullCode();
  const [before, listed, tagged] = [await read(id), await list(), await listTags()];
  await call('DELETE', `/api/qrcodes/${id}`);
  // Not counted, unlike a visit.
  const status = async () =>
    (await host.request(`/r/${slug}`, { method: 'HEAD', headers: { accept: 'application/json' } })).status;
  await expect.poll(status).toBe(404);
  expect(await listTags()).toEqual({ data: [] });
  host.clock.advance(29 * DAY_MS);
  await empty();
  expect(await restore(slug)).toMatchObject({ slug, account: owner.id });
  expect(await read(id)).toEqual(before);
  const now = await list();
  expect({ ...now, meta: null, data: null }).toEqual({ ...listed, meta: null, data: null });
  expect(now.data[0]).toMatchObject({ id, visits: listed.data[0].visits, tags: ['wine', '2026'] });
  expect(await listTags()).toEqual(tagged);
  await expect.poll(status).toBe(200);
  const [mail] = await host.mails();
  expect(mail).toMatchObject({ to: owner.email, subject: `Your code is back: ${slug}` });
  expect(
    await runCommand(host.deps, { command: 'audit-log', subject: id, reason: '', operator: 'ada' }),
  ).toMatchObject([{ act: 'restore', reason: 'asked for it', operator: 'ada' }]);
  await expect(restore(slug)).rejects.toThrow(`${slug} is not deleted`);
});

test('after 30 days it is refused with the reason, and nothing of the code is left', async () => {
  const { id, slug } = await fullCode();
  await call('DELETE', `/api/qrcodes/${id}`);
  const day = host.clock.now().toISOString().slice(0, 10);
  host.clock.advance(30 * DAY_MS);
  await expect(restore(slug)).rejects.toThrow(`${slug} was deleted on ${day}, and its content is erased`);
  await empty();
  const [row] = await host.db.orm.select().from(codes).where(eq(codes.id, id));
  expect(row).toMatchObject({
    content: '',
    subject: '',
    name: null,
    tagIds: [],
    logoId: null,
    eraseAt: null,
  });
  expect(await host.db.orm.$count(tags, eq(tags.accountId, owner.id))).toBe(0);
});

test('an archived code comes back archived, and the counts of its account are those of its rows', async () => {
  const { id, slug } = await fullCode();
  await call('PATCH', `/api/qrcodes/${id}`, { archived: true });
  const counts = async () => {
    const [row] = await host.db.orm
      .select({ codes: accounts.codeCount, archived: accounts.archivedCount })
      .from(accounts)
      .where(eq(accounts.id, owner.id));
    return row;
  };
  expect(await counts()).toEqual({ codes: 1, archived: 1 });
  await call('DELETE', `/api/qrcodes/${id}`);
  expect(await counts()).toEqual({ codes: 0, archived: 0 });
  await restore(slug);
  expect(await counts()).toEqual({ codes: 1, archived: 1 });
});

test('what an account erases cannot be brought back', async () => {
  const { id, slug } = await fullCode();
  await call('DELETE', `/api/qrcodes/${id}`);
  await runCommand(host.deps, { command: 'erase', subject: owner.id, reason: 'asked', operator: 'ada' });
  await expect(restore(slug)).rejects.toThrow('erased');
  const [row] = await host.db.orm.select().from(codes).where(eq(codes.id, id));
  expect(row).toMatchObject({ content: '', eraseAt: null });
});

test('a deleted code of a host that emptied it at once cannot be brought back', async () => {
  owner = await host.account();
  const code = await host.code(owner.id, { deletedAt: host.clock.now(), content: '' });
  expect(await restoreCode(host.db.orm, { accountId: owner.id, id: code.id }, host.clock.now())).toBe(false);
});

test('tags of deleted codes take none of the places that an account has', async () => {
  const { id } = await fullCode();
  await call('DELETE', `/api/qrcodes/${id}`);
  const { orm } = host.db;
  const names = Array.from({ length: 199 }, (_, index) => `tag ${index}`);
  const use = () =>
    orm.execute(sql`update tags set codes = 1 where account_id = ${owner.id} and label like 'tag %'`);
  await takeTags(orm, owner.id, names);
  await use();
  expect((await takeTags(orm, owner.id, ['tag 199'])).size).toBe(1);
  await use();
  await expect(takeTags(orm, owner.id, ['tag 200'])).rejects.toMatchObject({
    fields: { tags: ['account_tags_too_many'] },
  });
});
