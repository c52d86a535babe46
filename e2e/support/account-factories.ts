import { setTimeout as delay } from 'node:timers/promises';
import type { Hono } from 'hono';
import { createOnboarding } from '#host/accounts/onboarding';
import { grantAccess } from '#host/accounts/store';
import type { TestHost } from '../../tests/support/host';
import { send } from '../../tests/support/json-calls';
import { buy, checkout, enterCard, placeOrder } from '../../tests/support/ordering';
import { addSignInWays } from '../../tests/support/sign-in-ways';

const LINK_TIMEOUT_MS = 10_000;

/** Adds the factory routes for account tests: purchased accounts, mailed links, revoked sessions. */
export function mountAccountFactories(factories: Hono, host: TestHost): void {
  factories.post('/bought', async (context) => {
    const { email, content } = await context.req.json();
    const draftId = content ? await saveDraft(host, content) : null;
    await host.db.orm.transaction((transaction) =>
      createOnboarding(transaction, host.deps, { email, locale: 'gb', draftId }, host.clock.now()),
    );
    return context.json({ email });
  });

  factories.get('/mails/:to', async (context) => {
    const to = context.req.param('to').toLowerCase();
    const mails = (await host.mails()).filter((mail) => mail.to.toLowerCase() === to);
    return context.json(
      mails.map(({ subject, text }) => ({
        subject,
        link: /https?:\/\/\S+\?token=[\w-]+/.exec(text ?? '')?.[0] ?? null,
      })),
    );
  });

  // One at a time, because each call runs all due work, including that of another call's order.
  let queue: Promise<unknown> = Promise.resolve();
  factories.post('/waiting', async (context) => {
    const { email } = await context.req.json();
    const made = queue.then(() => makeWaiting(host, email));
    queue = made.catch(() => undefined);
    return context.json(await made);
  });

  factories.post('/sign-in-ways', async (context) => {
    const { accountId, email } = await context.req.json();
    return context.json(await addSignInWays(host, accountId, { email }));
  });

  factories.post('/end-links', async (context) => {
    const { email } = await context.req.json();
    const text = `update mail_tokens set expires_at = now() - interval '1 minute'
      where account_id = (select id from accounts where lower(email) = lower($1))`;
    await host.db.query({ name: 'e2e-end-links', text, values: [email] });
    return context.json({});
  });

  factories.post('/end-access', async (context) => {
    const { accountId } = await context.req.json();
    const ended = { plan: 'monthly', status: 'expired', accessUntil: host.clock.now() } as const;
    await grantAccess(host.db.orm, accountId, ended);
    return context.json({});
  });

  factories.post('/end-sessions', async (context) => {
    const { accountId } = await context.req.json();
    const text = 'update sessions set revoked_at = now() where account_id = $1';
    await host.db.query({ name: 'e2e-end-sessions', text, values: [accountId] });
    return context.json({});
  });
}

async function saveDraft(host: TestHost, content: string): Promise<string> {
  const form = new FormData();
  form.set('visitor', 'a browser with a long random key');
  form.set('fields', JSON.stringify({ type: 'link', content }));
  const response = await host.request('/api/drafts', { method: 'POST', body: form });
  return (await response.json()).data.id;
}

/** Declares a withdrawal and orders for `email`, both as a stranger; returns paths of the mailed links. */
async function makeWaiting(host: TestHost, email: string): Promise<{ declaration: string; order: string }> {
  const bought = await buy(host, { trial: false });
  const declared = { name: bought.body.name, email: bought.email, confirmed: true };
  await send(host, 'POST', '/api/contract/withdraw', declared);
  const { redirectUrl } = await placeOrder(host, checkout({ trial: false, email }));
  await enterCard(host, redirectUrl);
  const [declaration, order] = [
    await linkTo(host, bought.email, 'declaration'),
    await linkTo(host, email, 'confirm-order'),
  ];
  return { declaration, order };
}

/** The path of a mailed link. Polls for it, as a concurrent call may be running the same jobs. */
async function linkTo(host: TestHost, address: string, page: string): Promise<string> {
  const until = performance.now() + LINK_TIMEOUT_MS;
  while (performance.now() < until) {
    await host.runBilling();
    const texts = (await host.mails()).filter(({ to }) => to === address).map(({ text }) => text ?? '');
    const path = texts.map((text) => new RegExp(`/${page}\\?token=[\\w-]+`).exec(text)?.[0]).find(Boolean);
    if (path) return path;
    await delay(50);
  }
  throw new Error(`no mail to ${address} leads to ${page}`);
}
