import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foldLabel } from '#contract/labels';
import { renewTagKeys } from '#host/codes/code/tag-keys';
import { codes, tags } from '#host/db/codes.tables';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';

describe('keys of tags that an earlier release stored', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await createTestHost();
  });
  afterAll(() => host.close());

  /** Adds a tag as an earlier release did, which kept œ and invisible characters. */
  async function addEarlier({ id: accountId }: TestAccount, label: string): Promise<number> {
    const key = label.toLowerCase();
    const [added] = await host.db.orm
      .insert(tags)
      .values({ accountId, key, label })
      .returning({ id: tags.id });
    return added?.id ?? 0;
  }

  async function tagEarlier(account: TestAccount, tagIds: number[], archivedAt: Date | null = null) {
    const code = await host.code(account.id);
    await host.db.orm.update(codes).set({ tagIds, archivedAt }).where(eq(codes.id, code.id));
    return code.id;
  }

  const renew = () => renewTagKeys(host.db, new AbortController().signal);
  const rowsOf = async ({ id }: TestAccount) =>
    host.db.orm
      .select({ key: tags.key, label: tags.label, codes: tags.codes, archived: tags.archived })
      .from(tags)
      .where(eq(tags.accountId, id))
      .orderBy(tags.id);
  async function found(account: TestAccount, query: Record<string, string>): Promise<string[]> {
    const answer = await host.request(
      `/api/qrcodes?${new URLSearchParams({ show: 'all', ...query })}`,
      account,
    );
    return ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
  }

  test('a tag is found again, by itself and in a search', async () => {
    const account = await host.account();
    const id = await tagEarlier(account, [await addEarlier(account, 'Œuvre')]);
    expect(await found(account, { tag: 'Œuvre' })).toEqual([]);
    await renew();
    expect(await found(account, { tag: 'Œuvre' })).toEqual([id]);
    expect(await found(account, { tag: 'oeuvre' })).toEqual([id]);
    expect(await found(account, { search: 'oeuvr' })).toEqual([id]);
    expect(await rowsOf(account)).toMatchObject([{ key: 'oeuvre', label: 'Œuvre' }]);
  });

  test('tags that are now equal become one, on codes that had several of them too', async () => {
    const account = await host.account();
    const other = await host.account();
    const [invisible, first, plain, last] = [
      await addEarlier(account, 'menu\u200b'),
      await addEarlier(account, 'Été'),
      await addEarlier(account, 'menu'),
      await addEarlier(account, 'me\u00adnu'),
    ];
    const foreign = await tagEarlier(other, [await addEarlier(other, 'menu')]);
    const ids = [
      await tagEarlier(account, [invisible]),
      await tagEarlier(account, [first, plain, invisible]),
      await tagEarlier(account, [last, first], host.clock.now()),
    ];
    await tagEarlier(account, [first]);
    // The list is in memory already.
    expect(await found(account, { tag: 'menu' })).toEqual([ids[1]]);
    await renew();
    expect(await found(account, { tag: 'menu' })).toEqual([...ids].reverse());
    expect(await rowsOf(account)).toEqual([
      { key: 'menu', label: 'menu', codes: 2, archived: 1 },
      { key: foldLabel('Été'), label: 'Été', codes: 0, archived: 0 },
    ]);
    const stored = await host.db.orm
      .select({ tagIds: codes.tagIds })
      .from(codes)
      .where(eq(codes.accountId, account.id))
      .orderBy(codes.number);
    expect(stored.map(({ tagIds }) => tagIds)).toEqual([
      [invisible],
      [first, invisible],
      [invisible, first],
      [first],
    ]);
    expect(await found(other, { tag: 'menu' })).toEqual([foreign]);
  });

  test('nothing is written when all keys are up to date', async () => {
    const account = await host.account();
    await host.code(account.id, { tags: ['Œuvre', 'меню', 'Łódź'] });
    await renew();
    const written = async () =>
      (
        await host.db.orm.select({ at: codes.writtenIn }).from(codes).where(eq(codes.accountId, account.id))
      )[0];
    const [before, rows] = [await written(), await rowsOf(account)];
    await renew();
    expect(await written()).toEqual(before);
    expect(await rowsOf(account)).toEqual(rows);
  });
});
