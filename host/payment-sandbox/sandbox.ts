import { HOUR_MS } from '#contract/time';
import type { Router } from '#host/http/mount';
import type { PaymentProvider } from '#host/http/payment-provider';
import {
  deliverEvents,
  nextDeliveryAt,
  readBody,
  SIGNATURE_HEADER,
  signBody,
  verifyBody,
  WEBHOOK_PATH,
} from './events';
import { changeObject, createObject, dropMethods, findByKey, findObject, getObject } from './objects';
import { mountPortal } from './portal-routes';
import { mountCardPage } from './routes';
import {
  advancePending,
  findSavedCard,
  makeCharge,
  makeRefund,
  presentCharge,
  presentRefund,
} from './sandbox-charges';
import type { SandboxDeps } from './sandbox-deps';
import { openSetup, presentSetup } from './setups';

const PORTAL_TTL_MS = HOUR_MS;

/** A payment provider inside the host, for trying everything without an account anywhere. No money moves. */
export function createSandbox(deps: SandboxDeps): PaymentProvider {
  const { db, clock, random, log, hostUrl, secrets } = deps;
  const { orm } = db;
  let app: Router['app'] | undefined;

  async function post(body: string): Promise<number> {
    const headers = {
      'content-type': 'application/json',
      [SIGNATURE_HEADER]: signBody(body, secrets[0] ?? '', clock.now()),
    };
    const response = await app?.request(WEBHOOK_PATH, { method: 'POST', headers, body });
    return response?.status ?? 0;
  }

  return {
    name: 'sandbox',
    openSetup: async (request) => {
      const { id, customerId } = await openSetup(orm, random, request, clock.now());
      return { setupId: id, customerId, url: `${hostUrl}/sandbox/pay/${id}` };
    },
    getSetup: async (id) => presentSetup(orm, await getObject(orm, 'setup', id), clock.now()),
    charge: (request) => makeCharge(orm, random, request, clock.now()),
    getCharge: async (id) => presentCharge(await getObject(orm, 'charge', id)),
    findCharge: async (_customerId, key) => {
      const found = await findByKey(orm, 'charge', key);
      return found && presentCharge(found);
    },
    refund: (request) => makeRefund(orm, random, request, clock.now()),
    getRefund: async (id) => presentRefund(await getObject(orm, 'refund', id)),
    findCard: (customerId) => findSavedCard(orm, customerId),
    // The card entered last is already the preferred one.
    preferCard: async () => undefined,
    changeEmail: async (customerId, email) => {
      const customer = await findObject(orm, 'customer', customerId);
      if (customer) await changeObject(orm, customer, { email });
    },
    openPortal: async ({ customerId, locale, returnUrl }) => {
      const now = clock.now();
      const expiresAt = new Date(now.getTime() + PORTAL_TTL_MS).toISOString();
      const data = { returnUrl, locale, expiresAt };
      const { id } = await createObject(orm, random, 'portal', { customerId, data }, now);
      return `${hostUrl}/sandbox/portal/${id}`;
    },
    forgetCustomer: async (customerId) => {
      const customer = await findObject(orm, 'customer', customerId);
      if (!customer) return;
      await dropMethods(orm, customerId);
      await changeObject(orm, customer, { email: '', name: '', methodId: null });
    },
    readEvent: async (rawBody, header) => {
      verifyBody(rawBody, header(SIGNATURE_HEADER), secrets, clock.now());
      return readBody(rawBody);
    },
    attach: (router) => {
      app = router.app;
      const afterChange = () => deliverEvents(orm, post, log, clock.now());
      mountCardPage(router, { ...deps, afterChange });
      mountPortal(router, { ...deps, afterChange });
    },
    deliver: async (now) => {
      if (!(await nextDeliveryAt(orm, now))) return;
      await advancePending(orm, random, now);
      if (app) await deliverEvents(orm, post, log, now);
    },
    nextDelivery: (until) => nextDeliveryAt(orm, until),
  };
}
