import { afterAll, beforeAll, expect, test } from 'vitest';
import { paymentEvents } from '#host/db/payments.tables';
import { signBody, verifyBody } from '#host/payment-sandbox/events';
import { readBooks } from '../../support/books';
import { createTestHost, type TestHost } from '../../support/host';
import { buy } from '../../support/ordering';

const SECRET = 'a webhook secret of the test host';
const PATH = '/api/webhooks/payments';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

const bodyOf = (id: string, type = 'charge.succeeded', objectId = 'ch_unknown') =>
  JSON.stringify({ id, type, data: { object: { id: objectId } } });

function post(body: string, signature: string | undefined) {
  return host.request(PATH, {
    method: 'POST',
    body,
    headers: signature ? { 'sandbox-signature': signature } : {},
  });
}

test('webhooks without a valid signature are refused', async () => {
  const now = host.clock.now();
  const body = bodyOf('evt_forged');
  const good = signBody(body, SECRET, now);
  const forged: [string, string | undefined][] = [
    [body, undefined],
    [body, ''],
    [body, 'nonsense'],
    [body, signBody(body, 'another secret', now)],
    [body, good.replace(/v1=.*/, 'v1=')],
    [body, good.replace(/t=\d+/, 't=1')],
    [`${body} `, good],
    [body.replace('succeeded', 'failed'), good],
    [body, signBody(body, SECRET, new Date(now.getTime() - 301_000))],
    [body, signBody(body, SECRET, new Date(now.getTime() + 301_000))],
    ['', signBody('', SECRET, now)],
    ['{}', signBody('{}', SECRET, now)],
    [bodyOf('evt_x', 'account.emptied'), signBody(bodyOf('evt_x', 'account.emptied'), SECRET, now)],
  ];
  const statuses = await Promise.all(
    forged.map(async ([text, signature]) => (await post(text, signature)).status),
  );
  expect(statuses).toEqual(Array(forged.length).fill(400));
  expect(await host.db.orm.select().from(paymentEvents)).toEqual([]);
});

test('a signature by any of several secrets is valid for five minutes', () => {
  const now = host.clock.now();
  const header = signBody('body', 'old secret', now);
  const later = new Date(now.getTime() + 300_000);
  expect(() => verifyBody('body', header, ['new secret', 'old secret'], later)).not.toThrow();
  expect(() => verifyBody('body', `${header},v1=00`, ['old secret'], later)).not.toThrow();
  expect(() => verifyBody('body', header, ['new secret'], now)).toThrow('wrong signature');
});

test('an event is stored once however often it arrives, and one about unknown objects does no harm', async () => {
  const body = bodyOf('evt_twice', 'refund.updated', 're_unknown');
  for (let turn = 0; turn < 3; turn += 1) {
    expect((await post(body, signBody(body, SECRET, host.clock.now()))).status).toBe(200);
  }
  const kept = await host.db.orm.select().from(paymentEvents);
  expect(kept.map(({ id }) => id)).toEqual(['sandbox:evt_twice']);
});

test('late, duplicate and out-of-order events do not change the books', async () => {
  await buy(host);
  await buy(host, { trial: false });
  const before = await readBooks(host);
  const { rows } = (await host.db.orm.execute(
    'select id, type, object_id from sandbox_events order by created_at desc',
  )) as unknown as {
    rows: { id: string; type: string; object_id: string }[];
  };
  expect(rows.length).toBeGreaterThan(2);
  for (const { id, type, object_id } of [...rows, ...rows]) {
    const text = bodyOf(`${id}_again`, type, object_id);
    expect((await post(text, signBody(text, SECRET, host.clock.now()))).status).toBe(200);
  }
  expect(await readBooks(host)).toEqual(before);
  expect(before).toMatchObject({ charges: 1, paid: 990, invoiced: 990 });
});
