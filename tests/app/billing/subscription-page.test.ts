import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { paymentMethods, payments } from '#host/db/payments.tables';
import { openBrowser, statusAndLocation, textOf } from '../../support/browser';
import { START } from '../../support/host';
import { advance, buy, type CardKind, onboard, signIn } from '../../support/ordering';
import { createTestWebsite, startClocks, type TestWebsite } from '../../support/website';

const PAGE = '/user/subscription';
let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    [PAGE]: 'billing/subscription-page.tsx',
    [`${PAGE}/cancel`]: 'billing/cancel-page.tsx',
    [`${PAGE}/resume`]: 'billing/resume-page.tsx',
    [`${PAGE}/switch`]: 'billing/switch-page.tsx',
    '/withdraw': 'billing/withdraw-page.tsx',
  });
});
beforeEach(() => startClocks(website));
afterAll(async () => website.close());

/** A customer of the monthly plan with a browser, and what its pages show. */
async function customer(fields: Record<string, unknown>, card: CardKind = 'good') {
  const bought = await buy(website.host, fields, card);
  let browser = await openBrowser(website, { token: await onboard(website.host, bought.email) });
  const open = async (path: string) => browser.open(path);
  const read = async (path: string) => textOf(await open(path));
  return {
    ...bought,
    open,
    read,
    overview: () => read(PAGE),
    /** Confirms a change; returns the notice. */
    change: async (what: 'cancel' | 'resume' | 'switch') => {
      const shown = fieldsOf(await open(`${PAGE}/${what}`));
      expect(statusAndLocation(await browser.post(`${PAGE}/${what}`, await shown))).toEqual([303, PAGE]);
      return (await browser.notices())[0];
    },
    notice: async () => (await browser.notices())[0],
    later: async (by: string) => {
      await advance(website.host, by);
      vi.setSystemTime(website.host.clock.now());
      browser = await openBrowser(website, { token: await signIn(website.host, bought.email) });
    },
    post: async (path: string, fields: Record<string, string>) => browser.post(path, fields),
  };
}

/** The hidden fields of the form that a page shows. */
async function fieldsOf(page: Response): Promise<Record<string, string>> {
  const fields = (await page.text()).matchAll(
    /<input type="hidden" name="(plan|price_cents)" value="(\w+)"/g,
  );
  return Object.fromEntries([...fields].map(([, name, value]) => [name, value]));
}

test('during the trial, the page shows its end, the first charge, and that withdrawing costs nothing', async () => {
  const { overview, reference } = await customer({});
  const page = await overview();
  for (const words of [
    'The trial ends on 4 March 2026 at 10:00 GMT. Then €9.90 is charged, unless you cancel before then.',
    'Basic, billed monthly Trial running €9.90 a month',
    'Billing cycle Monthly Price per period €9.90',
    'Next renewal 4 March 2026 at 10:00 GMT End of the trial 4 March 2026 at 10:00 GMT',
    'Access until 4 March 2026 at 10:00 GMT',
    'Payment Card Visa ending in 4242, valid to 12/34',
    `Order reference ${reference}`,
    'You can withdraw from the contract until the end of 16 March 2026. There is nothing to refund: nothing has been charged so far',
    'Nothing has been charged so far.',
  ]) {
    expect(page).toContain(words);
  }
  for (const words of ['Order Basic', 'Put the payment right', 'Undo the cancellation', 'From ']) {
    expect(page).not.toContain(words);
  }
});

test('a switch during the trial applies at once; a cancellation keeps the trial, and can be taken back', async () => {
  const { overview, read, change } = await customer({});
  expect(await read(`${PAGE}/switch`)).toContain(
    'You switch to Basic, billed yearly now, at €106.92 per year. Your trial still ends when planned',
  );
  expect(await change('switch')).toMatchObject({ key: 'subscription_switched' });
  expect(await overview()).toContain('Then €106.92 is charged');
  expect(await read(`${PAGE}/cancel`)).toContain('The trial lasts until 4 March 2026 at 10:00 GMT');
  const values = { date: '4 March 2026 at 10:00 GMT' };
  expect(await change('cancel')).toMatchObject({ key: 'subscription_canceled', values, persistent: true });
  const ending = await overview();
  expect(ending).toContain('The subscription ends on 4 March 2026 at 10:00 GMT. Nothing more is charged.');
  expect(ending).toContain('Next renewal None planned');
  expect(ending).toContain('Cancelled: ends on 4 March 2026 at 10:00 GMT €106.92 a year');
  expect(ending).not.toMatch(/Trial running|Cancel the subscription|Change to monthly billing|Order Basic/);
  expect(await read(`${PAGE}/resume`)).toContain(
    'The next charge is €106.92 on 4 March 2026 at 10:00 GMT. Continue, with obligation to pay €106.92',
  );
  expect(await change('resume')).toMatchObject({ key: 'subscription_resumed' });
  expect(await overview()).toContain('Then €106.92 is charged, unless you cancel before then.');
});

