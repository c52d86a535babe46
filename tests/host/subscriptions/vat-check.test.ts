import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eq } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { invoices } from '#host/db/invoices.tables';
import { orders } from '#host/db/subscriptions.tables';
import type { Buyer } from '#host/invoices/tax';
import { runCommand } from '#host/operator/run-command';
import { fetchWhole } from '#runtime/fetch-whole';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { buy, checkout, onboard, placeOrder } from '../../support/ordering';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const BERLIN = {
  country: 'DE',
  zip_code: '10115',
  city: 'Berlin',
  professional: true,
  company: 'Papier GmbH',
};
const NUMBER = 'DE136695976';
const json = (content: unknown): Answer => {
  return (_, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify(content));
};
const VALID = json({
  isValid: true,
  userError: 'VALID',
  requestIdentifier: 'WAPIAAAAZ1',
  name: 'Papier GmbH',
});
const INVALID = json({ isValid: false, userError: 'INVALID', requestIdentifier: '' });

let host: TestHost;
let answer: Answer;
let requested: string[];
let lines: string[];

/** A local HTTP server that stands in for VIES. */
const vies = createServer((request, response) => {
  requested.push(request.url ?? '');
  answer(request, response);
});

beforeAll(async () => {
  vies.listen(0, '127.0.0.1');
  await once(vies, 'listening');
  const { port } = vies.address() as AddressInfo;
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  const settings = { viesUrl: `http://127.0.0.1:${port}/rest-api` };
  host = await createTestHost({ log, fetch: fetchWhole, settings });
});
beforeEach(() => {
  requested = [];
  lines = [];
  answer = VALID;
});
afterAll(async () => {
  vies.closeAllConnections();
  vies.close();
  await host.close();
});

const order = (fields: object = {}) => checkout({ ...BERLIN, vat_number: NUMBER, ...fields });

async function checkOf(email: string, shop = host) {
  const [row] = await shop.db.orm.select().from(orders).where(eq(orders.email, email));
  return (row?.buyer as Buyer | undefined)?.vatCheck;
}

test('a number that the register knows is the proof of the order, with the number of the consultation', async () => {
  const bought = await buy(host, { ...order(), trial: false });
  expect(requested).toEqual([
    '/rest-api/ms/DE/vat/136695976?requesterMemberStateCode=FR&requesterNumber=44732829320',
  ]);
  const proof = {
    number: NUMBER,
    checkedAt: host.clock.now().toISOString(),
    result: 'valid',
    consultation: 'WAPIAAAAZ1',
  };
  expect(await checkOf(bought.email)).toEqual(proof);
  const [invoice] = await host.db.orm.select().from(invoices).where(eq(invoices.accountId, bought.accountId));
  expect(invoice).toMatchObject({ tax: 'reverse_charge', buyer: { vatCheck: proof } });
  const token = await onboard(host, bought.email);
  const own = await send(host, 'GET', '/api/account/export', undefined, { token });
  expect(JSON.stringify(own.body)).toContain('WAPIAAAAZ1');
});

test('a number that the register does not know is an error of its field, and nothing is ordered', async () => {
  answer = INVALID;
  const body = order();
  const refused = await send(host, 'POST', '/api/subscriptions', body);
  expect([refused.status, refused.body.errors]).toEqual([422, { vat_number: ['vat_number_unknown'] }]);
  expect(await host.db.orm.select().from(orders).where(eq(orders.email, body.email))).toEqual([]);
  answer = json({ isValid: false });
  expect((await send(host, 'POST', '/api/subscriptions', body)).status).toBe(422);
  await placeOrder(host, { ...body, vat_number: '' });
  expect(await checkOf(body.email)).toBeUndefined();
});

const UNAVAILABLE: [what: string, answer: Answer][] = [
  ['a member state that does not answer', json({ isValid: false, userError: 'MS_UNAVAILABLE' })],
  ['too many requests', json({ isValid: false, userError: 'GLOBAL_MAX_CONCURRENT_REQ' })],
  ['a fault', (_, response) => response.writeHead(500).end('{"isValid":false}')],
  ['no JSON', (_, response) => response.end('<html>')],
  ['other JSON', json({ isValid: 'no' })],
  ['nothing', (_, response) => response.end()],
  ['a redirect', (_, response) => response.writeHead(302, { location: '/elsewhere' }).end()],
  ['a broken connection', (request) => request.socket.destroy()],
  ['half an answer', (_, response) => response.write('{"isValid":')],
  ['silence', () => undefined],
];

test.each(UNAVAILABLE)('with %s from the register the order goes on, unchecked', async (_, broken) => {
  answer = broken;
  const body = order();
  await placeOrder(host, body);
  expect(requested).toHaveLength(1);
  const checkedAt = host.clock.now().toISOString();
  expect(await checkOf(body.email)).toEqual({
    number: NUMBER,
    checkedAt,
    result: 'unchecked',
    consultation: '',
  });
  expect(lines.filter((line) => line.includes('could not be looked up in VIES'))).toHaveLength(1);
  expect(lines.find((line) => line.includes('order_placed'))).toContain('"vat":"unchecked"');
});

test('without a register nothing is asked, and the order says that the number was not checked', async () => {
  const shop = await createTestHost();
  try {
    const body = order();
    await placeOrder(shop, body);
    expect(await checkOf(body.email, shop)).toMatchObject({ number: NUMBER, result: 'unchecked' });
  } finally {
    await shop.close();
  }
});

test.each([
  ['a private person', { ...BERLIN, professional: false, vat_number: NUMBER }],
  ['a business without a number', BERLIN],
  ['a French business', { professional: true, company: 'Papier SARL', vat_number: 'FR44732829320' }],
  [
    'a business outside the Union',
    { country: 'CH', zip_code: '8001', professional: true, company: 'Papier AG' },
  ],
])('%s is not looked up', async (_, fields) => {
  await placeOrder(host, checkout(fields));
  expect(requested).toEqual([]);
});

test('a Greek number is looked up with its own prefix', async () => {
  const athens = { country: 'GR', zip_code: '105 57', professional: true, company: 'Charti' };
  await placeOrder(host, checkout({ ...athens, vat_number: 'GR 094259216' }));
  expect(requested[0]).toMatch(/^\/rest-api\/ms\/EL\/vat\/094259216\?/);
});

test('a form sent again is looked up once', async () => {
  const body = order();
  for (const _ of ['click', 'click']) await placeOrder(host, body);
  expect(requested).toHaveLength(1);
});

test('the operator sees the contracts whose number was not confirmed', async () => {
  const shop = await createTestHost({ fetch: fetchWhole, settings: { viesUrl: host.deps.settings.viesUrl } });
  const list = async () =>
    await runCommand(shop.deps, { command: 'unchecked-vat', subject: '', reason: '', operator: 'ada' });
  try {
    await buy(shop, order());
    await buy(shop, checkout());
    expect(await list()).toEqual([]);
    answer = json({ isValid: false, userError: 'SERVICE_UNAVAILABLE' });
    const bought = await buy(shop, order());
    await placeOrder(shop, order());
    const { reference, email } = bought;
    expect(await list()).toEqual([
      {
        reference,
        email,
        createdAt: shop.clock.now(),
        company: 'Papier GmbH',
        country: 'DE',
        vatNumber: NUMBER,
      },
    ]);
  } finally {
    await shop.close();
  }
});
