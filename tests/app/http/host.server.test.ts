import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;
/** What stands before the host's answer to a path, until the next test. */
let before: (path: string, answer: Response) => Response | Promise<Response>;

beforeAll(async () => {
  const routes = {
    '/contact': 'contact.tsx',
    '/faq': 'faq.tsx',
    '/user/settings': 'user.settings.tsx',
    '/user/qrcodes/:id/logo': 'user.qrcodes.$id.logo.ts',
  };
  website = await createTestWebsite(routes, async ({ url }, pass) =>
    before(new URL(url).pathname, await pass()),
  );
});
beforeEach(() => {
  before = (_, answer) => answer;
});
afterAll(async () => website.close());

const MESSAGE = {
  ...{ email: 'ada@typed.example', firstname: 'Ada', lastname: 'Tester' },
  ...{ subject: 'question', message: 'A long message' },
};

/** An answer whose beginning comes at once and whose end never does. */
function stalled({ status, headers }: Response): Response {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"data":')),
  });
  headers.delete('content-length');
  return new Response(body, { status, headers });
}

function later(answer: Response, ms: number): Promise<Response> {
  return new Promise((resolve) => setTimeout(resolve, ms, answer));
}

test('a page that cannot be had says when to ask again', async () => {
  const as = await website.host.account();
  await website.hostDown();
  const opened = await website.browse('/user/settings', { as });
  expect([opened.status, opened.headers.get('retry-after')]).toEqual([503, '30']);
  const posted = await website.browse('/contact', { method: 'POST', body: new URLSearchParams(MESSAGE) });
  expect([posted.status, posted.headers.get('retry-after')]).toEqual([503, '30']);
  expect(await posted.text()).toContain('A long message');
});

test('a page that is there says nothing of the kind', async () => {
  const answer = await website.browse('/user/settings', { as: await website.host.account() });
  expect([answer.status, answer.headers.has('retry-after')]).toEqual([200, false]);
});

test('an answer that stalls half way is given up like one that never began', async () => {
  const as = await website.host.account();
  const { id } = await website.host.code(as.id);
  before = (path, answer) => (path.endsWith('/logo') || path.endsWith('/profile') ? stalled(answer) : answer);
  const started = performance.now();
  const [page, picture] = await Promise.all([
    website.browse('/user/settings', { as }),
    website.browse(`/user/qrcodes/${id}/logo`, { as, headers: { accept: 'image/*' } }),
  ]);
  await Promise.all([page.text(), picture.text()]);
  expect([page.status, picture.status]).toEqual([503, 503]);
  expect(performance.now() - started).toBeLessThan(5_000);
});

test('calls that follow one another share the time of one, also when a form is refused', async () => {
  const as = await website.host.account();
  before = (path, answer) => (path.startsWith('/api/account') ? later(answer, 3_000) : answer);
  const profile = { intent: 'profile', firstName: 'Grace', lastName: 'Hopper', email: 'nonsense' };
  const started = performance.now();
  const answer = await website.browse('/user/settings', {
    method: 'POST',
    body: new URLSearchParams(profile),
    as,
  });
  expect(answer.status).toBe(503);
  expect(await answer.text()).toContain('Grace');
  expect(performance.now() - started).toBeLessThan(5_000);
});

test('a page is there though the host refuses to name who is signed in', async () => {
  const as = await website.host.account();
  const refusal = { message: 'No', status: 'error', code: 'not_found' };
  before = (path, answer) => (path.endsWith('/profile') ? Response.json(refusal, { status: 404 }) : answer);
  const answer = await website.browse('/faq', { as });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain(as.email.split('@')[0]);
});
