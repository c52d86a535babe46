import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '#host/db/accounts.tables';
import { declarations } from '#host/db/subscriptions.tables';
import { applyNewEmail } from '#host/subscriptions/customers';
import { endWaiting } from '#host/subscriptions/waiting-declarations';
import { createTestHost, engines, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import {
  advance,
  type Bought,
  billingMails,
  buy,
  onboard,
  signIn,
  subscriptionOf,
  transactions,
  view,
} from '../../support/ordering';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

type What = 'cancel' | 'withdraw' | 'money-back';

/** Declares with only the name and the e-mail address of a customer, plus `fields`. */
async function declare(
  what: What,
  { body, email }: Bought,
  fields: Record<string, unknown> = {},
  token?: string,
): Promise<void> {
  const declared = { name: body.name, email, confirmed: true, ...fields };
  const answered = await send(host, 'POST', `/api/contract/${what}`, declared, { token });
  expect(answered.status).toBe(200);
  await host.runBilling();
}

async function statusAfter(bought: Bought): Promise<string> {
  const { status, cancelAtPeriodEnd } = await subscriptionOf(host, bought.accountId);
  return cancelAtPeriodEnd ? 'cancelled' : status;
}

async function mailOf({ email }: { email: string }, template: string) {
  const mail = (await host.mails()).find(
    (kept) => kept.to === email && kept.template === `billing-mail.${template}`,
  );
  return (mail?.text ?? '').replace(/[\u00a0\u202f]/g, ' ');
}

/** The token of the newest link about a declaration. */
async function declarationLink(shop: TestHost, { email }: Bought): Promise<string> {
  const links = (await shop.mails()).flatMap(({ to, text }) =>
    to === email ? (/declaration\?token=([\w-]{43})/.exec(text ?? '')?.[1] ?? []) : [],
  );
  return links[0] ?? '';
}

async function linkOf(bought: Bought) {
  const token = await declarationLink(host, bought);
  const ask = (path: string, body: object = {}) =>
    send(host, 'POST', `/api/contract/declaration${path}`, { token, ...body });
  return {
    token,
    read: async () => (await ask('')).body.data as { state: string; kind: string; effectiveAt: string },
    decide: async (decision: string) =>
      ((await ask('/decision', { decision })).body.data as { state: string }).state,
  };
}

const outcomesOf = async (bought: Bought) =>
  (
    await host.db.orm
      .select()
      .from(declarations)
      .where(eq(declarations.email, bought.email))
      .orderBy(declarations.receivedAt)
  ).map(({ outcome, proof }) => [outcome, proof]);

test('with name and e-mail address only, a contract does not end before the owner could object', async () => {
  const bought = await buy(host, { trial: false, locale: 'de' });
  await declare('withdraw', bought, { locale: 'it' });
  expect(await statusAfter(bought)).toBe('active');
  expect(await billingMails(host, bought)).toEqual(
    expect.arrayContaining(['withdraw_received', 'declaration_waiting']),
  );
  expect(await mailOf(bought, 'withdraw_received')).toContain('«Recedo dal mio contratto.»');
  const asked = await mailOf(bought, 'declaration_waiting');
  for (const part of [
    '„Ich widerrufe meinen Vertrag.“',
    '2. März 2026',
    '5. März 2026',
    '/declaration?token=',
  ]) {
    expect(asked).toContain(part);
  }
  expect(asked).not.toContain(bought.body.name);
  await advance(host, '71h');
  expect(await statusAfter(bought)).toBe('active');
  await advance(host, '1h');
  expect(await statusAfter(bought)).toBe('canceled');
  expect(await outcomesOf(bought)).toEqual([['done', 'period']]);
  expect(await billingMails(host, bought)).toEqual(expect.arrayContaining(['withdrawn', 'refunded']));
});

test('signed in as the owner, it takes effect at once, whatever name is given', async () => {
  const bought = await buy(host, { trial: false });
  const token = await onboard(host, bought.email);
  await declare('withdraw', bought, { name: 'Another Spelling' }, token);
  expect(await statusAfter(bought)).toBe('canceled');
  expect(await outcomesOf(bought)).toEqual([['done', 'session']]);
});

test('signed in as somebody else, it waits', async () => {
  const bought = await buy(host);
  const stranger = await host.account();
  await declare('cancel', bought, {}, stranger.token);
  expect(await statusAfter(bought)).toBe('trialing');
  expect(await outcomesOf(bought)).toEqual([['waiting', null]]);
});

test('with the reference and the e-mail address of the order, it takes effect at once', async () => {
  const bought = await buy(host);
  await declare('cancel', bought, { name: 'Nobody', reference: ` ${bought.reference.toLowerCase()} ` });
  expect(await statusAfter(bought)).toBe('cancelled');
  expect(await outcomesOf(bought)).toEqual([['done', 'reference']]);
});

test('with an invoice number, which finds the contract but proves nothing, it waits', async () => {
  const bought = await buy(host, { trial: false });
  const token = await onboard(host, bought.email);
  const [paid] = await transactions(host, token);
  const number = /F\d{4}-\d{6}/.exec(paid?.invoice?.path ?? '')?.[0];
  await declare('withdraw', bought, { name: 'Nobody', reference: number });
  expect(await statusAfter(bought)).toBe('active');
  expect(await outcomesOf(bought)).toEqual([['waiting', null]]);
});

test.each([
  ['of another contract', (_: string, other: string) => other],
  ['with one letter changed', (own: string) => own.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
  ['cut short', (own: string) => own.slice(0, -1)],
  ['without its dashes', (own: string) => own.replaceAll('-', '')],
])('a reference %s proves nothing', async (_, change) => {
  const [bought, other] = [await buy(host), await buy(host)];
  await declare('cancel', bought, { reference: change(bought.reference, other.reference) });
  expect([await statusAfter(bought), await statusAfter(other)]).toEqual(['trialing', 'trialing']);
  expect(await outcomesOf(bought)).toEqual([['waiting', null]]);
});

test('with another e-mail address the owner is asked, and the receipt to that address reveals nothing', async () => {
  const bought = await buy(host);
  const email = `friend-of-${bought.email}`;
  await declare('cancel', bought, { email, reference: bought.reference });
  expect(await statusAfter(bought)).toBe('trialing');
  expect(await billingMails(host, { email })).toEqual(['cancel_received']);
  const unknown = { email: `nobody-like-${bought.email}` };
  await declare('cancel', bought, { ...unknown, name: 'Nobody At All' });
  const plain = (text: string, address: string) =>
    text.replaceAll(address, '…').replace(/(Name|Reference): .*/g, '');
  expect(plain(await mailOf({ email }, 'cancel_received'), email)).toBe(
    plain(await mailOf(unknown, 'cancel_received'), unknown.email),
  );
  expect(await billingMails(host, bought)).toContain('declaration_waiting');
});

test('opening the mailed link decides nothing, and confirming decides once', async () => {
  const bought = await buy(host, { trial: false });
  await declare('withdraw', bought);
  const link = await linkOf(bought);
  const stored = JSON.stringify(await host.db.orm.select().from(declarations));
  expect(stored).not.toContain(link.token);
  expect(await link.read()).toMatchObject({ state: 'waiting', kind: 'withdraw' });
  expect(await link.read()).toMatchObject({ state: 'waiting' });
  expect(await statusAfter(bought)).toBe('active');
  expect(await link.decide('confirm')).toBe('done');
  expect(await statusAfter(bought)).toBe('canceled');
  expect(await link.decide('confirm')).toBe('done');
  expect(await link.decide('undo')).toBe('done');
  await advance(host, '80h');
  expect(await outcomesOf(bought)).toEqual([['done', 'link']]);
  const mails = await billingMails(host, bought);
  expect(mails.filter((name) => name === 'withdrawn')).toHaveLength(1);
  expect(mails.filter((name) => name === 'refunded')).toHaveLength(1);
});

test('the mailed link can undo a declaration for good', async () => {
  const bought = await buy(host, { trial: false });
  await declare('withdraw', bought);
  const link = await linkOf(bought);
  expect(await link.decide('undo')).toBe('undone');
  expect(await link.decide('confirm')).toBe('undone');
  await advance(host, '80h');
  expect(await statusAfter(bought)).toBe('active');
  expect(await outcomesOf(bought)).toEqual([['undone', null]]);
  expect(await billingMails(host, bought)).toContain('declaration_undone');
  expect(await link.read()).toMatchObject({ state: 'undone' });
});

test('a link that was never mailed is unknown', async () => {
  const body = { token: 'x'.repeat(43) };
  const read = await send(host, 'POST', '/api/contract/declaration', body);
  expect([read.status, read.body.errors]).toEqual([422, { token: ['token_unknown'] }]);
  const decided = await send(host, 'POST', '/api/contract/declaration/decision', {
    ...body,
    decision: 'undo',
  });
  expect(decided.body.errors).toEqual({ token: ['token_unknown'] });
});

test('the signed-in owner sees waiting declarations and decides them; nobody else can', async () => {
  const [bought, other] = [await buy(host), await buy(host)];
  await declare('cancel', bought);
  host.clock.advance(1_000);
  await declare('money-back', bought);
  const token = await onboard(host, other.email);
  const stranger = await host.account();
  const owner = await ownerOf(bought);
  const [cancelled, moneyBack] = (await view(host, owner)).declarations;
  expect([cancelled?.kind, moneyBack?.kind]).toEqual(['cancel', 'money_back']);
  expect((await view(host, token)).declarations).toEqual([]);
  const decide = async (id: string | undefined, decision: string, who: string) => {
    const answered = await send(
      host,
      'POST',
      `/api/account/declarations/${id}`,
      { decision },
      { token: who },
    );
    return (answered.body.data as { state: string } | undefined)?.state ?? answered.status;
  };
  expect(await decide(cancelled?.id, 'confirm', stranger.token)).toBe(404);
  expect(await decide(cancelled?.id, 'confirm', token)).toBe(404);
  expect(await decide(moneyBack?.id, 'undo', owner)).toBe('undone');
  expect(await decide(cancelled?.id, 'confirm', owner)).toBe('done');
  expect(await statusAfter(bought)).toBe('cancelled');
  expect((await view(host, owner)).declarations).toEqual([]);
});

/** Sets up the account with a new link, as the newest mails are about declarations. */
async function ownerOf({ email }: Bought): Promise<string> {
  await send(host, 'POST', '/api/account/onboarding/resend', { email });
  return onboard(host, email);
}

test('nothing is charged while a declaration waits; when undone it is, and access is not interrupted', async () => {
  const bought = await buy(host);
  await advance(host, '40h');
  await declare('cancel', bought);
  const heldUntil = host.clock.now().getTime() + 72 * 3_600_000;
  await advance(host, '30h');
  const owner = await ownerOf(bought);
  expect(await transactions(host, owner)).toEqual([]);
  expect(await view(host, owner)).toMatchObject({ status: 'trialing', running: true });
  expect(Date.parse((await view(host, owner)).next?.at ?? '')).toBeGreaterThanOrEqual(heldUntil);
  expect(await (await linkOf(bought)).decide('undo')).toBe('undone');
  await host.runBilling();
  expect(await transactions(host, owner)).toMatchObject([{ status: 'paid', amountCents: 990 }]);
  expect(await view(host, owner)).toMatchObject({ status: 'active', running: true });
});

test('a cancellation in the last hours of the trial costs nothing, though it takes effect later', async () => {
  const bought = await buy(host);
  await advance(host, '40h');
  await declare('cancel', bought);
  await advance(host, '80h');
  expect(await statusAfter(bought)).toBe('canceled');
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
  await declare('cancel', bought);
  await advance(host, '70h');
  await declare('money-back', bought);
  const [cancelled] = await host.db.orm
    .select()
    .from(declarations)
    .where(eq(declarations.email, bought.email));
  await endWaiting(host.deps, cancelled?.id ?? '', { decision: 'undo', proof: 'session' }, host.clock.now());
  await advance(host, '11h');
  expect(await statusAfter(bought)).toBe('active');
});

test('a withdrawal on the last day counts as in time, and is refunded within 14 days of its declaration', async () => {
  const bought = await buy(host, { trial: false });
  await advance(host, '13d');
  const declaredAt = host.clock.now().getTime();
  await declare('withdraw', bought);
  await advance(host, '5d');
  expect(await statusAfter(bought)).toBe('canceled');
  const { rows } = (await host.db.orm.execute(
    `select r.expected_until as until from refunds r join payments p on p.id = r.payment_id where p.account_id = '${bought.accountId}'`,
  )) as unknown as { rows: { until: string | Date }[] };
  expect(new Date(rows[0]?.until ?? 0).getTime()).toBeLessThanOrEqual(declaredAt + 14 * 24 * 3_600_000);
});

test('one declaration of a kind waits at a time, and none takes effect before its owner was notified', async () => {
  const bought = await buy(host);
  for (let turn = 0; turn < 3; turn += 1) await declare('cancel', bought);
  expect((await outcomesOf(bought)).map(([outcome]) => outcome).sort()).toEqual([
    'repeated',
    'repeated',
    'waiting',
  ]);
  const asked = async () =>
    (await billingMails(host, bought)).filter((name) => name === 'declaration_waiting').length;
  expect(await asked()).toBe(1);
  for (let turn = 0; turn < 6; turn += 1) {
    const link = await linkOf(bought);
    await link.decide('undo');
    await advance(host, '61m');
    await declare('cancel', bought);
  }
  expect(await asked()).toBe(6);
  expect((await outcomesOf(bought)).at(-1)).toEqual([null, null]);
  await advance(host, '20h');
  expect(await asked()).toBe(7);
  expect((await outcomesOf(bought)).at(-1)?.[0]).toBe('waiting');
  expect(await statusAfter(bought)).toBe('trialing');
});

test('links mailed to a former address of the owner are invalidated', async () => {
  const bought = await buy(host);
  await declare('cancel', bought);
  const link = await linkOf(bought);
  const [account] = await host.db.orm.select().from(accounts).where(eq(accounts.id, bought.accountId));
  if (!account) throw new Error('no account');
  await applyNewEmail(host.db.orm, account, `new-${bought.email}`, host.clock.now());
  const read = await send(host, 'POST', '/api/contract/declaration', { token: link.token });
  expect(read.body.errors).toEqual({ token: ['token_unknown'] });
});

test.each(engines)(
  'when confirmed, undone and due concurrently, exactly one takes effect (%s)',
  async (_, open) => {
    const shop = await createTestHost({ db: await open() });
    try {
      for (let round = 0; round < 4; round += 1) {
        const bought = await buy(shop, { trial: false });
        const declared = { name: bought.body.name, email: bought.email, confirmed: true };
        await send(shop, 'POST', '/api/contract/withdraw', declared);
        await Promise.all([shop.runBilling(), shop.runBilling()]);
        const token = await declarationLink(shop, bought);
        shop.clock.advance(72 * 3_600_000);
        const decide = (decision: string) =>
          send(shop, 'POST', '/api/contract/declaration/decision', { token, decision });
        await Promise.all([
          decide('undo'),
          shop.runBilling(),
          decide('confirm'),
          shop.runBilling(),
          decide('undo'),
        ]);
        await shop.runBilling();
        const [row] = await shop.db.orm
          .select()
          .from(declarations)
          .where(eq(declarations.email, bought.email));
        const { status } = await subscriptionOf(shop, bought.accountId);
        expect([row?.outcome, status]).toEqual(
          row?.outcome === 'done' ? ['done', 'canceled'] : ['undone', 'active'],
        );
        const mails = await billingMails(shop, bought);
        const expected = row?.outcome === 'done' ? ['withdrawn', 'refunded'] : ['declaration_undone'];
        for (const name of ['withdrawn', 'refunded', 'declaration_undone']) {
          expect(mails.filter((one) => one === name)).toHaveLength(expected.includes(name) ? 1 : 0);
        }
      }
    } finally {
      await shop.close();
    }
  },
);

test('an erased account leaves no waiting declaration', async () => {
  const bought = await buy(host);
  await declare('cancel', bought);
  const owner = await ownerOf(bought);
  await send(host, 'DELETE', '/api/account', { password: 'three quiet lamps over water' }, { token: owner });
  await advance(host, '80h');
  expect((await outcomesOf(bought))[0]?.[0]).toBe('nothing_to_do');
  expect(await signIn(host, bought.email)).toBe('undefined');
});
