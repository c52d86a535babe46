import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createApp } from '#host/app';
import { mails } from '#host/db/mail.tables';
import { linksIn } from '#host/mail/mailbox-pages';
import { queueMail } from '#host/mail/outbox';
import { createSmtpTransport } from '#host/mail/transports';
import { createTestHost, type TestHost } from '../../support/host';

const LINK = 'https://www.quadrille.example/onboarding?token=abc&x=1';
let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});

beforeEach(() => host.db.orm.delete(mails));

afterAll(() => host.close());

test('the list of kept mails is newest first, with their links', async () => {
  await queue('first@test.example');
  await queue('second@test.example');
  const answer = await host.request('/mailbox.json');
  const { data } = await answer.json();
  expect(answer.status).toBe(200);
  expect(data.map(({ to }: { to: string }) => to)).toEqual(['second@test.example', 'first@test.example']);
  expect(data[0]).toMatchObject({
    subject: 'Finish setting up your account',
    template: 'account-mail.onboarding',
    locale: 'gb',
    createdAt: host.clock.now().toISOString(),
    attachments: [{ filename: 'terms <1>.txt', contentType: 'text/plain' }],
  });
  expect(data[0].links[0]).toBe(LINK);
  expect(data[0].text).toContain(LINK);
});

test('the pages show list, mail, HTML and attachment, with everything escaped', async () => {
  const empty = await host.request('/mailbox');
  expect(await empty.text()).toContain('No mail yet.');
  await queue('"<b>"@test.example');
  const [mail] = await host.mails();
  const list = await host.request('/mailbox');
  const listed = await list.text();
  expect(list.headers.get('content-security-policy')).toMatch(/default-src 'none'; style-src 'sha256-/);
  expect(listed).toContain(`<a href="/mailbox/${mail?.id}">Finish setting up your account</a>`);
  expect(listed).toContain('&quot;&lt;b&gt;&quot;@test.example');
  expect(listed).not.toContain('<b>');
  const shown = await (await host.request(`/mailbox/${mail?.id}`)).text();
  expect(shown).toContain(`<a href="${LINK.replaceAll('&', '&amp;')}">`);
  expect(shown).toContain(`<a href="/mailbox/${mail?.id}/attachments/0">terms &lt;1&gt;.txt</a>`);
  const html = await host.request(`/mailbox/${mail?.id}/html`);
  expect(html.headers.get('content-security-policy')).toContain('sandbox');
  expect(await html.text()).toBe(mail?.html);
  const file = await host.request(`/mailbox/${mail?.id}/attachments/0`);
  expect(file.headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''terms%20%3C1%3E.txt`);
  expect(await file.text()).toBe('the terms');
});

test('an unknown mail is not found', async () => {
  for (const path of [
    '/mailbox/nonsense',
    '/mailbox/7f8b3ad5-5c0c-4ce7-9a54-111111111111',
    '/mailbox/x/html',
  ])
    expect((await host.request(path)).status, path).toBe(404);
});

test.each([
  ['another machine', 'http://localhost/mailbox.json', '203.0.113.9', {}],
  [
    'another machine that claims loopback',
    'http://localhost/mailbox.json',
    '203.0.113.9',
    { 'x-client-ip': '127.0.0.1' },
  ],
  [
    'a proxy on this machine',
    'http://localhost/mailbox.json',
    '127.0.0.1',
    { 'x-forwarded-for': '203.0.113.9' },
  ],
  ['a page after DNS rebinding', 'http://evil.example/mailbox.json', '127.0.0.1', {}],
])('%s gets 404 for the mailbox', async (_, url, remoteAddress, headers) => {
  await queue('first@test.example');
  const incoming = { socket: { remoteAddress }, headers };
  const answer = await host.app.request(url, { headers }, { incoming });
  expect(answer.status).toBe(404);
  expect(await answer.text()).not.toContain('first@test.example');
});

test('a program on this machine reaches the mailbox through a real socket', async () => {
  await queue('first@test.example');
  const server = serve({ fetch: host.app.fetch, port: 0, hostname: '127.0.0.1' });
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/mailbox.json`);
  const { data } = await answer.json();
  await new Promise((closed) => server.close(closed));
  expect(data).toHaveLength(1);
});

test('there is no mailbox if mails are sent by SMTP', async () => {
  const mail = createSmtpTransport('smtp://127.0.0.1:9');
  const app = createApp({ ...host.deps, mail }, host.recorder);
  expect((await app.request('/mailbox')).status).toBe(404);
  expect((await app.request('/mailbox.json')).status).toBe(404);
  mail.close();
});

test('each link is listed once and without the punctuation around it', () => {
  expect(linksIn('See https://a.example/x?y=1&z=2. And (https://b.example), https://b.example!')).toEqual([
    'https://a.example/x?y=1&z=2',
    'https://b.example',
  ]);
});

async function queue(to: string): Promise<void> {
  const mail = {
    to,
    locale: 'gb' as const,
    template: 'account-mail.onboarding' as const,
    values: { actionUrl: LINK, days: 7 },
    attachments: [
      {
        filename: 'terms <1>.txt',
        contentType: 'text/plain',
        content: new TextEncoder().encode('the terms'),
      },
    ],
  };
  await queueMail(host.db.orm, mail, host.clock.now());
}
