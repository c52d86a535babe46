import { eq } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '#host/db/accounts.tables';
import { declarations } from '#host/db/subscriptions.tables';
import { applyNewEmail } from '#host/subscriptions/customers';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { advance, billingMails, buy, onboard, subscriptionOf, view } from '../../support/ordering';
import { declarationLink, declare, linkOf, outcomesOf, ownerOf, statusAfter } from './declaring';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

test('opening the mailed link decides nothing, and confirming decides once', async () => {
  const bought = await buy(host, { trial: false });
  await declare(host, 'withdraw', bought);
  const link = await linkOf(host, bought);
  const stored = JSON.stringify(await host.db.orm.select().from(declarations));
  expect(stored).not.toContain(link.token);
  expect(await link.read()).toMatchObject({ state: 'waiting', kind: 'withdraw' });
  expect(await link.read()).toMatchObject({ state: 'waiting' });
  expect(await statusAfter(host, bought)).toBe('active');
  expect(await link.decide('confirm')).toBe('done');
  expect(await statusAfter(host, bought)).toBe('canceled');
  expect(await link.decide('confirm')).toBe('done');
  expect(await link.decide('undo')).toBe('done');
  await advance(host, '80h');
  expect(await outcomesOf(host, bought)).toEqual([['done', 'link']]);
  const mails = await billingMails(host, bought);
  expect(mails.filter((name) => name === 'withdrawn')).toHaveLength(1);
  expect(mails.filter((name) => name === 'refunded')).toHaveLength(1);
});

test('the mailed link can undo a declaration for good', async () => {
  const bought = await buy(host, { trial: false });
  await declare(host, 'withdraw', bought);
  const link = await linkOf(host, bought);
  expect(await link.decide('undo')).toBe('undone');
  expect(await link.decide('confirm')).toBe('undone');
  await advance(host, '80h');
  expect(await statusAfter(host, bought)).toBe('active');
  expect(await outcomesOf(host, bought)).toEqual([['undone', null]]);
  expect(await billingMails(host, bought)).toContain('declaration_undone');
  expect(await link.read()).toMatchObject({ state: 'undone' });
});

test('the audit log tells how each declaration was decided, and from where', async () => {
  const lines: string[] = [];
  const shop = await createTestHost({ log: pino({ level: 'info' }, { write: (line) => lines.push(line) }) });
  try {
    const byLink = await buy(shop);
    await declare(shop, 'cancel', byLink);
    await (await linkOf(shop, byLink)).decide('undo');
    const signedIn = await buy(shop);
    await declare(shop, 'cancel', signedIn);
    const token = await ownerOf(shop, signedIn);
    const [waiting] = (await view(shop, token)).declarations;
    await send(shop, 'POST', `/api/account/declarations/${waiting?.id}`, { decision: 'confirm' }, { token });
    const reported = lines
      .map((line) => JSON.parse(line))
      .filter(({ audit }) => /^declaration_(?:undo|confirm)$/.test(audit ?? ''));
    const [row] = await shop.db.orm.select().from(declarations).where(eq(declarations.email, byLink.email));
    expect(reported).toMatchObject([
      { audit: 'declaration_undo', declaration: row?.id, by: 'link', clientIp: '127.0.0.1' },
      {
        audit: 'declaration_confirm',
        declaration: waiting?.id,
        by: 'session',
        account: signedIn.accountId,
        clientIp: '127.0.0.1',
      },
    ]);
  } finally {
    await shop.close();
  }
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
  await declare(host, 'cancel', bought);
  host.clock.advance(1_000);
  await declare(host, 'money-back', bought);
  const token = await onboard(host, other.email);
  const stranger = await host.account();
  const owner = await ownerOf(host, bought);
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
  expect(await statusAfter(host, bought)).toBe('cancelled');
  expect((await view(host, owner)).declarations).toEqual([]);
});

test('links mailed to a former address of the owner are invalidated', async () => {
  const bought = await buy(host);
  await declare(host, 'cancel', bought);
  const link = await linkOf(host, bought);
  const [account] = await host.db.orm.select().from(accounts).where(eq(accounts.id, bought.accountId));
  if (!account) throw new Error('no account');
  await applyNewEmail(host.db.orm, account, `new-${bought.email}`, host.clock.now());
  const read = await send(host, 'POST', '/api/contract/declaration', { token: link.token });
  expect(read.body.errors).toEqual({ token: ['token_unknown'] });
});

test('when confirmed, undone and due concurrently, exactly one takes effect', async () => {
  const shop = await createTestHost();
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
      const [row] = await shop.db.orm.select().from(declarations).where(eq(declarations.email, bought.email));
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
});
