import { expect, onTestFinished, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#contract/time';
import { dropOldMails } from '#host/mail/store';
import { runCommand } from '#host/operator/run-command';
import { processLinkRequests } from '#host/sign-in/link-requests';
import { createTestHost } from '../../support/host';
import { startOutbox, ticketValues } from './outbox-with-server';

async function start() {
  const host = await createTestHost();
  onTestFinished(() => host.close());
  const outbox = await startOutbox(host);
  return {
    ...outbox,
    /** Advances the clock and delivers once a minute. */
    pass: async (ms: number) => {
      for (let left = ms; left > 0; left -= MINUTE_MS) {
        host.clock.advance(MINUTE_MS);
        await outbox.deliver();
      }
    },
    resend: (id = '') =>
      runCommand(host.deps, { command: 'resend-mail', subject: id, reason: 'asked for', operator: 'ada' }),
    subjects: () => outbox.smtp.caught.map(({ headers }) => headers.subject),
  };
}

const SECOND = {
  template: 'account-mail.onboarding_known',
  values: { actionUrl: 'https://a.example' },
} as const;
const SUBJECTS = ['We have received your message', 'Your order has been added to your existing account'];

test('the age of the queue is that of its oldest mail, however often it was retried', async () => {
  const { smtp, host, deliver, queue, pass } = await start();
  smtp.refuse(true);
  await queue();
  await deliver();
  await pass(40 * MINUTE_MS);
  const metrics = await (await host.request('/metrics', { headers: { host: 'localhost:4000' } })).text();
  expect(metrics).toContain('quadrille_queue_depth{queue="mails"} 1\n');
  expect(metrics).toContain('quadrille_queue_oldest_seconds{queue="mails"} 2400\n');
});

test('an outage of four days loses no mail', async () => {
  const { smtp, host, deliver, queue, row } = await start();
  smtp.refuse(true);
  await queue();
  for (let hour = 0; hour < 4 * 24; hour += 1) {
    await deliver();
    host.clock.advance(HOUR_MS);
  }
  expect((await row())?.givenUpAt).toBeNull();
  smtp.refuse(false);
  host.clock.advance(2 * HOUR_MS);
  await deliver();
  expect(smtp.caught).toHaveLength(1);
});

test('a mail that was given up keeps its content, and an operator can resend it', async () => {
  const { smtp, host, deliver, queue, row, resend } = await start();
  smtp.refuse(true);
  await queue();
  for (let hour = 0; hour < 6 * 24; hour += 1) {
    await deliver();
    host.clock.advance(HOUR_MS);
  }
  const { id, attempts } = (await row()) ?? {};
  expect(await row()).toMatchObject({ givenUpAt: expect.any(Date), values: ticketValues() });
  await deliver();
  expect((await row())?.attempts).toBe(attempts);
  await resend(id);
  await deliver();
  expect(await row()).toMatchObject({ givenUpAt: null, sentAt: null });
  smtp.refuse(false);
  await resend(id);
  await deliver();
  expect(smtp.caught).toHaveLength(1);
  expect(await row()).toMatchObject({ sentAt: host.clock.now(), values: {} });
  await expect(resend(id)).rejects.toThrow('the mail was sent');
});

test('a permanently rejected mail is given up within the hour, and can be resent', async () => {
  const { host, deliver, queue, row, pass, resend } = await start();
  await queue({ to: 'ada@gone.example' });
  await deliver();
  await pass(25 * MINUTE_MS);
  expect(await row()).toMatchObject({ givenUpAt: null, lastError: 'EENVELOPE 550 5.1.1' });
  await pass(15 * MINUTE_MS);
  expect(await row()).toMatchObject({ givenUpAt: expect.any(Date), values: ticketValues() });
  await resend((await row())?.id);
  host.clock.advance(31 * DAY_MS);
  await deliver();
  await dropOldMails(host.db.orm, host.clock.now());
  expect(await row()).toMatchObject({ givenUpAt: null });
});

test('a dropped mail cannot be resent', async () => {
  const { host, deliver, queue, row, pass, resend } = await start();
  await queue({ to: 'ada@gone.example', dedupeKey: 'yearly:2026' });
  await deliver();
  await pass(40 * MINUTE_MS);
  host.clock.advance(31 * DAY_MS);
  await dropOldMails(host.db.orm, host.clock.now());
  await expect(resend((await row())?.id)).rejects.toThrow('given up');
});

test('mails to one address are sent in the order they were queued', async () => {
  const { smtp, host, deliver, queue, pass, subjects } = await start();
  smtp.refuse(true);
  await queue();
  await deliver();
  await pass(2 * MINUTE_MS);
  await queue({ ...SECOND, to: 'Ada@test.example' });
  smtp.refuse(false);
  host.clock.advance(1_000);
  await deliver();
  expect(subjects()).toEqual(SUBJECTS);
});

test('a new mail behind a waiting one is tried as soon as it would be on its own', async () => {
  const { smtp, deliver, queue, row, pass, subjects } = await start();
  smtp.refuse(true);
  await queue();
  await deliver();
  await pass(4 * HOUR_MS);
  await queue(SECOND);
  await deliver();
  const { attempts = 0 } = (await row()) ?? {};
  await deliver();
  expect((await row())?.attempts).toBe(attempts);
  smtp.refuse(false);
  await pass(MINUTE_MS);
  expect(subjects()).toEqual(SUBJECTS);
});

test('a mail that was given up does not block others', async () => {
  const { deliver, queue, rows, pass } = await start();
  await queue({ to: 'ada@gone.example' });
  await pass(40 * MINUTE_MS);
  await queue({ ...SECOND, to: 'ada@gone.example' });
  await deliver();
  expect(await rows()).toMatchObject([{ givenUpAt: expect.any(Date) }, { attempts: 1 }]);
});

test('an expired link is neither sent nor kept', async () => {
  const { smtp, host, deliver, pass, rows, resend } = await start();
  const { email } = await host.account();
  smtp.refuse(true);
  await host.request('/api/account/forgot-password', {
    method: 'POST',
    body: JSON.stringify({ email }),
    headers: { 'content-type': 'application/json' },
  });
  await processLinkRequests(host.deps, host.clock.now());
  await deliver();
  expect(JSON.stringify(await rows())).toContain('token=');
  await pass(29 * MINUTE_MS);
  smtp.refuse(false);
  host.clock.advance(7 * MINUTE_MS);
  await deliver();
  expect(smtp.caught).toEqual([]);
  const [reset] = await rows();
  expect(reset).toMatchObject({ values: {}, givenUpAt: host.clock.now(), sentAt: null });
  await expect(resend(reset?.id)).rejects.toThrow('given up');
});

test('a link is sent until the moment in which it expires, and not in it', async () => {
  const { smtp, host, deliver, queue, rows } = await start();
  const usefulUntil = new Date(host.clock.now().getTime() + HOUR_MS);
  for (const to of ['ada@test.example', 'bea@test.example']) await queue({ ...SECOND, to, usefulUntil });
  smtp.refuse(true);
  await deliver();
  smtp.refuse(false);
  host.clock.set(new Date(usefulUntil.getTime() - 1));
  await queue({ ...SECOND, to: 'cid@test.example', usefulUntil });
  await deliver();
  expect(smtp.caught).toHaveLength(3);
  await queue({ ...SECOND, to: 'dan@test.example', usefulUntil });
  host.clock.set(usefulUntil);
  await deliver();
  expect(smtp.caught).toHaveLength(3);
  const late = (await rows()).filter(({ sentAt }) => sentAt === null);
  expect(late).toMatchObject([{ givenUpAt: usefulUntil, values: {}, lastError: 'the link expired' }]);
});

test('a link in a mail that was given up is deleted when it expires', async () => {
  const { host, deliver, queue, rows, pass, resend } = await start();
  const usefulUntil = new Date(host.clock.now().getTime() + HOUR_MS);
  await queue({ ...SECOND, to: 'ada@gone.example', usefulUntil });
  await deliver();
  await pass(40 * MINUTE_MS);
  const [mail] = await rows();
  expect(mail).toMatchObject({ values: SECOND.values, givenUpAt: expect.any(Date) });
  host.clock.advance(20 * MINUTE_MS);
  await expect(resend(mail?.id)).rejects.toThrow('given up');
  await dropOldMails(host.db.orm, host.clock.now());
  expect((await rows())[0]?.values).toEqual({});
});