test('a planned switch is shown with its date and price, and is dropped by keeping the plan or by cancelling', async () => {
  const { overview, read, change } = await customer({ trial: false });
  const planned = 'From 2 April 2026 at 11:00 BST on it is Basic, billed yearly, at €106.92.';
  expect(await overview()).not.toContain('From 2 April');
  expect(await read(`${PAGE}/switch`)).toContain(
    'From 2 April 2026 at 11:00 BST on you have Basic, billed yearly, at €106.92 per year.',
  );
  expect(await read(`${PAGE}/cancel`)).not.toContain('The change to');
  await change('switch');
  expect(await overview()).toContain(`Then €106.92 is charged, unless you cancel before then. ${planned}`);
  expect(await read(`${PAGE}/switch`)).toContain(
    'The change planned for 2 April 2026 at 11:00 BST is cancelled. You keep Basic, billed monthly.',
  );
  await change('switch');
  const kept = await overview();
  expect(kept).toContain('Then €9.90 is charged');
  expect(kept).not.toContain('From 2 April');
  await change('switch');
  expect(await read(`${PAGE}/cancel`)).toContain(
    'The change to “Basic, billed yearly” planned for 2 April 2026 at 11:00 BST is cancelled as well.',
  );
  await change('cancel');
  expect(await overview()).not.toContain('From 2 April');
  expect(await read(`${PAGE}/resume`)).toContain('The next charge is €9.90 on 2 April 2026 at 11:00 BST.');
});

test('a change of plan or keeping it, sent twice, does the same as once', async () => {
  const { overview, open, post } = await customer({ trial: false });
  const sendTwice = async () => {
    const fields = await fieldsOf(await open(`${PAGE}/switch`));
    for (const _ of [1, 2]) {
      expect(statusAndLocation(await post(`${PAGE}/switch`, fields))).toEqual([303, PAGE]);
    }
  };
  await sendTwice();
  expect(await overview()).toContain('Then €106.92 is charged');
  await sendTwice();
  expect(await overview()).toContain('Then €9.90 is charged');
});

test('a change of plan at another price than was shown, or without a plan, is asked about again', async () => {
  const { overview, post, notice } = await customer({ trial: false });
  const switchPage = [303, `${PAGE}/switch`];
  const other = await post(`${PAGE}/switch`, { plan: 'basic_yearly', price_cents: '9999' });
  expect(statusAndLocation(other)).toEqual(switchPage);
  expect(await notice()).toMatchObject({ type: 'warning', key: 'price_changed', persistent: true });
  expect(statusAndLocation(await post(`${PAGE}/switch`, {}))).toEqual(switchPage);
  expect(await overview()).toContain('Then €9.90 is charged');
});

test('after the first charge, the page lists it with its period, its card and its invoice', async () => {
  const { overview, accountId } = await customer({ trial: false });
  const { orm } = website.host.db;
  await orm.update(paymentMethods).set({ expMonth: 3 }).where(eq(paymentMethods.accountId, accountId));
  const page = await overview();
  for (const words of [
    'Card Visa ending in 4242, valid to 03/34',
    'The next period begins on 2 April 2026 at 11:00 BST. Then €9.90 is charged',
    'End of the trial No trial',
    'until the end of 16 March 2026; €9.90 is then refunded. Withdraw from contract here',
    '1 charge',
    '2 March 2026 Basic, billed monthly, first period 2 March 2026 to 2 April 2026 €9.90 Paid Visa ending in 4242',
  ]) {
    expect(page).toContain(words);
  }
  expect(page).toMatch(/Visa ending in 4242 Invoice F2026-\d{6} \(PDF\)/);
  expect(page).not.toMatch(/Credit note|refunded [^.]*Paid|Order Basic/);
});

