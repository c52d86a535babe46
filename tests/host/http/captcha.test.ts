import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { tickets } from '#host/db/tickets.tables';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { checkout } from '../../support/ordering';

const SECOND = 1_000;
const HOUR = 3_600_000;
let requested: number;
let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  const captcha = async ({ token }: { token: string }) => {
    requested += 1;
    return token === 'good';
  };
  host = await createTestHost({ captcha });
});
beforeEach(async () => {
  requested = 0;
  host.clock.advance(2 * HOUR);
  account = await host.account();
});
afterAll(() => host.close());

async function issued(): Promise<string> {
  const { body } = await send(host, 'GET', '/api/form-token');
  return (body.data as { token: string }).token;
}

/** A token old enough for a person to have filled in the form. */
async function entered(): Promise<string> {
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
  email,
  firstname: 'Ada',
  lastname: 'Lovelace',
  subject: 'other',
  message: 'A message long enough',
}));
const order = form('/api/subscriptions', (email) => checkout({ email }));

/** Signing in has no limit per e-mail address: strangers could use it up. */
const SIGNING_IN: [name: string, form: Form, done: number, perAddress: number, perPerson: number] = [
  ...(['signing in', logIn, 200, 10, Number.POSITIVE_INFINITY] as const),
];
const FORMS: (typeof SIGNING_IN)[] = [
  ['asking for a password', forgot, 200, 5, 2],
  ['contacting', contact, 201, 2, 2],
  ['ordering', order, 201, 5, 3],
];

test.each([...FORMS, SIGNING_IN])(
  '%s works with a form token instead of a captcha',
  async (_, post, done) => {
    expect((await post({ formToken: await entered() })).status).toBe(done);
    expect(requested).toBe(0);
  },
);

test.each([...FORMS, SIGNING_IN])(
  '%s is refused if sent too fast, and works later with the same token',
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
  const token = await entered();
  const [at = '', id = '', signature = ''] = token.split('.');
  const later = `${Number(at) - 5 * SECOND}.${id}.${signature}`;
  // The length of a signature in characters, but not in bytes.
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

test('a captcha token takes precedence: a form token does not make up for a bad one', async () => {
  const formToken = await entered();
  expect((await contact({ captcha: 'bad', formToken })).body.errors).toEqual({ captcha: ['captcha_failed'] });
  expect((await contact({})).body.errors).toEqual({ captcha: ['captcha_failed'] });
  expect((await contact({ captcha: 'good', formToken })).status).toBe(201);
});

test.each([...FORMS, SIGNING_IN])(
  'without a captcha %s is rate limited per IP address',
  async (_, post, done, perAddress) => {
    const address = newAddress();
    for (let round = 0; round < perAddress; round += 1) {
      expect((await post({ formToken: await entered() }, { address })).status).toBe(done);
    }
    const email = newEmail();
    expect((await post({ formToken: await entered() }, { address, email })).status).toBe(429);
    expect((await post({ formToken: await entered() }, { email })).status).not.toBe(429);
  },
);

test.each(FORMS)(
  'without a captcha %s is rate limited per e-mail address, and with one it still works',
  async (_, post, done, __, perPerson) => {
    const email = newEmail();
    for (let round = 0; round < perPerson; round += 1) {
      expect((await post({ formToken: await entered() }, { email })).status).toBe(done);
    }
    expect((await post({ formToken: await entered() }, { email })).status).toBe(429);
    expect((await post({ captcha: 'good' }, { email })).status).toBe(done);
  },
);

test('requests without a captcha share a total limit, which does not affect those with one', async () => {
  const kept = async () => (await host.db.orm.select().from(tickets)).length;
  const before = await kept();
  for (let robot = 0; robot < 70; robot += 1) await contact({ formToken: await entered() });
  expect((await kept()) - before).toBe(60);
  expect((await contact({ captcha: 'good' })).status).toBe(201);
});
