import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { call, dataOf, Id } from '#contract/call';
import { INTERNAL_KEYS } from '../../support/internal-key';
import { scopeOf } from '../../support/scope';

vi.stubEnv('HOST_URL', 'http://host.example:4000');
vi.stubEnv('SESSION_SECRET', 'a secret of the tests that is long enough');
vi.stubEnv('LOG_LEVEL', 'silent');
const { callHost, fetchHost, isUnavailable, proxyFile, streamHost } = await import('~/http/host.server');
const { HostError } = await import('~/http/host-error.server');

const ID = '4c6f0000-0000-4000-8000-000000000000';
const TOKEN = { token: 'a token' };
const named = { name: 'things', summary: '', access: 'user', errors: [] } as const;
const Thing = dataOf(z.object({ size: z.number() }));
const read = call({
  ...named,
  method: 'GET',
  path: '/api/things/{id}',
  response: Thing,
  params: z.object({ id: Id }),
  query: z.object({ page: z.number().optional(), search: z.string().optional() }),
});
const look = call({ ...named, method: 'GET', path: '/api/look', access: 'public', response: Thing });
const change = call({ ...named, method: 'PUT', path: '/api/things', body: z.unknown(), response: Thing });
const search = call({ ...change, method: 'POST', safe: true });
const send = call({ ...named, method: 'POST', path: '/api/files', form: z.unknown() });

/** What was requested from the host, which gives the next of these answers to each request. */
let requests: Request[];
let answers: (() => Response | Promise<Response>)[];

beforeEach(() => {
  requests = [];
  answers = [];
  vi.stubGlobal('fetch', async (url: URL, init: RequestInit) => {
    requests.push(new Request(url, init));
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    return answer?.() ?? Response.json({ data: { size: requests.length } });
  });
});
afterAll(() => vi.unstubAllGlobals());

const visit = (init: RequestInit = {}) => scopeOf(new Request('http://localhost/page', init));
const thrownBy = (calling: Promise<unknown>) =>
  calling.then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  );
/** A body that breaks off after this part of it. */
function half(part: string): ReadableStream<Uint8Array> {
  const parts = [new TextEncoder().encode(part)];
  return new ReadableStream({
    pull: (controller) => {
      const next = parts.shift();
      if (next) controller.enqueue(next);
      else controller.error(new Error('broken off'));
    },
  });
}
const sizeOf = async (calling: Promise<{ data: { size: number } }>) => (await calling).data.size;

test('a call goes to its path with its query, as the account', async () => {
  await callHost(await visit(), read, { params: { id: ID }, query: { page: 2, search: 'a&b' }, ...TOKEN });
  await callHost(await visit(), read, { params: { id: ID }, query: { page: undefined }, ...TOKEN });
  await callHost(await visit({ headers: { 'user-agent': 'A Browser' } }), look, {});
  expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    `GET http://host.example:4000/api/things/${ID}?page=2&search=a%26b`,
    `GET http://host.example:4000/api/things/${ID}`,
    'GET http://host.example:4000/api/look',
  ]);
  const [first, , last] = requests.map(({ headers }) => Object.fromEntries(headers));
  expect(first).toMatchObject({
    authorization: 'Bearer a token',
    accept: 'application/json',
    'x-internal-key': INTERNAL_KEYS[0],
  });
  expect([first?.['user-agent'], last?.['user-agent']]).toEqual(['', 'A Browser']);
  expect(first).not.toHaveProperty('content-type');
  expect(last).not.toHaveProperty('authorization');
});

test('a body is sent as JSON, a form with its files', async () => {
  await callHost(await visit(), change, { body: { a: 1 }, ...TOKEN });
  const form = new FormData();
  form.set('logo', new File(['bytes'], 'logo.png'));
  await fetchHost(await visit(), send, { form, ...TOKEN });
  const [json, multipart] = requests;
  expect([json?.headers.get('content-type'), await json?.text()]).toEqual(['application/json', '{"a":1}']);
  expect(multipart?.headers.get('content-type')).toMatch(/^multipart\/form-data; boundary=/);
  expect(await multipart?.text()).toContain('filename="logo.png"');
});

