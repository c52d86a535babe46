import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

const SECRET = 'only-this-browser-knows-it';

let host: TestHost;
let lines: string[] = [];

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  host = await createTestHost({ log });
});
beforeEach(() => {
  lines = [];
});
afterAll(() => host.close());

const answered = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'answered');

test.each([
  ['a call', 'GET', '/livez', 200],
  ['a call that is refused', 'GET', '/api/dashboard/overview', 401],
  ['a call whose query is read', 'GET', '/api/drafts/00000000-0000-4000-8000-000000000000', 404],
  ['an unknown path', 'GET', '/nowhere', 404],
  ['a body that is refused', 'POST', '/api/account/forgot-password', 422],
])(
  'the log line of %s has its path and status, and nothing of its query',
  async (_, method, path, status) => {
    const body = method === 'POST' ? { email: SECRET } : undefined;
    await send(host, method, `${path}?visitor=${SECRET}&token=${SECRET}`, body, {
      headers: { cookie: `session=${SECRET}`, authorization: `Bearer ${SECRET}` },
    });
    expect(answered()).toMatchObject([
      { method, path, status, ms: expect.any(Number), requestId: expect.any(String) },
    ]);
    expect(lines.join('')).not.toContain(SECRET);
  },
);

test.each(['r', 'l', 'e', 'b'])('nothing of the query of a visit under /%s is logged', async (kind) => {
  const { slug } = await host.code((await host.account()).id, { type: 'text', content: 'Hello' });
  await host.request(`/${kind}/${slug}?from=${SECRET}`, {
    headers: { referer: `https://a.example/?${SECRET}` },
  });
  expect(lines.join('')).not.toContain(SECRET);
});