test('after a withdrawal, the charge shows its refund and links its credit note, and a new order is offered', async () => {
  const { overview, post, email, body, reference } = await customer({ trial: false });
  await post('/withdraw', {
    name: body.name,
    email,
    reference,
    key: 'key-of-a-withdrawal',
    step: 'confirm',
  });
  await website.host.runBilling();
  const page = await overview();
  expect(page).toContain('Access ended on 2 March 2026 at 10:00 GMT.');
  expect(page).toMatch(/€9\.90 €9\.90 refunded Refunded/);
  expect(page).toMatch(/Invoice F2026-\d{6} \(PDF\) Credit note A2026-\d{6} \(PDF\)/);
  expect(page).toMatch(/Your subscription is over .* Order Basic/);
  expect(page).not.toMatch(/Cancel the subscription|Change to yearly billing|You can withdraw/);
});

test('while a charge is overdue, the page states the next attempt and how to change the card', async () => {
  const { overview, later } = await customer({}, 'neverAgain');
  await later('50h');
  const page = await overview();
  expect(page).toMatch(
    /The last charge failed\. On \d+ March 2026 at 10:00 GMT we try once more to charge €9\.90/,
  );
  expect(page).toContain('Put the payment right: check or change the card');
  expect(page).not.toMatch(/Manage the subscription and the card|Order Basic/);
  expect(page).toContain('Next renewal None planned');
  expect(page).toMatch(/first period [^€]*€9\.90 Failed/);
});

test('the guarantee for the first payment is offered after the right of withdrawal, with its own form', async () => {
  const { overview, later } = await customer({});
  await later('15d');
  const page = await overview();
  expect(page).toContain(
    'until the end of 18 March 2026 you can ask for your first payment back, without giving a reason; €9.90 is then refunded',
  );
  expect(page).toContain('Ask for your money back');
});

test('charges are listed ten to a page, newest first', async () => {
  const { overview, read, open, accountId } = await customer({ trial: false });
  const { orm } = website.host.db;
  const [paid] = await orm.select().from(payments).where(eq(payments.accountId, accountId));
  if (!paid) throw new Error('nothing was charged');
  const renew = (periods: number[]) => {
    const rows = periods.map((period) => {
      const day = new Date(START.getTime() + period * 24 * 3_600_000);
      return { ...paid, id: randomUUID(), period, paidAt: day, createdAt: day };
    });
    return orm.insert(payments).values(rows);
  };
  await renew([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const ten = await overview();
  expect(ten).toMatch(/10 charges, newest first .* 11 March 2026 .* 2 March 2026 [^€]* first period/);
  expect(statusAndLocation(await open(`${PAGE}?page=2`))).toEqual([303, PAGE]);
  await renew([10]);
  const first = await overview();
  expect(first).toMatch(/11 charges, newest first .* 12 March 2026/);
  expect(first).not.toContain('first period');
  const second = await read(`${PAGE}?page=2`);
  expect(second).toContain('2 March 2026 Basic, billed monthly, first period');
  expect(second).not.toContain('monthly, renewal');
});

test('a change made in another window counts as done, and one that is impossible leads back to the page', async () => {
  const { read, change, post } = await customer({});
  await change('cancel');
  for (const what of ['cancel', 'switch']) {
    expect(statusAndLocation(await post(`${PAGE}/${what}`, { plan: 'basic_yearly' }))).toEqual([303, PAGE]);
    expect(await read(`${PAGE}/${what}`)).toBe('');
  }
  await change('resume');
  expect(statusAndLocation(await post(`${PAGE}/resume`, {}))).toEqual([303, PAGE]);
  expect(await read(`${PAGE}/resume`)).toBe('');
});

test('without a card at the provider, the button for the card leads back to the page', async () => {
  const browser = await openBrowser(website, await website.host.account({ access: false }));
  expect(statusAndLocation(await browser.post(PAGE, {}))).toEqual([303, PAGE]);
});
