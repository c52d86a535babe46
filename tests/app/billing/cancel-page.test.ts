import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../../support/browser';
import { advance, buy, onboard, replaceCard, signIn } from '../../support/ordering';
import { createTestWebsite, type TestWebsite } from '../../support/website';

const CANCEL = '/user/subscription/cancel';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/subscription': 'billing/subscription-page.tsx',
    [CANCEL]: 'billing/cancel-page.tsx',
  });
});
afterAll(async () => website.close());

/** Cancels a subscription; returns the page before and the notice after. */
async function cancelAs(token: string) {
  const browser = await openBrowser(website, { token });
  const page = await (await browser.open(CANCEL)).text();
  await browser.post(CANCEL, {});
  const [notice] = await browser.notices();
  return { page, notice: notice?.key };
}

test('access is promised, and lasts, to the end of the paid period', async () => {
  const { email } = await buy(website.host, { trial: false });
  const { page, notice } = await cancelAs(await onboard(website.host, email));
  expect(page).toContain('What you paid for lasts until');
  expect(page).toContain('undo the cancellation');
  expect(notice).toBe('subscription_canceled');
});

test('while a renewal is in progress, no access is promised, as it would end at once', async () => {
  const { email } = await buy(website.host, { trial: false });
  const token = await onboard(website.host, email);
  await replaceCard(website.host, token, 'processing');
  await advance(website.host, '32d');
  const session = await signIn(website.host, email);
  const overview = await (
    await (await openBrowser(website, { token: session })).open('/user/subscription')
  ).text();
  expect(overview).toMatch(/The charge of €9\.90 that was due on [^<]+ is being processed\./);
  expect(overview).not.toContain('The next period begins on');
  const { page, notice } = await cancelAs(session);
  expect(page).toContain('so the subscription ends at once');
  expect(page).not.toContain('What you paid for lasts until');
  expect(page).not.toContain('undo the cancellation');
  expect(notice).toBe('subscription_ended');
});

test('while a charge is overdue, neither page nor notice promises access', async () => {
  const { email } = await buy(website.host, {}, 'onlyOnce');
  await onboard(website.host, email);
  await advance(website.host, '34d');
  const { page, notice } = await cancelAs(await signIn(website.host, email));
  expect(page).toContain('The last charge failed, so the subscription ends at once');
  expect(page).not.toContain('undo the cancellation');
  expect(notice).toBe('subscription_ended');
});
