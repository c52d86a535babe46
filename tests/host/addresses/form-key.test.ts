import { expect } from 'vitest';
import type { Address } from '#contract/addresses';
import type { TestAccount } from '../../support/host';
import { test } from '../../support/host-test';
import { send } from '../../support/json-calls';

const PATH = '/api/account/billing-addresses';
const HOME = { street: '1 rue du Papier', city: 'Paris', postal_code: '75011', country: 'FR' };

test('an address that is posted twice with the same key is created once', async ({ host }) => {
  const account = await host.account();
  const add = async (key: string) => {
    const { status, body } = await send(host, 'POST', PATH, { ...HOME, key }, account);
    return { status, id: (body.data as Address).id };
  };
  const [first, second] = await Promise.all([add('a-key'), add('a-key')]);
  expect(first).toEqual(second);
  expect(first.status).toBe(201);
  expect((await add('another-key')).id).not.toBe(first.id);
  const list = (await send(host, 'GET', PATH, undefined, account)).body.data as Address[];
  expect(list).toHaveLength(2);
});

test('the same key of two accounts creates an address for each', async ({ host }) => {
  const idFor = async (account: TestAccount) =>
    ((await send(host, 'POST', PATH, { ...HOME, key: 'a-key' }, account)).body.data as Address).id;
  expect(await idFor(await host.account())).not.toBe(await idFor(await host.account()));
});

test('a different address with a used key is added too', async ({ host }) => {
  const account = await host.account();
  for (const street of [HOME.street, '2 rue du Papier', '2 rue du Papier'])
    await send(host, 'POST', PATH, { ...HOME, street, key: 'a-key' }, account);
  const list = (await send(host, 'GET', PATH, undefined, account)).body.data as Address[];
  expect(list.map(({ street }) => street).sort()).toEqual([HOME.street, '2 rue du Papier']);
});

test('an invalid key is refused', async ({ host }) => {
  const account = await host.account();
  const { status, body } = await send(host, 'POST', PATH, { ...HOME, key: 'no key' }, account);
  expect([status, Object.keys(body.errors ?? {})]).toEqual([422, ['key']]);
});
