import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { tickets } from '#host/db/tickets.tables';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { checkout } from '../../support/ordering';

const SECOND = 1_000;
const HOUR = 3_600_000;
let asked: number;
let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  const captcha = async ({ token }: { token: string }) => {
    asked += 1;
    return token === 'good';
  };
  host = await createTestHost({ captcha });
});
beforeEach(async () => {
  asked = 0;
  host.clock.advance(2 * HOUR);
  account = await host.account();
});
afterAll(() => host.close());

async function issued(): Promise<string> {
  const { body } = await send(host, 'GET', '/api/form-token');
  return (body.data as { token: string }).token;
}

/** A token of a form that somebody had the time to fill in. */
async function typed(): Promise<string> {
  const token = await issued();
  host.clock.advance(10 * SECOND);
  return token;
}

let turn = 0;
const newEmail = () => `person-${++turn}@test.example`;
const newAddress = () => `203.0.113.${++turn % 250}`;

type Form = (proof: object, from?: { email?: string; address?: string }) => ReturnType<typeof send>;

function form(path: string, body: (email: string) => object): Form {
  return (proof, { email = newEmail(), address = newAddress() } = {}) =>
    send(host, 'POST', path, { ...body(email), ...proof }, { headers: { 'x-client-ip': address } });
}

const logIn: Form = (proof, from) =>
  form('/api/login_check', (email) => ({ email, password: account.password }))(proof, {
    email: account.email,
    ...from,
  });
const forgot = form('/api/account/forgot-password', (email) => ({ email }));
const contact = form('/api/tickets', (email) => ({
  ...{ email, firstname: 'Ada', lastname: 'Lovelace', subject: 'other', message: 'A message long enough' },
}));
const order = form('/api/subscriptions', (email) => checkout({ email }));

/** About one person signing in has no such limit: strangers must not use it up. */
const SIGNING_IN: [name: string, form: Form, done: number, perAddress: number, perPerson: number] = [
  ...(['signing in', logIn, 200, 10, Number.POSITIVE_INFINITY] as const),
];
const FORMS: (typeof SIGNING_IN)[] = [
  ['asking for a password', forgot, 200, 5, 2],
  ['contacting', contact, 201, 2, 2],
  ['ordering', order, 201, 5, 3],
];

test.each([...FORMS, SIGNING_IN])(
  '%s works with a form token in place of a captcha',
  async (_, post, done) => {
    expect((await post({ formToken: await typed() })).status).toBe(done);
    expect(asked).toBe(0);
  },
);

test.each([...FORMS, SIGNING_IN])(
  '%s is refused before anybody could have typed, and works later with the same token',
  async (_, post, done) => {
    const formToken = await issued();
    host.clock.advance(2 * SECOND);
    const fast = await post({ formToken });
    expect([fast.status, fast.body.errors]).toEqual([422, { formToken: ['form_too_fast'] }]);
    host.clock.advance(2 * SECOND);
    expect((await post({ formToken })).status).toBe(done);
  },
);

test('a token that is old, forged, changed, or used five times is refused', async () => {
  const token = await typed();
  const [at = '', id = '', signature = ''] = token.split('.');
  const later = `${Number(at) - 5 * SECOND}.${id}.${signature}`;
  // As long as a signature in characters, though not in bytes.
  const wide = `${at}.${id}.${'é'.repeat(signature.length)}`;
  const others = ['x', '..', `${at}.${id}.`, later, wide, `${token}.x`, account.token.slice(0, 200)];
  for (const formToken of others) {
    expect((await forgot({ formToken })).body.errors, formToken).toEqual({ formToken: ['form_expired'] });
  }
  for (let use = 0; use < 5; use += 1) expect((await forgot({ formToken: token })).status).toBe(200);
  expect((await forgot({ formToken: token })).body.errors).toEqual({ formToken: ['form_expired'] });
  const old = await issued();
  host.clock.advance(6 * HOUR + SECOND);
  expect((await forgot({ formToken: old })).body.errors).toEqual({ formToken: ['form_expired'] });
});

test('a captcha token counts where there is one: a bad one is not saved by a form token', async () => {
  const formToken = await typed();
  expect((await contact({ captcha: 'bad', formToken })).body.errors).toEqual({ captcha: ['captcha_failed'] });
  expect((await contact({})).body.errors).toEqual({ captcha: ['captcha_failed'] });
  expect((await contact({ captcha: 'good', formToken })).status).toBe(201);
});

test.each([...FORMS, SIGNING_IN])(
  'without a captcha %s is limited for one address',
  async (_, post, done, perAddress) => {
    const address = newAddress();
    for (let round = 0; round < perAddress; round += 1) {
      expect((await post({ formToken: await typed() }, { address })).status).toBe(done);
    }
    const email = newEmail();
    expect((await post({ formToken: await typed() }, { address, email })).status).toBe(429);
    expect((await post({ formToken: await typed() }, { email })).status).not.toBe(429);
  },
);

test.each(FORMS)(
  'without a captcha %s is limited for one e-mail, which holds back nobody who has one',
  async (_, post, done, __, perPerson) => {
    const email = newEmail();
    for (let round = 0; round < perPerson; round += 1) {
      expect((await post({ formToken: await typed() }, { email })).status).toBe(done);
    }
    expect((await post({ formToken: await typed() }, { email })).status).toBe(429);
    expect((await post({ captcha: 'good' }, { email })).status).toBe(done);
  },
);

test('robots at many addresses have one limit together, below which people with a captcha never fall', async () => {
  const kept = async () => (await host.db.orm.select().from(tickets)).length;
  const before = await kept();
  for (let robot = 0; robot < 70; robot += 1) await contact({ formToken: await typed() });
  expect((await kept()) - before).toBe(60);
  expect((await contact({ captcha: 'good' })).status).toBe(201);
});