test('what an account reads several times for one page is requested once, until it may have changed', async () => {
  const page = await visit();
  const of = { params: { id: ID }, ...TOKEN };
  expect(await Promise.all([1, 2].map(() => sizeOf(callHost(page, read, of))))).toEqual([1, 1]);
  expect(await sizeOf(callHost(page, read, { ...of, query: { page: 2 } }))).toBe(2);
  await callHost(page, search, { body: {}, ...TOKEN });
  expect(await sizeOf(callHost(page, read, of))).toBe(1);
  await callHost(page, change, { body: {}, ...TOKEN });
  expect(await sizeOf(callHost(page, read, of))).toBe(5);
  expect(await sizeOf(callHost(await visit(), read, of))).toBe(6);
});

test('an invalid id is not found, and no request is made', async () => {
  const thrown = await thrownBy(callHost(await visit(), read, { params: { id: '../other' }, ...TOKEN }));
  expect(thrown).toMatchObject({ name: 'HostError', status: 404, code: 'not_found' });
  expect(requests).toEqual([]);
});

test('a refusal has the status, the code, the errors and the delay that the host gave', async () => {
  const body = { message: 'No', status: 'error', code: 'rate_limited', errors: { email: ['odd'] } };
  answers = [() => Response.json(body, { status: 429, headers: { 'retry-after': '15' } })];
  const page = await visit();
  const thrown = await thrownBy(callHost(page, change, { body: {}, ...TOKEN }));
  expect(thrown).toBeInstanceOf(HostError);
  expect(thrown).toMatchObject({
    message: 'No',
    status: 429,
    code: 'rate_limited',
    errors: { email: ['odd'] },
    retryAfterSeconds: 15,
  });
  expect(page.retryAfterSeconds).toBe(15);
});

test('a refusal that cannot be read is named by its status', async () => {
  const page = await visit();
  answers = [() => new Response('<html>', { status: 403 }), () => Response.json([], { status: 409 })];
  for (const status of [403, 409]) {
    const thrown = await thrownBy(callHost(page, look, {}));
    expect(thrown).toMatchObject({ status, code: String(status), errors: {}, retryAfterSeconds: undefined });
  }
  expect(page.retryAfterSeconds).toBeUndefined();
});

test.each<[string, () => Response | Promise<Response>]>([
  ['fails', () => new Response('', { status: 500 })],
  ['breaks its contract', () => Response.json({ data: { size: 'large' } })],
  ['answers with no JSON', () => new Response('<html>')],
  ['answers with half of its JSON', () => new Response('{"data":{"size":1')],
  ['breaks off after half of its JSON', () => new Response(half('{"data":{"size":1'))],
  ['breaks off after all of its JSON', () => new Response(half('{"data":{"size":1}}'))],
  ['breaks off within a refusal', () => new Response(half('{"code":"not_f'), { status: 404 })],
  ['cannot be reached', () => Promise.reject(new TypeError('fetch failed'))],
])('if the host %s, the page is unavailable and returns what was typed', async (_, answer) => {
  answers = [answer];
  const page = await visit({ headers: { 'x-request-id': 'a-request-1' } });
  expect(await thrownBy(callHost(page, look, {}))).toMatchObject({ data: { submitted: null } });
  page.submitted = [['email', 'a@b.example']];
  const thrown = await thrownBy(callHost(page, look, {}));
  expect(thrown).toMatchObject({
    data: { submitted: [['email', 'a@b.example']], requestId: 'a-request-1' },
    init: { status: 503, headers: { 'Retry-After': '30' } },
  });
  expect(isUnavailable(thrown)).toBe(true);
});

test.each([
  [null],
  [undefined],
  ['text'],
  [new Response(null, { status: 404 })],
  [{ init: null }],
  [{ init: { status: 404 } }],
])('%j does not mean that the host is unavailable', (thrown) => {
  expect(isUnavailable(thrown)).toBe(false);
});

test('a token that is no longer valid leads to the login; without one the call is refused', async () => {
  answers = [() => Response.json({ message: 'No', status: 'error' }, { status: 401 })];
  const ended = await thrownBy(callHost(await visit(), look, TOKEN));
  expect((ended as Response).headers.get('location')).toBe('/login?next=%2Fpage');
  expect(await thrownBy(callHost(await visit(), look, {}))).toMatchObject({ name: 'HostError', status: 401 });
});

test('a redirect of the host is returned, not followed', async () => {
  answers = [() => new Response(null, { status: 302, headers: { location: 'https://pay.example/' } })];
  const answer = await fetchHost(await visit(), look, {});
  expect([answer.status, answer.headers.get('location')]).toEqual([302, 'https://pay.example/']);
  expect(requests[0]?.redirect).toBe('manual');
});

