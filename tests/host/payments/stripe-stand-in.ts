import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { unknownParameter } from './stripe-parameters';

type Fields = Record<string, string>;
type Stored = Record<string, unknown> & { id: string };
interface Reply {
  status: number;
  body: unknown;
}

export const STAND_IN_KEY = 'sk_test_stand_in';
export const STAND_IN_SECRET = 'whsec_stand_in';

/** A stateful local subset of api.stripe.com that the real SDK calls over HTTP. */
export async function openStripeStandIn() {
  const objects = new Map<string, Stored>();
  const replies = new Map<string, { request: string; reply: Reply }>();
  const requests: { method: string; path: string; fields: Fields; key: string | undefined }[] = [];
  let losses = 0;
  let declines: string | null = null;
  let refused: string | null = null;
  let chargeStatus = 'succeeded';
  let refundStatus = 'succeeded';

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const fields = Object.fromEntries(new URLSearchParams(await textOf(request)));
    const key = request.headers['idempotency-key'] as string | undefined;
    const method = request.method ?? 'GET';
    requests.push({ method, path: url.pathname, fields, key });
    if (request.headers.authorization !== `Bearer ${STAND_IN_KEY}`) {
      return send(response, problem(401, 'invalid_request_error', 'no such key'));
    }
    const reply = method === 'POST' && key ? once(key, url, fields) : answer(method, url, fields);
    if (losses > 0 && method === 'POST') {
      losses -= 1;
      return request.socket.destroy();
    }
    send(response, reply);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;

  /** Replays the first response for an idempotency key; the same key with other parameters is an error. */
  function once(key: string, url: URL, fields: Fields): Reply {
    const request = `${url.pathname} ${JSON.stringify(fields)}`;
    const before = replies.get(key);
    if (before && before.request !== request) return problem(400, 'idempotency_error', 'key used before');
    const reply = before?.reply ?? answer('POST', url, fields);
    // Requests with invalid parameters are not remembered.
    if (!refused) replies.set(key, { request, reply });
    return reply;
  }

  function answer(method: string, { pathname, searchParams }: URL, fields: Fields): Reply {
    const unknown = method === 'POST' && unknownParameter(pathname, Object.keys(fields));
    if (unknown) {
      const message = `Received unknown parameter: ${unknown}`;
      return problem(400, 'invalid_request_error', message, 'parameter_unknown');
    }
    const [, , kind = '', part = '', id = ''] = pathname.split('/');
    if (refused && method === 'POST') return problem(400, 'invalid_request_error', 'Refused', refused);
    if (method === 'GET' && kind === 'payment_intents' && !part)
      return list(searchParams.get('customer') ?? '');
    if (method === 'POST' && kind === 'customers' && part) {
      return fields.email ? changeCustomer(part, { email: fields.email }) : prefer(part, fields);
    }
    if (method === 'GET' && kind === 'refunds' && !part) {
      return listOf(refundsOf(searchParams.get('payment_intent')), '/v1/refunds');
    }
    if (method === 'POST')
      return make(kind === 'checkout' || kind === 'billing_portal' ? `${kind}_${part}` : kind, fields);
    const found = objects.get(id || part);
    if (!found) return { ...problem(404, 'invalid_request_error', 'No such object', 'resource_missing') };
    if (method === 'DELETE') {
      objects.delete(found.id);
      return { status: 200, body: { id: found.id, object: 'customer', deleted: true } };
    }
    return { status: 200, body: expanded(found, searchParams.get('expand[0]')) };
  }

  function make(kind: string, fields: Fields): Reply {
    if (kind === 'customers')
      return put('cus', {
        object: 'customer',
        ...fields,
        invoice_settings: { default_payment_method: null },
      });
    if (kind === 'checkout_sessions') {
      const id = makeId('cs');
      return put('', {
        ...fields,
        id,
        object: 'checkout.session',
        status: 'open',
        setup_intent: null,
        url: `https://checkout.stripe.com/c/pay/${id}`,
      });
    }
    if (kind === 'billing_portal_sessions')
      return put('bps', { object: 'billing_portal.session', url: 'https://billing.stripe.com/p/session/x' });
    if (kind === 'payment_intents') return charge(fields);
    return refund(fields.payment_intent ?? '', Number(fields.amount));
  }

  function refundsOf(intent: string | null): Stored[] {
    return [...objects.values()].filter((one) => one.object === 'refund' && one.payment_intent === intent);
  }

  /** Refuses more than the rest of a charge. */
  function refund(intent: string, amount: number): Reply {
    const moved = refundsOf(intent).filter(({ status }) => status !== 'failed' && status !== 'canceled');
    const back = moved.reduce((sum, one) => sum + Number(one.amount), 0);
    if (back + amount > Number(objects.get(intent)?.amount)) {
      return problem(400, 'invalid_request_error', 'Already refunded', 'charge_already_refunded');
    }
    return put('re', { object: 'refund', status: refundStatus, payment_intent: intent, amount });
  }

  function listOf(data: Stored[], url: string): Reply {
    return { status: 200, body: { object: 'list', data, has_more: false, url } };
  }

  function charge(fields: Fields): Reply {
    if (!objects.has(fields.customer ?? '')) {
      return problem(400, 'invalid_request_error', 'No such customer', 'resource_missing');
    }
    if (!objects.has(fields.payment_method ?? '')) {
      return problem(400, 'invalid_request_error', 'The customer does not have this payment method');
    }
    const error = declines
      ? {
          type: 'card_error',
          code: 'card_declined',
          decline_code: declines,
          message: 'Your card was declined.',
        }
      : null;
    const { body } = put('pi', {
      object: 'payment_intent',
      amount: Number(fields.amount),
      currency: fields.currency,
      customer: fields.customer,
      metadata: { key: fields['metadata[key]'] },
      status: error ? 'requires_payment_method' : chargeStatus,
      last_payment_error: error,
    });
    return error
      ? { status: 402, body: { error: { ...error, payment_intent: body } } }
      : { status: 200, body };
  }

  function prefer(id: string, fields: Fields): Reply {
    const method = fields['invoice_settings[default_payment_method]'] ?? '';
    if (!objects.has(method)) {
      const message = 'The customer does not have this payment method';
      return problem(400, 'invalid_request_error', message, 'resource_missing');
    }
    return changeCustomer(id, { invoice_settings: { default_payment_method: method } });
  }

  function changeCustomer(id: string, changes: Record<string, unknown>): Reply {
    const customer = objects.get(id);
    if (!customer) return problem(404, 'invalid_request_error', 'No such customer', 'resource_missing');
    objects.set(id, { ...customer, ...changes });
    return { status: 200, body: objects.get(id) };
  }

  function list(customer: string): Reply {
    if (!objects.has(customer)) {
      return problem(400, 'invalid_request_error', 'No such customer', 'resource_missing');
    }
    const data = [...objects.values()].filter(
      (one) => one.object === 'payment_intent' && one.customer === customer,
    );
    return listOf(data.reverse(), '/v1/payment_intents');
  }

  function put(prefix: string, object: Record<string, unknown>): Reply {
    const id = typeof object.id === 'string' ? object.id : makeId(prefix);
    const stored = { ...object, id };
    objects.set(id, stored);
    return { status: 200, body: stored };
  }

  /** Other objects are named by their ids unless the request asks to expand them. */
  function expanded(object: Stored, requested: string | null): Stored {
    const intent = object.setup_intent as Stored | string | null | undefined;
    if (typeof intent === 'object' && intent && requested !== 'setup_intent.payment_method') {
      return { ...object, setup_intent: intent.id };
    }
    const settings = object.invoice_settings as { default_payment_method: string | null } | undefined;
    if (!settings || requested !== 'invoice_settings.default_payment_method') return object;
    const method = objects.get(settings.default_payment_method ?? '') ?? null;
    return { ...object, invoice_settings: { default_payment_method: method } };
  }

  function saveCard(last4: string, fingerprint = makeId('fp')): Stored {
    const id = makeId('pm');
    const card = { brand: 'visa', last4, exp_month: 12, exp_year: 2034, fingerprint };
    const method = { id, object: 'payment_method', type: 'card', card };
    objects.set(id, method);
    return method;
  }

  return {
    connection: { host: '127.0.0.1', port, protocol: 'http' as const },
    requests,
    posted: (path: string) => requests.filter((one) => one.method === 'POST' && one.path === path),
    count: (object: string) => [...objects.values()].filter((one) => one.object === object).length,
    /** The visitor enters a card on the hosted page; a new card unless its fingerprint is known. */
    enterCard: (sessionId: string, last4 = '4242', fingerprint?: string) => {
      const session = objects.get(sessionId);
      if (!session) throw new Error('no such page');
      const setup_intent = {
        id: makeId('seti'),
        status: 'succeeded',
        payment_method: saveCard(last4, fingerprint),
      };
      objects.set(sessionId, { ...session, status: 'complete', setup_intent });
    },
    /** The customer enters another card in the portal. */
    changeCard: (customerId: string, last4: string) => {
      prefer(customerId, { 'invoice_settings[default_payment_method]': saveCard(last4).id });
    },
    /** A manual refund in the dashboard. */
    refund: (intent: string, amount: number) => refund(intent, amount).body as Stored,
    /** Detaches a card or deletes a customer manually. */
    remove: (id: string) => objects.delete(id),
    decline: (code: string | null) => {
      declines = code;
    },
    /** Sets the status of future charges and refunds. */
    answerWith: ({ charge = 'succeeded', refund = 'succeeded' }: { charge?: string; refund?: string }) => {
      chargeStatus = charge;
      refundStatus = refund;
    },
    /** Refuses every POST as an invalid request with this code; null stops that. */
    refuse: (code: string | null) => {
      refused = code;
    },
    /** Changes an object later, such as its status. */
    change: (id: string, fields: Record<string, unknown>) => {
      objects.set(id, { ...objects.get(id), ...fields, id });
      return objects.get(id) as Stored;
    },
    listRefunds: (intent: string) => refundsOf(intent),
    /** Stripe remembers keys for a day. */
    forgetKeys: () => replies.clear(),
    /** Processes the next `count` POSTs but drops their responses. */
    loseAnswers: (count: number) => {
      losses = count;
    },
    event: (type: string, object: Record<string, unknown>, id = makeId('evt')) => {
      const payload = JSON.stringify({
        id,
        object: 'event',
        api_version: '2026-10-28.endive',
        type,
        data: { object },
      });
      const signature = new Stripe(STAND_IN_KEY).webhooks.generateTestHeaderString({
        payload,
        secret: STAND_IN_SECRET,
      });
      return { payload, signature };
    },
    close: () => new Promise<void>((closed) => server.close(() => closed())),
  };
}

function makeId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}

function problem(status: number, type: string, message: string, code?: string): Reply {
  return { status, body: { error: { type, message, ...(code && { code }) } } };
}

function send(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
