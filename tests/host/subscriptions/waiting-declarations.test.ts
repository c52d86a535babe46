import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { declarations } from '#host/db/subscriptions.tables';
import { endWaiting } from '#host/subscriptions/declaration/waiting';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import {
  advance,
  billingMails,
  buy,
  onboard,
  signIn,
  subscriptionOf,
  transactions,
  view,
} from '../../support/ordering';
import { declare, linkOf, mailOf, outcomesOf, ownerOf, statusAfter } from './declaring';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

test('with name and e-mail address only, a contract does not end before the owner could object', async () => {
  const bought = await buy(host, { trial: false, locale: 'de' });
  await declare(host, 'withdraw', bought, { locale: 'it' });
  expect(await statusAfter(host, bought)).toBe('active');
  expect(await billingMails(host, bought)).toEqual(
    expect.arrayContaining(['withdraw_received', 'declaration_waiting']),
  );
  expect(await mailOf(host, bought, 'withdraw_received')).toContain('«Recedo dal mio contratto.»');
  const requested = await mailOf(host, bought, 'declaration_waiting');
  for (const part of [
    '„Ich widerrufe meinen Vertrag.“',
    '2. März 2026',
    '5. März 2026',
    '/declaration?token=',
  ]) {
    expect(requested).toContain(part);
  }
  expect(requested).not.toContain(bought.body.name);
  await advance(host, '71h');
  expect(await statusAfter(host, bought)).toBe('active');
  await advance(host, '1h');
  expect(await statusAfter(host, bought)).toBe('canceled');
  expect(await outcomesOf(host, bought)).toEqual([['done', 'period']]);
  expect(await billingMails(host, bought)).toEqual(expect.arrayContaining(['withdrawn', 'refunded']));
});

test('signed in as the owner, it takes effect at once, whatever name is given', async () => {
  const bought = await buy(host, { trial: false });
  const token = await onboard(host, bought.email);
  await declare(host, 'withdraw', bought, { name: 'Another Spelling' }, token);
  expect(await statusAfter(host, bought)).toBe('canceled');
  expect(await outcomesOf(host, bought)).toEqual([['done', 'session']]);
});

test('signed in as somebody else, it waits', async () => {
  const bought = await buy(host);
  const stranger = await host.account();
  await declare(host, 'cancel', bought, {}, stranger.token);
  expect(await statusAfter(host, bought)).toBe('trialing');
  expect(await outcomesOf(host, bought)).toEqual([['waiting', null]]);
});

test('with the reference and the e-mail address of the order, it takes effect at once', async () => {
  const bought = await buy(host);
  await declare(host, 'cancel', bought, { name: 'Nobody', reference: ` ${bought.reference.toLowerCase()} ` });
  expect(await statusAfter(host, bought)).toBe('cancelled');
  expect(await outcomesOf(host, bought)).toEqual([['done', 'reference']]);
});

test('with an invoice number, which finds the contract but proves nothing, it waits', async () => {
  const bought = await buy(host, { trial: false });
  const token = await onboard(host, bought.email);
  const [paid] = await transactions(host, token);
  const number = /F\d{4}-\d{6}/.exec(paid?.invoice?.path ?? '')?.[0];
  await declare(host, 'withdraw', bought, { name: 'Nobody', reference: number });
  expect(await statusAfter(host, bought)).toBe('active');
  expect(await outcomesOf(host, bought)).toEqual([['waiting', null]]);
});