test('if the browser disconnects, the call is aborted', async () => {
  const leaving = new AbortController();
  answers = [
    () =>
      new Promise((_, reject) => {
        requests[0]?.signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
  ];
  const calling = thrownBy(callHost(await visit({ signal: leaving.signal }), look, {}));
  await expect.poll(() => requests.length).toBe(1);
  leaving.abort();
  expect(requests[0]?.signal.aborted).toBe(true);
  expect(isUnavailable(await calling)).toBe(true);
});

/** A body that never ends by itself; it breaks if its request is aborted, as that of a real response does. */
function endless(): Response {
  const signal = requests.at(-1)?.signal;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('first'));
      signal?.addEventListener('abort', () => controller.error(new Error('aborted')));
    },
  });
  return new Response(body, { status: 200, headers: { 'content-type': 'text/event-stream' } });
}

test.each(['the browser disconnects', 'it is stopped'])(
  'a stream ends without an error if %s',
  async (why) => {
    answers = [endless];
    const [leaving, stop] = [new AbortController(), new AbortController()];
    const answer = await streamHost(await visit({ signal: leaving.signal }), look, {}, stop.signal);
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    const reader = answer.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first');
    (why === 'it is stopped' ? stop : leaving).abort();
    expect(await reader?.read()).toMatchObject({ done: true });
  },
);

test('a stream whose browser left before it began ends at once', async () => {
  answers = [endless];
  const stop = AbortSignal.abort();
  const reader = (await streamHost(await visit(), look, {}, stop)).body?.getReader();
  expect(await reader?.read()).toMatchObject({ done: true });
  expect(requests[0]?.signal.aborted).toBe(true);
});

test('a stream that breaks at the host breaks for the browser, too', async () => {
  answers = [
    () => new Response(new ReadableStream({ pull: (controller) => controller.error(new Error('broken')) })),
  ];
  const answer = await streamHost(await visit(), look, {});
  await expect(answer.text()).rejects.toThrow('broken');
});

test('a stream that ends at the host ends for the browser, and one that the browser drops ends at the host', async () => {
  answers = [() => new Response('all of it')];
  expect(await (await streamHost(await visit(), look, {})).text()).toBe('all of it');
  const dropped = vi.fn();
  answers = [() => new Response(new ReadableStream({ cancel: dropped }))];
  await (await streamHost(await visit(), look, {})).body?.cancel('gone');
  expect(dropped.mock.calls).toEqual([['gone']]);
});

test('a refused stream is a refusal like any other', async () => {
  answers = [() => Response.json({ message: 'No', status: 'error', code: 'not_found' }, { status: 404 })];
  expect(await thrownBy(streamHost(await visit(), look, {}))).toMatchObject({
    status: 404,
    code: 'not_found',
  });
});

test('a file that breaks off at the host is not handed out in part', async () => {
  answers = [() => new Response(half('%PDF-1.3'), { headers: { 'content-type': 'application/pdf' } })];
  expect(isUnavailable(await thrownBy(fetchHost(await visit(), look, {})))).toBe(true);
  answers = [() => new Response(half('first'))];
  const { body } = await streamHost(await visit(), look, {});
  const reader = body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first');
  await expect(reader?.read()).rejects.toThrow('broken off');
});

test('a success without content is passed on', async () => {
  answers = [() => new Response(null, { status: 204 })];
  const answer = await fetchHost(await visit(), look, {});
  expect([answer.status, answer.body]).toEqual([204, null]);
});

test('an image of the host is passed on with headers of its own', async () => {
  const headers = { 'content-type': 'image/png', 'set-cookie': 'a=1' };
  const file = await proxyFile(Promise.resolve(new Response('bytes', { headers })), 'private, max-age=60');
  expect([file.status, await file.text()]).toEqual([200, 'bytes']);
  expect(Object.fromEntries(file.headers)).toEqual({
    'content-type': 'image/png',
    'cache-control': 'private, max-age=60',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  });
  const unnamed = await proxyFile(Promise.resolve(new Response(new Uint8Array(1))), 'no-store');
  expect(unnamed.headers.get('content-type')).toBe('application/octet-stream');
});

test('a refused image has the status of the refusal and no body; other failures are passed on', async () => {
  const refusal = new HostError(404, { message: '', status: 'error' });
  const file = await proxyFile(Promise.reject(refusal), 'no-store');
  expect([file.status, file.body]).toEqual([404, null]);
  const redirect = new Response(null, { status: 303 });
  await expect(proxyFile(Promise.reject(redirect), 'no-store')).rejects.toBe(redirect);
});
