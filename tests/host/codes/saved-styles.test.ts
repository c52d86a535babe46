import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_STYLE } from '#contract/style-rules';
import { type SavedStyle, STYLES_PER_ACCOUNT } from '#contract/styles';
import { styles } from '#host/db/codes.tables';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

const TERRACE = { ...DEFAULT_STYLE, moduleShape: 'bars-vertical', cornerColour: '#a4210d' };
const DOTS = { ...DEFAULT_STYLE, moduleShape: 'dots' };

describe('saved styles', () => {
  let host: TestHost;
  let account: TestAccount;

  beforeAll(async () => {
    host = await createTestHost();
  });
  afterAll(() => host.close());
  beforeEach(async () => {
    account = await host.account();
  });

  async function save(body: object, as = account) {
    const answer = await send(host, 'POST', '/api/styles', body, as);
    return { ...answer, data: answer.body.data as SavedStyle };
  }
  const change = (id: string, body: object) => send(host, 'PATCH', `/api/styles/${id}`, body, account);
  const remove = (id: string) => send(host, 'DELETE', `/api/styles/${id}`, undefined, account);
  const list = async (as = account): Promise<SavedStyle[]> =>
    (await send(host, 'GET', '/api/styles', undefined, as)).body.data as SavedStyle[];
  const named = async () => (await list()).map(({ name, isDefault }) => `${name}${isDefault ? '*' : ''}`);

  test('are listed by name in alphabetical order, per account', async () => {
    const { status, data } = await save({ name: '  Shop   window ', style: TERRACE });
    expect(status).toBe(201);
    expect(data).toEqual({
      id: expect.any(String),
      name: 'Shop window',
      style: TERRACE,
      logo: null,
      isDefault: false,
      createdAt: host.clock.now().toISOString(),
    });
    await save({ name: 'été', style: DOTS });
    await save({ name: 'Business card', style: {} });
    await save({ name: 'Of another', style: {} }, await host.account());
    expect(await named()).toEqual(['Business card', 'été', 'Shop window']);
    expect((await list())[0]?.style).toEqual(DEFAULT_STYLE);
  });

  test('a name whose key was made by an earlier release is still found, and kept apart from others', async () => {
    const { data } = await save({ name: 'Œuvre', style: TERRACE });
    await host.db.orm.update(styles).set({ key: 'œuvre' }).where(eq(styles.id, data.id));
    expect((await save({ name: 'oeuvre', style: DOTS })).data).toMatchObject({ id: data.id, name: 'oeuvre' });
    const other = await save({ name: 'Menu', style: DOTS });
    await host.db.orm.update(styles).set({ key: 'oeuvre\u200b' }).where(eq(styles.id, data.id));
    expect(await change(other.data.id, { name: 'ŒUVRE\u200b' })).toMatchObject({
      status: 422,
      body: { errors: { name: ['style_name_taken'] } },
    });
    // Two names that were different then stay two.
    await host.db.orm.update(styles).set({ name: 'Œuvre', key: 'œuvre' }).where(eq(styles.id, other.data.id));
    expect((await change(other.data.id, { isDefault: true })).status).toBe(200);
    await host.db.orm.update(styles).set({ key: 'oeuvre' }).where(eq(styles.id, data.id));
    expect((await save({ name: 'œuvre', style: TERRACE })).data.id).toBe(data.id);
    expect(await list()).toHaveLength(2);
  });

  test('saving an equal name replaces the style, and it stays the default', async () => {
    const first = await save({ name: 'Été', style: TERRACE, isDefault: true });
    const again = await save({ name: 'ete', style: DOTS });
    expect(again.data).toMatchObject({
      id: first.data.id,
      name: 'ete',
      style: DOTS,
      isDefault: true,
    });
    expect(await list()).toHaveLength(1);
  });

  test('are renamed, but not to an existing name', async () => {
    const { id } = (await save({ name: 'Menu', style: TERRACE })).data;
    await save({ name: 'Poster', style: DOTS });
    expect((await change(id, { name: ' MENÜ ' })).body.data).toMatchObject({ name: 'MENÜ', style: TERRACE });
    expect((await change(id, { name: 'pöster' })).body.errors).toEqual({ name: ['style_name_taken'] });
    expect((await change(id, { name: ' ' })).body.errors).toEqual({ name: ['name_required'] });
    expect(await named()).toEqual(['MENÜ', 'Poster']);
  });

  test('at most one is the default, and there may be none', async () => {
    const ids = [];
    for (const name of ['A', 'B', 'C']) ids.push((await save({ name, style: {}, isDefault: true })).data.id);
    expect(await named()).toEqual(['A', 'B', 'C*']);
    await change(ids[0] ?? '', { isDefault: true });
    expect(await named()).toEqual(['A*', 'B', 'C']);
    await change(ids[1] ?? '', { isDefault: false });
    expect(await named()).toEqual(['A*', 'B', 'C']);
    await change(ids[0] ?? '', { isDefault: false });
    expect(await named()).toEqual(['A', 'B', 'C']);
  });

  test('concurrent changes of the default leave one', async () => {
    const made = await Promise.all(
      ['A', 'B', 'C', 'D'].map((name) => save({ name, style: {}, isDefault: true })),
    );
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect((await list()).filter(({ isDefault }) => isDefault)).toHaveLength(1);
    const ids = (await list()).map(({ id }) => id);
    const changed = await Promise.all(ids.map((id) => change(id, { isDefault: true })));
    expect(changed.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await list()).filter(({ isDefault }) => isDefault)).toHaveLength(1);
  });

  test('the same name saved twice concurrently is one style', async () => {
    const made = await Promise.all([1, 2, 3].map(() => save({ name: 'Menu', style: TERRACE })));
    expect(new Set(made.map(({ data }) => data.id)).size).toBe(1);
    expect(await list()).toHaveLength(1);
  });

  test('an account has at most 50, even when saved concurrently', async () => {
    const others = Array.from({ length: STYLES_PER_ACCOUNT - 2 }, (_, index) => ({
      id: randomUUID(),
      accountId: account.id,
      key: `k${index}`,
      name: `k${index}`,
      style: DOTS,
      isDefault: false,
      createdAt: host.clock.now(),
    }));
    await host.db.orm.insert(styles).values(others);
    const made = await Promise.all(['A', 'B', 'C', 'D'].map((name) => save({ name, style: {} })));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422]);
    const refused = made.find(({ status }) => status === 422);
    expect(refused?.body.errors).toEqual({ name: ['styles_too_many'] });
    expect(await list()).toHaveLength(STYLES_PER_ACCOUNT);
    expect((await save({ name: 'K1', style: TERRACE })).status).toBe(201);
    await remove(others[0]?.id ?? '');
    expect((await save({ name: 'E', style: {} })).status).toBe(201);
  });

  test('are deleted, and codes keep their copies', async () => {
    const code = await host.code(account.id, { style: TERRACE });
    const { id } = (await save({ name: 'Terrace', style: TERRACE })).data;
    expect((await remove(id)).body).toEqual({ status: 'success', message: 'style_deleted' });
    expect((await remove(id)).status).toBe(404);
    const { body } = await send(host, 'GET', `/api/qrcodes/${code.id}`, undefined, account);
    expect(body).toMatchObject({ data: { code: { style: TERRACE } } });
  });

  test.each([
    [{ name: '', style: {} }, { name: ['name_required'] }],
    [{ name: '\u202e \u2066', style: {} }, { name: ['name_required'] }],
    [{ style: {} }, { name: ['name_required'] }],
    [{ name: 'é'.repeat(81), style: {} }, { name: ['name_too_long'] }],
    [{ name: 'a\u0000', style: {} }, { name: ['name_invalid'] }],
    [{ name: '´', style: {} }, { name: ['accents_only'] }],
    [{ name: '\ud800', style: {} }, { name: ['name_invalid'] }],
    [{ name: 'Menu' }, { style: ['invalid'] }],
    [{ name: 'Menu', style: null }, { style: ['invalid'] }],
    [{ name: 'Menu', style: { version: 7 } }, { version: ['style_version'] }],
    [{ name: 'Menu', style: { frame: 'badge' } }, { caption: ['caption_required'] }],
    [{ name: 'Menu', style: {}, isDefault: 'yes' }, { isDefault: ['invalid'] }],
  ])('an invalid style is refused at its field (%#)', async (body, errors) => {
    expect(await save(body)).toMatchObject({ status: 422, body: { errors } });
    expect(await list()).toEqual([]);
  });

  test('one that this version cannot read is listed with the default look, and can be deleted', async () => {
    const { id } = (await save({ name: 'Later', style: TERRACE })).data;
    await host.db.orm
      .update(styles)
      .set({ style: { ...TERRACE, version: 2 } })
      .where(eq(styles.id, id));
    expect(await list()).toMatchObject([{ name: 'Later', style: DEFAULT_STYLE }]);
    expect((await remove(id)).status).toBe(200);
  });

  test('an account without a subscription can list and delete its styles, but save none', async () => {
    const lapsed = await host.account({ access: false });
    expect((await save({ name: 'Menu', style: {} }, lapsed)).status).toBe(402);
    expect(await list(lapsed)).toEqual([]);
  });
});
