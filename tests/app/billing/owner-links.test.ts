import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openBrowser, statusAndLocation, textOf } from '../../support/browser';
import type { TestAccount } from '../../support/host';
import { send } from '../../support/json-calls';
import { buy, checkout, enterCard, onboard, placeOrder, subscriptionOf, view } from '../../support/ordering';
import { createTestWebsite, startClocks, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/confirm-order': 'billing/confirm-order-page.tsx',
    '/declaration': 'billing/declaration-page.tsx',
    '/user/subscription': 'billing/subscription-page.tsx',
  });
});
beforeEach(() => startClocks(website));
afterAll(async () => website.close());

const headingOf = async (answer: Response) => /<h1[^>]*>([^<]*)/.exec(await answer.text())?.[1];

/** Path of the newest link to a page mailed to an address. */
async function linkTo(page: string, email: string): Promise<string> {
  const texts = (await website.host.mails()).flatMap(({ to, text }) => (to === email ? [text ?? ''] : []));
  const path = texts.map((text) => new RegExp(`/${page}\\?token=[\\w-]+`).exec(text)?.[0]).find(Boolean);
  if (!path) throw new Error(`no mail to ${email} leads to ${page}`);
  return path;
}

/** A customer for whose contract a stranger has declared a withdrawal. */
async function createDeclaration() {
  const bought = await buy(website.host, { trial: false });
  const token = await onboard(website.host, bought.email);
  const declared = { name: bought.body.name, email: bought.email, confirmed: true };
  await send(website.host, 'POST', '/api/contract/withdraw', declared);
  await website.host.runBilling();
  const status = async () => (await subscriptionOf(website.host, bought.accountId)).status;
  return { token, status, path: await linkTo('declaration', bought.email) };
}

/** An account in whose name a stranger has ordered with the stranger's card. */
async function createPendingOrder(
  fields: Record<string, unknown> = { trial: false },
): Promise<{ account: TestAccount; path: string }> {
  const account = await website.host.account({ access: false });
  const { redirectUrl } = await placeOrder(website.host, checkout({ ...fields, email: account.email }));
  await enterCard(website.host, redirectUrl);
  await website.host.runBilling();
  return { account, path: await linkTo('confirm-order', account.email) };
}

test('a waiting declaration is shown with its kind, its contract, its date and when it takes effect', async () => {
  const { path, token } = await createDeclaration();
  expect(await textOf(await (await openBrowser(website)).open(path))).toContain(
    'Declaration I withdraw from my contract. Contract Basic, billed monthly Received on 2 March 2026 at 10:00 GMT Takes effect on 5 March 2026 at 10:00 GMT',
  );
  const overview = await textOf(await (await openBrowser(website, { token })).open('/user/subscription'));
  expect(overview).toContain(
    'I withdraw from my contract. Somebody who was not signed in made it on 2 March',
  );
  expect(overview).toContain('It takes effect on 5 March 2026 at 10:00 GMT unless you undo it');
});

test.each([
  [{ trial: false }, 'If you confirm, €9.90 is charged at once'],
  [{}, 'If you confirm, a trial of 48 hours begins. After it €9.90 is charged'],
])(
  'an order to confirm is shown with its price, its dates and what confirming means: %j',
  async (fields, effect) => {
    const { account, path } = await createPendingOrder(fields);
    const pages = [
      await (await openBrowser(website)).open(path),
      await (await openBrowser(website, account)).open('/user/subscription'),
    ];
    for (const page of pages) {
      const text = await textOf(page);
      expect(text).toContain(
        'Plan Basic, billed monthly Amount €9.90 per month Ordered on 2 March 2026 at 10:00 GMT Confirm by 9 March 2026 at 10:00 GMT',
      );
      expect(text).toContain(effect);
    }
  },
);

test('a decision that does not fit what it is about is refused, and not taken for another', async () => {
  const browser = await openBrowser(website, await createDeclaration());
  const misfits: Record<string, string>[] = [
    { declaration: randomUUID(), decision: 'discard' },
    { order: randomUUID(), decision: 'undo' },
    { order: randomUUID() },
    { declaration: 'x', decision: 'confirm' },
  ];
  for (const posted of misfits) expect((await browser.post('/user/subscription', posted)).status).toBe(400);
});

test('a decision about what was decided elsewhere leads back to the page and says nothing', async () => {
  const { token } = await createDeclaration();
  const browser = await openBrowser(website, { token });
  for (const what of ['declaration', 'order']) {
    const answer = await browser.post('/user/subscription', { [what]: randomUUID(), decision: 'confirm' });
    expect(statusAndLocation(answer)).toEqual([303, '/user/subscription']);
  }
  expect(await browser.notices()).toEqual([]);
});

