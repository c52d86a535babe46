import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestAccount } from '../../support/host';
import { userScopeOf } from '../../support/scope';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;
let reads = 0;

beforeAll(async () => {
  website = await createTestWebsite({}, (request, pass) => {
    if (new URL(request.url).pathname.startsWith('/api/qrcodes')) reads += 1;
    return pass();
  });
});
afterAll(() => website.close());

async function select(as: TestAccount, fields: Record<string, string>) {
  const { readSelection } = await import('~/codes/list/selection.server');
  const form = new FormData();
  for (const [name, value] of Object.entries({ sort: 'list', ...fields })) form.set(name, value);
  const selection = await readSelection(await userScopeOf(as), form);
  return { count: selection.count, ids: selection.codes.map((code) => code?.id ?? null) };
}

async function makeCodes(as: TestAccount, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1)
    ids.unshift((await website.host.code(as.id, { name: `code ${String(n).padStart(4, '0')}` })).id);
  return ids;
}

test('ticked codes are read at once in the order of their ids, without foreign and deleted ones', async () => {
  const [as, other] = await Promise.all([website.host.account(), website.host.account()]);
  const codes = await makeCodes(as, 150);
  const [foreign] = await makeCodes(other, 1);
  const deleted = codes[3];
  await website.host.request(`/api/qrcodes/${deleted}`, { method: 'DELETE', token: as.token });
  reads = 0;
  const chosen = [codes[7], foreign, deleted, codes[2]?.toUpperCase(), ...codes.slice(10)];
  const { count, ids } = await select(as, { ids: chosen.join(',') });
  expect({ count, reads }).toEqual({ count: chosen.length, reads: 1 });
  expect(ids).toEqual([codes[7], null, null, codes[2], ...codes.slice(10)]);
});

test('parts of a filtered list contain the same codes and are read at once', async () => {
  const as = await website.host.account();
  const [first, second] = await makeCodes(as, 2);
  reads = 0;
  expect(await select(as, { all: '1', search: 'code', listed: `${second},${first}` })).toEqual({
    count: 2,
    ids: [second, first],
  });
  expect(reads).toBe(1);
});

test('codes are sorted by name with numbers as numbers, or the newest first; those that are gone come last', async () => {
  const as = await website.host.account();
  const made: string[] = [];
  for (const name of ['Table 10', 'Table 2', 'table 1', 'Été']) {
    made.push((await website.host.code(as.id, { name, createdAt: new Date(2026, 2, made.length + 1) })).id);
  }
  const [ten, two, one, summer] = made;
  const gone = randomUUID();
  const ids = [gone, ...made].join(',');
  expect((await select(as, { ids, sort: 'name' })).ids).toEqual([summer, one, two, ten, null]);
  expect((await select(as, { ids, sort: '' })).ids).toEqual([summer, one, two, ten, null]);
  expect((await select(as, { ids, sort: 'newest' })).ids).toEqual([summer, one, two, ten, null]);
  expect((await select(as, { all: '1', sort: 'name' })).ids).toEqual([summer, one, two, ten]);
  // Parts of a file keep the places they had, whatever has gone since.
  const listed = [ten, gone, two].join(',');
  expect((await select(as, { all: '1', listed, listedSort: 'name', sort: 'name' })).ids).toEqual([
    ten,
    null,
    two,
  ]);
  expect((await select(as, { all: '1', listed, listedSort: 'list', sort: 'name' })).ids).toEqual([
    two,
    ten,
    null,
  ]);
});

test('a list keeps its order and is accepted only for some files', async () => {
  const as = await website.host.account();
  const newest = await makeCodes(as, 1_000);
  expect(await select(as, { all: '1', order: 'name' })).toEqual({ count: 1_000, ids: [...newest].reverse() });
  expect((await select(as, { all: '1', search: 'code 000' })).count).toBe(10);
  await makeCodes(as, 1);
  await expect(select(as, { all: '1' })).rejects.toMatchObject({ status: 303 });
});

test('more ids than a file accepts redirect to the list', async () => {
  const as = await website.host.account();
  const ids = Array.from({ length: 1_001 }, () => randomUUID()).join(',');
  await expect(select(as, { ids })).rejects.toMatchObject({ status: 303 });
  await expect(select(as, { all: '1', listed: ids })).rejects.toMatchObject({ status: 303 });
});

test('as many ids as a file accepts are read, and a hundred still fit into an address', async () => {
  const { readSelection } = await import('~/codes/list/selection.server');
  const as = await website.host.account();
  const read = async (count: number) => {
    const form = new FormData();
    form.set('ids', Array.from({ length: count }, () => randomUUID()).join(','));
    return readSelection(await userScopeOf(as), form);
  };
  expect(await read(100)).toMatchObject({ count: 100, method: 'get', address: [['ids', expect.anything()]] });
  expect(await read(101)).toMatchObject({ count: 101, method: 'post', address: null });
  const most = await read(1_000);
  expect([most.count, most.codes.length]).toEqual([1_000, 1_000]);
});

test('an id that is named twice, in any letter case, is selected once', async () => {
  const { readIds } = await import('~/codes/list/selection.server');
  const [one, other] = [randomUUID(), randomUUID()];
  const fields = new URLSearchParams({ ids: `${one},${other.toUpperCase()},${one}` });
  fields.append('id', other);
  expect(readIds(fields)).toEqual([other, one]);
});

test('a selection of exactly one file has one part, one code more has two', async () => {
  const { codesOfPart, partsOf, readPart } = await import('~/codes/list/selection.server');
  expect(partsOf(0, 480)).toEqual([{ from: 1, to: 0 }]);
  expect(partsOf(480, 480)).toEqual([{ from: 1, to: 480 }]);
  expect(partsOf(481, 480)).toEqual([
    { from: 1, to: 480 },
    { from: 481, to: 481 },
  ]);
  expect(partsOf(960, 480)).toHaveLength(2);
  const codes = Array.from({ length: 5 }, () => null);
  const selection = { count: 5, codes, fields: [], method: 'get', address: null, isFiltered: false } as const;
  const lengths = [1, 2, 3, 4].map(
    (part) => codesOfPart({ ...selection, fields: [] }, { part, size: 2 }).length,
  );
  expect(lengths).toEqual([2, 2, 1, 0]);
  const form = new FormData();
  for (const [named, part] of [
    ['2', 2],
    ['0', 1],
    ['-1', 1],
    ['12345', 1],
    ['9999', 9_999],
  ] as const) {
    form.set('part', named);
    expect(readPart(form, 480)).toEqual({ part, size: 480 });
  }
});
