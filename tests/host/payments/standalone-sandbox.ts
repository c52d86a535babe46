import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { createRouter } from '#host/http/mount';
import type { SetupRequest } from '#host/http/payment-provider';
import { SIGNATURE_HEADER, WEBHOOK_PATH } from '#host/payment-sandbox/events';
import { createSandbox } from '#host/payment-sandbox/sandbox';
import { openFresh } from '../../support/fresh-database';

export type StandaloneSandbox = Awaited<ReturnType<typeof openStandaloneSandbox>>;

export const SECRET = 'a webhook secret';
const START = new Date('2026-03-02T10:00:00.000Z');
const CARD = { name: 'Ada Byron', number: '4242424242424242', expiry: '12/34', cvc: '123' };

/** The sandbox alone, for what depends on no order, on an empty database; its webhooks are only noted. */
export async function openStandaloneSandbox() {
  const db = await openFresh();
  const log = pino({ level: 'silent' });
  let now = START.getTime();
  const clock = { now: () => new Date(now) };
  const deps = {
    db,
    clock,
    log,
    random: (bytes: number) => randomBytes(bytes),
    hostUrl: 'https://host.example',
    publicUrl: 'https://www.quadrille.example/a/page',
    appName: 'Quadrille',
    secrets: [SECRET, 'an older secret'],
  };
  const provider = createSandbox(deps);
  const router = createRouter(() => Promise.reject(new Error('nobody is signed in here')));
  router.app.use(async (context, next) => {
    context.set('log', log);
    await next();
  });
  router.app.onError((error, context) => context.text(error.message, 500));
  const received: { type: string; objectId: string; body: string; signature: string }[] = [];
  router.app.post(WEBHOOK_PATH, async (context) => {
    const body = await context.req.text();
    const signature = context.req.header(SIGNATURE_HEADER) ?? '';
    const { type, data } = JSON.parse(body);
    received.push({ type, objectId: data.object.id, body, signature });
    return context.text('');
  });
  provider.attach?.(router);
  const pathOf = (url: string) => url.replace('https://host.example', '');
  let keys = 0;

  function openSetup(fields: Partial<SetupRequest> = {}) {
    keys += 1;
    return provider.openSetup({
      key: `setup ${keys}`,
      customerId: null,
      email: 'ada@shop.example',
      name: 'Ada Byron',
      locale: 'gb',
      amountCents: 990,
      firstChargeAt: null,
      successUrl: 'https://www.quadrille.example/done',
      cancelUrl: 'https://www.quadrille.example/back',
      ...fields,
    });
  }

  async function get(url: string, headers: Record<string, string> = {}) {
    const answered = await router.app.request(pathOf(url), { headers });
    return { status: answered.status, headers: answered.headers, html: await answered.text() };
  }

  async function post(url: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
    const body = new URLSearchParams(fields);
    const answered = await router.app.request(pathOf(url), { method: 'POST', body, headers });
    const location = answered.headers.get('location');
    return { status: answered.status, location, html: await answered.text() };
  }

  const enter = (url: string, fields: Partial<typeof CARD> = {}) => post(url, { ...CARD, ...fields });

  return {
    db,
    log,
    provider,
    /** The sandbox of a program that serves no pages, on the same database. */
    detached: createSandbox(deps),
    received,
    get,
    post,
    openSetup,
    /** Posts a card on a card page or in a portal. */
    enter,
    clock: {
      ...clock,
      advance: (ms: number) => {
        now += ms;
      },
      set: (date: Date) => {
        now = date.getTime();
      },
    },
    /** A customer with a saved card. */
    customer: async (number = CARD.number, expiry = CARD.expiry) => {
      const { url, customerId, setupId } = await openSetup();
      const saved = await enter(url, { number, expiry });
      if (saved.status !== 303) throw new Error(`the card was not saved: ${saved.status}`);
      const methodId = (await provider.findCard(customerId))?.methodId ?? '';
      const charge = (key: string, amountCents = 990, card = methodId) =>
        provider.charge({ key, customerId, methodId: card, amountCents, description: 'A test' });
      const refund = (key: string, chargeId: string, amountCents = 990) =>
        provider.refund({ key, chargeId, amountCents });
      const returnUrl = 'https://www.quadrille.example/user/subscription';
      const openPortal = () => provider.openPortal({ customerId, locale: 'gb', returnUrl });
      return { customerId, setupId, methodId, charge, refund, openPortal };
    },
    close: () => db.close(),
  };
}