test.each([
  ['of another contract', (_: string, other: string) => other],
  ['with one letter changed', (own: string) => own.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
  ['cut short', (own: string) => own.slice(0, -1)],
  ['without its dashes', (own: string) => own.replaceAll('-', '')],
])('a reference %s proves nothing', async (_, change) => {
  const [bought, other] = [await buy(host), await buy(host)];
  await declare(host, 'cancel', bought, { reference: change(bought.reference, other.reference) });
  expect([await statusAfter(host, bought), await statusAfter(host, other)]).toEqual(['trialing', 'trialing']);
  expect(await outcomesOf(host, bought)).toEqual([['waiting', null]]);
});

test('with another e-mail address the owner is asked, and the receipt to that address reveals nothing', async () => {
  const bought = await buy(host);
  const email = `friend-of-${bought.email}`;
  await declare(host, 'cancel', bought, { email, reference: bought.reference });
  expect(await statusAfter(host, bought)).toBe('trialing');
  expect(await billingMails(host, { email })).toEqual(['cancel_received']);
  const unknown = { email: `nobody-like-${bought.email}` };
  await declare(host, 'cancel', bought, { ...unknown, name: 'Nobody At All' });
  const plain = (text: string, address: string) =>
    text.replaceAll(address, '…').replace(/(Name|Reference): .*/g, '');
  expect(plain(await mailOf(host, { email }, 'cancel_received'), email)).toBe(
    plain(await mailOf(host, unknown, 'cancel_received'), unknown.email),
  );
  expect(await billingMails(host, bought)).toContain('declaration_waiting');
});

test('nothing is charged while a declaration waits; when undone it is, and access is not interrupted', async () => {
  const bought = await buy(host);
  await advance(host, '40h');
  await declare(host, 'cancel', bought);
  const heldUntil = host.clock.now().getTime() + 72 * 3_600_000;
  await advance(host, '30h');
  const owner = await ownerOf(host, bought);
  expect(await transactions(host, owner)).toEqual([]);
  expect(await view(host, owner)).toMatchObject({ status: 'trialing', running: true });
  expect(Date.parse((await view(host, owner)).next?.at ?? '')).toBeGreaterThanOrEqual(heldUntil);
  expect(await (await linkOf(host, bought)).decide('undo')).toBe('undone');
  await host.runBilling();
  expect(await transactions(host, owner)).toMatchObject([{ status: 'paid', amountCents: 990 }]);
  expect(await view(host, owner)).toMatchObject({ status: 'active', running: true });
});

test('a cancellation in the last hours of the trial costs nothing, though it takes effect later', async () => {
  const bought = await buy(host);
  await advance(host, '40h');
  await declare(host, 'cancel', bought);
  await advance(host, '80h');
  expect(await statusAfter(host, bought)).toBe('canceled');
  const mails = await billingMails(host, bought);
  expect(mails).toContain('contract_ended');
  expect(mails).not.toContain('receipt');
  expect((await subscriptionOf(host, bought.accountId)).accessUntil.toISOString()).toBe(
    (await subscriptionOf(host, bought.accountId)).trialEnd?.toISOString(),
  );
});

test('consecutive declarations delay a charge by at most one objection period', async () => {
  const bought = await buy(host);
  await advance(host, '40h');
  await declare(host, 'cancel', bought);
  await advance(host, '70h');
  await declare(host, 'money-back', bought);
  const [cancelled] = await host.db.orm
    .select()
    .from(declarations)
    .where(and(eq(declarations.email, bought.email), eq(declarations.kind, 'cancel')));
  await endWaiting(host.deps, cancelled?.id ?? '', { decision: 'undo', proof: 'session' }, host.clock.now());
  await advance(host, '11h');
  expect(await statusAfter(host, bought)).toBe('active');
});

test('a withdrawal on the last day counts as in time, and is refunded within 14 days of its declaration', async () => {
  const bought = await buy(host, { trial: false });
  await advance(host, '13d');
  const declaredAt = host.clock.now().getTime();
  await declare(host, 'withdraw', bought);
  await advance(host, '5d');
  expect(await statusAfter(host, bought)).toBe('canceled');
  const { rows } = (await host.db.orm.execute(
    `select r.expected_until as until from refunds r join payments p on p.id = r.payment_id where p.account_id = '${bought.accountId}'`,
  )) as unknown as { rows: { until: string | Date }[] };
  expect(new Date(rows[0]?.until ?? 0).getTime()).toBeLessThanOrEqual(declaredAt + 14 * 24 * 3_600_000);
});

test('one declaration of a kind waits at a time, and none takes effect before its owner was notified', async () => {
  const bought = await buy(host);
  for (let turn = 0; turn < 3; turn += 1) await declare(host, 'cancel', bought);
  expect((await outcomesOf(host, bought)).map(([outcome]) => outcome).sort()).toEqual([
    'repeated',
    'repeated',
    'waiting',
  ]);
  const requested = async () =>
    (await billingMails(host, bought)).filter((name) => name === 'declaration_waiting').length;
  expect(await requested()).toBe(1);
  for (let turn = 0; turn < 6; turn += 1) {
    const link = await linkOf(host, bought);
    await link.decide('undo');
    await advance(host, '61m');
    await declare(host, 'cancel', bought);
  }
  expect(await requested()).toBe(6);
  expect((await outcomesOf(host, bought)).at(-1)).toEqual([null, null]);
  await advance(host, '20h');
  expect(await requested()).toBe(7);
  expect((await outcomesOf(host, bought)).at(-1)?.[0]).toBe('waiting');
  expect(await statusAfter(host, bought)).toBe('trialing');
});

test('an erased account leaves no waiting declaration', async () => {
  const bought = await buy(host);
  await declare(host, 'cancel', bought);
  const owner = await ownerOf(host, bought);
  await send(host, 'DELETE', '/api/account', { password: 'three quiet lamps over water' }, { token: owner });
  await advance(host, '80h');
  expect((await outcomesOf(host, bought))[0]?.[0]).toBe('nothing_to_do');
  expect(await signIn(host, bought.email)).toBe('undefined');
});
