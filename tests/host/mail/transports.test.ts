import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKeptTransport, createSmtpTransport } from '#host/mail/transports';
import { startSmtpCatcher } from './smtp-catcher';

const MAIL = {
  from: 'Quadrille <contact@quadrille.example>',
  to: 'ada@test.example',
  replyTo: null,
  offUrl: null,
  messageId: '<1@quadrille.example>',
  date: new Date('2026-03-02T10:00:00Z'),
  subject: 'Subject',
  text: 'Text',
  html: '<p>Text</p>',
  attachments: [],
};
const sockets = new Set<Socket>();
/** Accepts connections and never responds. */
const silent = createServer((socket) => sockets.add(socket));
let silentUrl: string;

beforeAll(async () => {
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
  silentUrl = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`;
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((closed) => silent.close(closed));
});

test('sending to a server that never responds times out', async () => {
  const transport = createSmtpTransport(silentUrl, { attemptMs: 50 });
  await expect(transport.send(MAIL)).rejects.toThrow('not sent within 50 ms');
  transport.close();
});

test('closing gives a mail in progress a short grace period', async () => {
  const transport = createSmtpTransport(silentUrl, { graceMs: 20 });
  const sending = transport.send(MAIL);
  expect(transport.isOpen()).toBe(true);
  transport.close();
  expect(transport.isOpen()).toBe(false);
  await expect(sending).rejects.toThrow(/not sent within 20 ms|closed/);
});

test('an address is always a single recipient, whatever it contains', async () => {
  const smtp = await startSmtpCatcher();
  const transport = createSmtpTransport(smtp.url);
  await transport.send({ ...MAIL, to: 'a@test.example, b@test.example' }).catch(() => undefined);
  await transport.send({ ...MAIL, to: 'c@test.example\r\nRCPT TO:<d@test.example>' }).catch(() => undefined);
  transport.close();
  await smtp.close();
  expect(smtp.caught.every(({ recipients }) => recipients.length === 1)).toBe(true);
  expect(smtp.caught.flatMap(({ recipients }) => recipients)).not.toContain('b@test.example');
  expect(smtp.caught.flatMap(({ recipients }) => recipients)).not.toContain('d@test.example');
});

test('a mail that can be switched off tells mail programs where, by one click', async () => {
  const smtp = await startSmtpCatcher();
  const transport = createSmtpTransport(smtp.url);
  const offUrl = 'https://www.quadrille.example/mails-off?token=figures.1.x';
  await transport.send({ ...MAIL, offUrl });
  await transport.send(MAIL);
  transport.close();
  await smtp.close();
  const [withLink, without] = smtp.caught.map(({ headers }) => headers);
  expect(withLink).toMatchObject({
    'list-unsubscribe': `<${offUrl}>`,
    'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    'auto-submitted': 'auto-generated',
  });
  expect(without).not.toHaveProperty('list-unsubscribe');
  expect(without).not.toHaveProperty('list-unsubscribe-post');
});

test('a kept mail is not sent', async () => {
  const kept = createKeptTransport();
  await expect(kept.send(MAIL)).resolves.toBeUndefined();
  expect(kept.kind).toBe('kept');
});
