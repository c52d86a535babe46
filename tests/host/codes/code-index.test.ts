import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Code, ListedCode } from '#contract/codes';
import { CODE_TYPES } from '#contract/contents/contents';
import { codeChanges, codes, tags } from '#host/db/codes.tables';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';

describe('names, tags and archive', () => {
  let host: TestHost;
  let account: TestAccount;

  beforeAll(async () => {
    host = await createTestHost();
  });
  afterAll(() => host.close());

  async function create(fields: Record<string, string>, token = account.token) {
    const form = new FormData();
    const all = { isPublic: 'true', type: 'link', data: 'https://example.com/', parameters: '{}', ...fields };
    for (const [name, value] of Object.entries(all)) form.set(name, value);
    const answer = await host.request('/api/qrcodes', { method: 'POST', body: form, token });
    const body = (await answer.json()) as { data: Code; errors?: object };
    return { ...body, status: answer.status };
  }

  async function change(id: string, values: object, token = account.token) {
    const init = { method: 'PATCH', body: JSON.stringify(values), token };
    const answer = await host.request(`/api/qrcodes/${id}`, init);
    const body = (await answer.json()) as { data: Code; errors?: object };
    return { ...body, status: answer.status };
  }

  async function read<T>(path: string, token = account.token): Promise<T> {
    return (await (await host.request(path, { token })).json()) as T;
  }

  const list = (query: string) =>
    read<{ data: ListedCode[]; meta: { total: number } }>(`/api/qrcodes?limit=100&${query}`);
  const namesOf = async (query: string) => (await list(query)).data.map(({ name }) => name);
  const tagsOf = async () =>
    (await read<{ data: { tag: string; codes: number; archived: number }[] }>('/api/tags')).data;

  test('codes of each type are found by it, and those of several texts by the words in them', async () => {
    account = await host.account();
    const contents: Partial<Record<Code['type'], string>> = {
      contact: '{"givenName":"Zoë","note":"Line 1\\nupstairs"}',
      event: '{"eventTitle":"Vernissage","startDate":"2026-05-01"}',
      place: '{"position":"48.1, 11.5","placeName":"Atelier"}',
      app: '{"googlePlay":"https://play.google.com/store/apps/details?id=com.example.fox"}',
    };
    for (const type of CODE_TYPES)
      await host.code(account.id, { type, name: null, content: contents[type] ?? `content of ${type}` });
    for (const type of CODE_TYPES)
      expect((await list(`type=${type}`)).data.map((code) => code.type)).toEqual([type]);
    const typesOf = async (search: string) => (await list(`search=${search}`)).data.map(({ type }) => type);
    expect(await typesOf('zoe')).toEqual(['contact']);
    expect(await typesOf('1%20upstairs')).toEqual(['contact']);
    expect(await typesOf('vernissage')).toEqual(['event']);
    expect(await typesOf('atelier')).toEqual(['place']);
    expect(await typesOf('example.fox')).toEqual(['app']);
    expect(await typesOf('givenName')).toEqual([]);
  });

  test('a code is created with a name and tags, or without', async () => {
    account = await host.account();
    const made = await create({ name: ' Menu  table 12 ', tags: '["Été","ete","Terrace, indoors"]' });
    expect(made.status).toBe(201);
    expect(made.data).toMatchObject({
      name: 'Menu table 12',
      tags: ['Été', 'Terrace', 'indoors'],
      archivedAt: null,
    });
    expect((await create({ tags: 'INDOORS, garden' })).data.tags).toEqual(['indoors', 'garden']);
    expect((await create({})).data).toMatchObject({ name: null, tags: [] });
    expect(await tagsOf()).toEqual([
      { tag: 'Été', codes: 1, archived: 0 },
      { tag: 'garden', codes: 1, archived: 0 },
      { tag: 'indoors', codes: 2, archived: 0 },
      { tag: 'Terrace', codes: 1, archived: 0 },
    ]);
  });

  test.each([
    [{ name: 'x'.repeat(10_000) }, { name: ['name_too_long'] }],
    [{ name: 'a\u0000b' }, { name: ['name_invalid'] }],
    [{ tags: ['x'.repeat(31)] }, { tags: ['tag_too_long'] }],
    [{ tags: ['\u0000'] }, { tags: ['tag_invalid'] }],
    [{ tags: ['´'] }, { tags: ['accents_only'] }],
    [{ tags: [1] }, { tags: ['invalid'] }],
    [{ tags: 'a' }, { tags: ['tag_invalid'] }],
    [{ tags: [...'abcdefghijk'] }, { tags: ['tags_too_many'] }],
  ])('an invalid name or tag is refused (%#)', async (values, errors) => {
    account = await host.account();
    const { id } = await host.code(account.id);
    expect(await change(id, values)).toMatchObject({ status: 422, errors });
    expect(await tagsOf()).toEqual([]);
  });

  test('an account has at most 200 tags, and a tag that no code uses any more does not count', async () => {
    account = await host.account();
    const made: string[] = [];
    for (let start = 0; start < 200; start += 10) {
      const ten = Array.from({ length: 10 }, (_, index) => `tag ${start + index}`);
      made.push((await host.code(account.id, { tags: ten })).id);
    }
    const [first = '', second = ''] = made;
    const refused = { tags: ['account_tags_too_many'] };
    expect(await create({ tags: '["another"]' })).toMatchObject({ status: 422, errors: refused });
    expect(await change(second, { tags: ['another', 'tag 10'] })).toMatchObject({
      status: 422,
      errors: refused,
    });
    expect((await change(second, { tags: ['TAG 0', 'tag 10'] })).data.tags).toEqual(['tag 0', 'tag 10']);
    expect((await create({ tags: '["another"]' })).status).toBe(201);
    await host.request(`/api/qrcodes/${first}`, { method: 'DELETE', token: account.token });
    expect(await tagsOf()).toHaveLength(1 + 1 + 1 + 180);
  });

  test('tags added to codes concurrently are each counted once', async () => {
    account = await host.account();
    const made = await Promise.all(Array.from({ length: 6 }, () => host.code(account.id)));
    const answers = await Promise.all(
      made.map(({ id }, index) => change(id, { tags: [index % 2 ? 'Menu' : 'menu'] })),
    );
    expect(answers.map(({ status }) => status)).toEqual(made.map(() => 200));
    expect(await tagsOf()).toMatchObject([{ codes: 6 }]);
    expect(new Set(answers.map(({ data }) => data.tags[0])).size).toBe(1);
  });

  test('every change is in the history once, those of Wi-Fi codes too', async () => {
    account = await host.account();
    const wifi = { type: 'wifi' as const, content: 'WIFI:T:WPA;S:x;P:password;;', tags: ['old'] };
    const { id } = await host.code(account.id, wifi);
    for (const _ of [1, 2]) {
      const { status, data } = await change(id, { name: 'Guests', tags: ['new', 'old'], archived: true });
      expect(status).toBe(200);
      expect(data).toMatchObject({ name: 'Guests', tags: ['new', 'old'], dynamic: false });
      expect(data.archivedAt).toBe(host.clock.now().toISOString());
    }
    const { data } = await read<{ data: { changes: { field: string; before: string; after: string }[] } }>(
      `/api/qrcodes/${id}`,
    );
    const history = data.changes.map(({ field, before, after }) => [field, before, after]).sort();
    expect(history).toEqual([
      ['archived', 'false', 'true'],
      ['name', '', 'Guests'],
      ['tags', 'old', 'new, old'],
    ]);
    expect(await tagsOf()).toEqual([
      { tag: 'new', codes: 0, archived: 1 },
      { tag: 'old', codes: 0, archived: 1 },
    ]);
    expect((await change(id, { name: '', tags: [], archived: false })).data).toMatchObject({
      name: null,
      tags: [],
    });
    expect(await tagsOf()).toEqual([]);
  });

  test('an archived code is not listed, and handles visits as before', async () => {
    account = await host.account();
    const { id, slug } = await host.code(account.id, { name: 'kept' });
    await host.code(account.id, { name: 'other' });
    await change(id, { archived: true });
    expect(await list('')).toMatchObject({ data: [{ name: 'other' }], meta: { total: 1 } });
    expect(await namesOf('show=archived')).toEqual(['kept']);
    expect(await namesOf('show=all')).toEqual(['other', 'kept']);
    for (const path of [`/r/${slug}`, `/l/${slug}`]) {
      const visit = await host.request(path);
      expect(visit.status).toBe(302);
      expect(visit.headers.get('location')).toBe('https://destination.example/');
    }
    const [kept] = (await list('show=archived')).data;
    expect(kept?.visits.total).toBe(2);
    expect(kept?.recentVisits).toEqual([...Array.from({ length: 11 }, () => 0), 2]);
    expect(kept?.visits30).toBe(2);
    await change(id, { archived: false });
    expect(await namesOf('')).toEqual(['other', 'kept']);
    await change(id, { archived: true });
    await host.request(`/api/qrcodes/${id}`, { method: 'DELETE', token: account.token });
    expect(await list('show=all')).toMatchObject({ meta: { total: 1 } });
    expect(await list('')).toMatchObject({ data: [{ name: 'other' }], meta: { total: 1 } });
  });

  test('search, filters and sorting work, and invalid ones are ignored', async () => {
    account = await host.account();
    const bistro = await host.code(account.id, {
      name: 'Café du Coin',
      content: 'https://a.example/Carte',
      tags: ['Été'],
    });
    const wifi = { type: 'wifi' as const, content: 'WIFI:T:WPA;S:x;P:password;;', name: 'wifi' };
    await host.code(account.id, wifi);
    const hidden = await host.code(account.id, {
      name: 'b 100%_(x)',
      visibility: 'private',
      tags: ['ete', 'x'],
    });
    const plain = await host.code(account.id, {
      content: 'https://zebra.example/',
      createdAt: host.clock.now(),
    });
    for (const { slug } of [plain, bistro, bistro]) {
      host.clock.advance(1_000);
      await host.request(`/r/${slug}`);
    }
    const found = async (query: string) => {
      const { data, meta } = await list(query);
      expect(meta.total).toBe(data.length);
      return data.map(({ id }) => id);
    };
    const all = await found('');
    expect(all).toHaveLength(4);
    expect(await found('search=carte')).toEqual([bistro.id]);
    expect(await found('search=CAF%C3%89')).toEqual([bistro.id]);
    expect(await found(`search=${encodeURIComponent('100%_(X)')}`)).toEqual([hidden.id]);
    expect(await found(`search=https://go.quadrille.example/l/${plain.slug}`)).toEqual([plain.id]);
    expect(await found('search=ete')).toEqual([hidden.id, bistro.id]);
    expect(await found('search=nothing-has-this')).toEqual([]);
    expect(await found(`search=${encodeURIComponent('.*')}`)).toEqual([]);
    expect(await found('tag=%C3%89T%C3%89')).toEqual([hidden.id, bistro.id]);
    expect(await found('tag=unknown')).toEqual([]);
    expect(await found('tag=ete&visibility=private')).toEqual([hidden.id]);
    expect(await namesOf('type=wifi')).toEqual(['wifi']);
    expect(await found('show=never_visited')).toEqual([hidden.id]);
    expect(await found('order=visits')).toEqual([bistro.id, plain.id, ...all.slice(1, 3)]);
    expect(await found('order=last_visit')).toEqual([bistro.id, plain.id, ...all.slice(1, 3)]);
    expect(await namesOf('order=name')).toEqual(['b 100%_(x)', 'Café du Coin', 'wifi', null]);
    const junk = `search=%00&tag=%00&type=image&visibility=secret&show=everything&order=random&page=-1`;
    expect(await found(junk)).toEqual(all);
    expect(await found(`search=${'y'.repeat(10_000)}`)).toEqual(all);
    expect((await list('order=name&limit=1&page=2')).meta.total).toBe(4);
  });

  test('numbers in names are sorted by size, also in names that are added and changed later', async () => {
    account = await host.account();
    for (const name of ['Table 10', 'table 2', 'Terrace', 'Table 1', 'Table 02b', 'Table'])
      await host.code(account.id, { name });
    const sorted = ['Table', 'Table 1', 'table 2', 'Table 02b', 'Table 10', 'Terrace'];
    expect(await namesOf('order=name')).toEqual(sorted);
    await host.code(account.id, { name: 'Table 3' });
    const { id } = await host.code(account.id, { name: 'Zebra' });
    await change(id, { name: 'Table 11' });
    const all = ['Table', 'Table 1', 'table 2', 'Table 02b', 'Table 3', 'Table 10', 'Table 11', 'Terrace'];
    expect(await namesOf('order=name')).toEqual(all);
    const page = async (number: number) =>
      (await read<{ data: Code[] }>(`/api/qrcodes?order=name&limit=3&page=${number}`)).data;
    const paged = [...(await page(1)), ...(await page(2)), ...(await page(3))];
    expect(paged.map(({ name }) => name)).toEqual(all);
    const { data } = (await (
      await host.request('/api/qrcodes/selection', {
        method: 'POST',
        token: account.token,
        body: JSON.stringify({ order: 'name' }),
      })
    ).json()) as { data: Code[] };
    expect(data.map(({ name }) => name)).toEqual(all);
  });

  test('codes of other accounts are not found, tagged or counted', async () => {
    const other = await host.account();
    await host.code(other.id, { name: 'secret', tags: ['private'] });
    account = await host.account();
    const { id } = await host.code(account.id, { tags: ['private'] });
    expect((await list('search=secret&show=all')).data).toEqual([]);
    expect((await list('tag=private')).data.map((code) => code.id)).toEqual([id]);
    expect(await tagsOf()).toMatchObject([{ codes: 1 }]);
  });

  test('names, tags and archive are erased with the account', async () => {
    account = await host.account();
    const { id } = await host.code(account.id, { name: 'gone', tags: ['gone'] });
    await change(id, { name: 'gone too', archived: true });
    const body = JSON.stringify({ password: account.password });
    await host.request('/api/account', { method: 'DELETE', body, token: account.token });
    expect(await host.db.orm.select().from(tags).where(eq(tags.accountId, account.id))).toEqual([]);
    expect(await host.db.orm.select().from(codeChanges).where(eq(codeChanges.codeId, id))).toEqual([]);
    const [left] = await host.db.orm.select().from(codes).where(eq(codes.id, id));
    expect(left).toMatchObject({ name: null, tagIds: [] });
  });
});