test('opening a declaration decides nothing, and undoing it keeps the contract', async () => {
  const { status, path } = await createDeclaration();
  const browser = await openBrowser(website);
  const waiting = await headingOf(await browser.open(path));
  expect(await headingOf(await browser.open(path))).toBe(waiting);
  expect(statusAndLocation(await browser.post(path, { decision: 'undo' }))).toEqual([303, path]);
  expect(await headingOf(await browser.open(path))).not.toBe(waiting);
  await website.host.runBilling();
  expect(await status()).toBe('active');
});

test('a confirmed declaration ends the contract', async () => {
  const { status, path } = await createDeclaration();
  const browser = await openBrowser(website);
  expect(statusAndLocation(await browser.post(path, { decision: 'confirm' }))).toEqual([303, path]);
  await website.host.runBilling();
  expect(await status()).toBe('canceled');
});

test.each(['undo', 'confirm'] as const)(
  'on the subscription page, %s has the same effect',
  async (decision) => {
    const { status, token } = await createDeclaration();
    const [declaration] = (await view(website.host, token)).declarations;
    const browser = await openBrowser(website, { token });
    const answer = await browser.post('/user/subscription', { declaration: declaration?.id ?? '', decision });
    expect(statusAndLocation(answer)).toEqual([303, '/user/subscription']);
    const state = decision === 'undo' ? 'undone' : 'done';
    expect(await browser.notices()).toMatchObject([{ key: `declaration_${state}`, persistent: true }]);
    await website.host.runBilling();
    expect(await status()).toBe(decision === 'undo' ? 'active' : 'canceled');
  },
);

test('a confirmed order is fulfilled and redirects to its status page', async () => {
  const { account, path } = await createPendingOrder();
  const browser = await openBrowser(website);
  expect((await browser.open(path)).status).toBe(200);
  const answer = await browser.post(path, { decision: 'confirm' });
  expect(statusAndLocation(answer)).toEqual([
    303,
    expect.stringMatching(/^\/payment-success\?payment_intent=./),
  ]);
  expect((await view(website.host, account.token)).status).toBe('active');
});

test('a discarded order is not charged, and its page says so', async () => {
  const { account, path } = await createPendingOrder();
  const browser = await openBrowser(website);
  const held = await headingOf(await browser.open(path));
  expect(statusAndLocation(await browser.post(path, { decision: 'discard' }))).toEqual([303, path]);
  expect(await headingOf(await browser.open(path))).not.toBe(held);
  expect(await view(website.host, account.token)).toBeNull();
});

test.each(['confirm', 'discard'] as const)('on the subscription page, an order is %sed', async (decision) => {
  const { account } = await createPendingOrder();
  const listed = await send(website.host, 'GET', '/api/account/subscriptions', undefined, account);
  const [order] = (listed.body.data as { heldOrders: { id: string }[] }).heldOrders;
  const browser = await openBrowser(website, account);
  const answer = await browser.post('/user/subscription', { order: order?.id ?? '', decision });
  const to = decision === 'confirm' ? /^\/payment-success/ : /^\/user\/subscription$/;
  expect(statusAndLocation(answer)).toEqual([303, expect.stringMatching(to)]);
  const notices = decision === 'confirm' ? [] : [{ key: 'order_discarded', persistent: true }];
  expect(await browser.notices()).toMatchObject(notices);
  const status = (await view(website.host, account.token))?.status ?? 'none';
  expect(status).toBe(decision === 'confirm' ? 'active' : 'none');
});

test('an order that can no longer be confirmed is not reported as confirmed or discarded', async () => {
  const { account, path } = await createPendingOrder();
  const listed = await send(website.host, 'GET', '/api/account/subscriptions', undefined, account);
  const [order] = (listed.body.data as { heldOrders: { id: string }[] }).heldOrders;
  const { redirectUrl } = await placeOrder(website.host, checkout({ trial: false }), account.token);
  await enterCard(website.host, redirectUrl);
  const browser = await openBrowser(website, account);
  expect(await headingOf(await browser.open(path))).toBe('This order has lapsed');
  const answer = await browser.post('/user/subscription', { order: order?.id ?? '', decision: 'confirm' });
  expect(statusAndLocation(answer)).toEqual([303, '/user/subscription']);
  expect(await browser.notices()).toMatchObject([{ key: 'order_not_carried_out', type: 'warning' }]);
});

test('a decision that the page does not offer is refused, and an unknown link gets a 404', async () => {
  const { path, status } = await createDeclaration();
  const browser = await openBrowser(website);
  expect((await browser.post(path, { decision: 'discard' })).status).toBe(422);
  expect(await status()).toBe('active');
  for (const page of ['declaration', 'confirm-order']) {
    const answer = await browser.open(`/${page}?token=${'x'.repeat(43)}`);
    expect([
      answer.status,
      answer.headers.get('cache-control'),
      answer.headers.get('referrer-policy'),
    ]).toEqual([404, 'no-store', 'strict-origin']);
  }
});
