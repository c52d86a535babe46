import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { asWebsite } from '../../support/internal-key';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;
/** Intercepts the host's response to a path until the next test. */
let before: (path: string, answer: Response, request: Request) => Response | Promise<Response>;

beforeAll(async () => {
  const routes = {
    '/contact': 'site/contact-page.tsx',
    '/create': 'codes/create/page.tsx',
    '/faq': 'site/faq-page.tsx',
    '/login': 'account/sign-in/page.tsx',
    '/user/settings': 'account/settings/page.tsx',
    '/user/qrcodes/:id/logo': 'codes/code/logo-route.ts',
  };
  website = await createTestWebsite(routes, async (request, pass) =>
    before(new URL(request.url).pathname, await pass(), request),
  );
});
beforeEach(() => {
  before = (_, answer) => answer;
});
afterAll(async () => website.close());

const MESSAGE = {
  email: 'ada@typed.example',
  firstname: 'Ada',
  lastname: 'Tester',
  subject: 'question',
  message: 'A long message',
};

/** A promise that the test resolves. */
function signal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { give, given };
}

/** A response that starts at once but never ends; `onRead` is called once its start has been read. */
function stalled({ status, headers }: Response, onRead: () => void): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"data":')),
      pull: onRead,
    },
    { highWaterMark: 1 },
  );
  headers.delete('content-length');
  return new Response(body, { status, headers });
}

/** Freezes the website's clock, which then only the test advances. */
function stopClock() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

/** Whether a response is still pending after `ms` milliseconds. */
async function isWaiting(answer: Promise<unknown>, ms: number): Promise<boolean> {
  await vi.advanceTimersByTimeAsync(ms);
  const turn = new Promise<true>((resolve) => setImmediate(resolve, true));
  return Promise.race([answer.then(() => false), turn]);
}

test('an unavailable page has a Retry-After header', async () => {
  const as = await website.host.account();
  await website.hostDown();
  const opened = await website.browse('/user/settings', { as });
  expect([opened.status, opened.headers.get('retry-after')]).toEqual([503, '30']);
  const posted = await website.browse('/contact', { method: 'POST', body: new URLSearchParams(MESSAGE) });
  expect([posted.status, posted.headers.get('retry-after')]).toEqual([503, '30']);
  expect(await posted.text()).toContain('A long message');
});

test('an available page has no Retry-After header', async () => {
  const answer = await website.browse('/user/settings', { as: await website.host.account() });
  expect([answer.status, answer.headers.has('retry-after')]).toEqual([200, false]);
});

test.each(['/user/settings', '/user/qrcodes/:id/logo'])(
  'a stalled response to %s times out like one that never started',
  async (route) => {
    const as = await website.host.account();
    const { id } = await website.host.code(as.id);
    const arrived = signal();
    before = (path, answer) =>
      path.endsWith('/logo') || path.endsWith('/profile') ? stalled(answer, arrived.give) : answer;
    stopClock();
    const answer = website.browse(route.replace(':id', id), { as });
    await arrived.given;
    expect(await isWaiting(answer, 4_400)).toBe(true);
    await vi.advanceTimersByTimeAsync(100);
    expect((await answer).status).toBe(503);
  },
);

test('consecutive calls share one timeout, also when a form is refused', async () => {
  const as = await website.host.account();
  const [saving, showing, saved] = [signal(), signal(), signal()];
  before = async (path, answer) => {
    if (!path.startsWith('/api/account')) return answer;
    if (answer.status === 422) {
      saving.give();
      await saved.given;
      return answer;
    }
    showing.give();
    return stalled(answer, () => {});
  };
  stopClock();
  const fields = { intent: 'profile', firstName: 'Grace', lastName: 'Hopper', email: 'nonsense' };
  const answer = website.browse('/user/settings', {
    method: 'POST',
    body: new URLSearchParams(fields),
    as,
  });
  await saving.given;
  expect(await isWaiting(answer, 3_000)).toBe(true);
  saved.give();
  await showing.given;
  expect(await isWaiting(answer, 1_400)).toBe(true);
  await vi.advanceTimersByTimeAsync(100);
  const page = await answer;
  expect(page.status).toBe(503);
  expect(await page.text()).toContain('Grace');
});

test('a call with a file has a longer timeout, as a decoding process may have to start', async () => {
  const as = await website.host.account();
  const [creating, created] = [signal(), signal()];
  before = async (path, answer) => {
    if (path !== '/api/qrcodes') return answer;
    creating.give();
    await created.given;
    return answer;
  };
  const png = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  stopClock();
  const body = new FormData();
  for (const [name, value] of Object.entries({ type: 'link', content: 'https://logo.example/' }))
    body.set(name, value);
  body.set('logo', new File([new Uint8Array(png)], 'mark.png', { type: 'image/png' }));
  const answer = website.browse('/create', { method: 'POST', body, as });
  await creating.given;
  expect(await isWaiting(answer, 8_000)).toBe(true);
  created.give();
  expect((await answer).status).toBe(303);
});

test('a wrong password is not mistaken for an ended session and signs nobody out', async () => {
  const as = await website.host.account();
  const body = new URLSearchParams({ email: as.email, password: 'not the password' });
  const answer = await website.browse('/login', { method: 'POST', body });
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []]);
});

test("every call carries the visitor's IP address, the request id and the website's key", async () => {
  const received: Headers[] = [];
  before = (_, answer, { headers }) => {
    received.push(headers);
    return answer;
  };
  const headers = {
    'x-socket-address': '192.0.2.7',
    'x-client-ip': '10.0.0.1',
    'x-request-id': 'a-request-1',
    'user-agent': 'A Browser',
  };
  const answer = await website.browse('/user/settings', { as: await website.host.account(), headers });
  expect(answer.headers.get('x-request-id')).toBe('a-request-1');
  expect(received).toHaveLength(3);
  for (const one of received) {
    expect(Object.fromEntries(one)).toMatchObject({
      'x-client-ip': '192.0.2.7',
      'x-request-id': 'a-request-1',
      'user-agent': 'A Browser',
      ...asWebsite,
    });
  }
});

test('a page is served even if the host refuses the profile', async () => {
  const as = await website.host.account();
  const refusal = { message: 'No', status: 'error', code: 'not_found' };
  before = (path, answer) => (path.endsWith('/profile') ? Response.json(refusal, { status: 404 }) : answer);
  const answer = await website.browse('/faq', { as });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain(as.email.split('@')[0]);
});
