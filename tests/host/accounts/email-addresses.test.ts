import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '#host/db/accounts.tables';
import { declarations, orders } from '#host/db/subscriptions.tables';
import { tickets } from '#host/db/tickets.tables';
import { deliverDueMails } from '#host/mail/delivery';
import { createSmtpTransport } from '#host/mail/transports';
import { createTestHost, type TestHost } from '../../support/host';
import { mailedToken, send } from '../../support/json-calls';
import { buy, checkout, onboard, placeOrder } from '../../support/ordering';
import { startSmtpCatcher } from '../mail/smtp-catcher';

const PASSWORD = 'three quiet lamps over water';
const TICKET = { firstname: 'Ada', lastname: 'Byron', subject: 'other', message: 'A message of some length' };
let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

const statusOf = async (path: string, body: object) => (await send(host, 'POST', path, body)).status;

test.each(["o&leary+d'arc=x!@example.com", 'user@xn--h1alffa9f.xn--p1ai'])(
  '%s can buy, sign in, get a new password, write and declare',
  async (email) => {
    const bought = await buy(host, { email });
    await onboard(host, email);
    expect(await statusOf('/api/login_check', { email, password: PASSWORD })).toBe(200);
    expect(await statusOf('/api/account/forgot-password', { email })).toBe(200);
    const token = await mailedToken(host, email);
    const password = { password: `new ${PASSWORD}`, confirmPassword: `new ${PASSWORD}` };
    expect(await statusOf('/api/account/reset-password', { token, ...password })).toBe(200);
    expect(await statusOf('/api/tickets', { ...TICKET, email })).toBe(201);
    const declared = { name: bought.body.name, email, confirmed: true };
    expect(await statusOf('/api/contract/cancel', declared)).toBe(200);
  },
);

test('an address typed with the letters of its domain is the one in ASCII, wherever it is typed', async () => {
  const [entered, kept] = ['olga@почта.рф', 'olga@xn--80a1acny.xn--p1ai'];
  const { body } = await buy(host, { email: kept });
  await onboard(host, kept);
  expect(await statusOf('/api/login_check', { email: entered, password: PASSWORD })).toBe(200);
  await statusOf('/api/account/forgot-password', { email: entered });
  expect((await host.mails())[0]).toMatchObject({ to: kept, template: 'account-mail.reset_password' });
  await statusOf('/api/account/onboarding/resend', { email: entered });
  expect((await host.mails())[0]).toMatchObject({ to: kept, template: 'account-mail.already_set_up' });
  await statusOf('/api/tickets', { ...TICKET, email: entered });
  await statusOf('/api/contract/cancel', { name: body.name, email: entered, confirmed: true });
  await placeOrder(host, checkout({ email: entered }));
  const other = await host.account();
  const change = { firstName: 'Ada', lastName: 'Byron', currentPassword: other.password };
  await send(
    host,
    'PUT',
    '/api/account/profile',
    { ...change, email: `2${entered}` },
    { token: other.token },
  );
  const { orm } = host.db;
  const [pending] = await orm.select().from(accounts).where(eq(accounts.id, other.id));
  const stored = [
    ...(await orm.select({ email: tickets.email }).from(tickets)),
    ...(await orm.select({ email: declarations.email }).from(declarations)),
    ...(await orm.select({ email: orders.email }).from(orders)),
  ].filter(({ email }) => email.startsWith('olga'));
  expect(stored).toEqual(Array(4).fill({ email: kept }));
  expect(pending?.pendingEmail).toBe(`2${kept}`);
});

test('mails reach the mail server with these addresses, in its envelope and as the address to answer', async () => {
  const smtp = await startSmtpCatcher();
  const mail = createSmtpTransport(smtp.url);
  const entered = ["o&leary+d'arc=x!@example.com", 'user@xn--h1alffa9f.xn--p1ai', '{a|b}`^@example.com'];
  for (const [place, email] of entered.entries()) {
    const headers = { 'x-client-ip': `203.0.113.${place}` };
    expect((await send(host, 'POST', '/api/tickets', { ...TICKET, email }, { headers })).status).toBe(201);
  }
  host.clock.advance(60_000);
  await deliverDueMails({ ...host.deps, mail }, host.clock.now());
  mail.close();
  await smtp.close();
  const recipients = smtp.caught.flatMap((caught) => caught.recipients);
  const answered = smtp.caught.flatMap(({ headers }) => headers['reply-to'] ?? []);
  for (const email of entered) {
    expect(recipients.map((to) => to.replace('россия.рф', 'xn--h1alffa9f.xn--p1ai'))).toContain(email);
    expect(answered).toContain(email);
  }
});
