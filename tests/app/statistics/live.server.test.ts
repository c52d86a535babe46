import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { EXPORT_LIMIT } from '#contract/exports';
import { requireUser } from '~/http/guards.server';
import type { UserScope } from '~/http/scope.server';
import { readScope } from '~/http/scope.server';
import { signInCookie } from '~/http/session.server';
import * as downloads from '~/statistics/exports.server';
import { streamUpdates } from '~/statistics/live.server';
import { readEvents } from '../../host/statistics/events';
import type { TestAccount, TestHost } from '../../support/host';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;
let host: TestHost;
let stop: AbortController;

beforeAll(async () => {
  website = await createTestWebsite({});
  ({ host } = website);
});
afterAll(() => website.close());
beforeEach(() => {
  stop = new AbortController();
  globalThis.liveStop = stop.signal;
});

/** The host's response with a file that breaks off in the middle of a line. */
function brokenFile(): Response {
  let parts = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      parts += 1;
      if (parts === 1) controller.enqueue(new TextEncoder().encode('id,type\r\nabc,li'));
      else controller.error(new Error('the host went away'));
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/csv' } });
}

/** A browser that requests the stream and can disconnect. */
async function browse(account: TestAccount | null, { path = '/user/analytics/stream', method = 'GET' } = {}) {
  const leaving = new AbortController();
  const cookie = account && (await signInCookie(account.token, false)).split(';')[0];
  const headers = new Headers(cookie ? { cookie } : {});
  const request = new Request(`http://localhost${path}`, { method, headers, signal: leaving.signal });
  return { leaving, args: { request, context: {} } };
}

async function listen(account: TestAccount) {
  const { leaving, args } = await browse(account);
  const answer = await streamUpdates(await readScope(args));
  return { leaving, answer, events: readEvents(answer.body) };
}

test('a scan at the host is pushed to the browser without being buffered on the way', async () => {
  const account = await host.account();
  const code = await host.code(account.id);
  const { answer, events, leaving } = await listen(account);
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': expect.stringContaining('text/event-stream'),
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  expect((await events.next())?.name).toBe('ready');
  await host.request(`/r/${code.slug}`);
  expect((await events.next())?.name).toBe('visits');
  leaving.abort();
});

test('when a browser disconnects, the host drops it, too, and the response ends without an error', async () => {
  const account = await host.account();
  const pages = await Promise.all(Array.from({ length: 5 }, () => listen(account)));
  for (const { events } of pages) expect((await events.next())?.name).toBe('ready');
  for (const { leaving } of pages) leaving.abort();
  for (const { events } of pages) expect(await events.next()).toBeNull();
  const isTaken = async () => {
    const { events, leaving } = await listen(account);
    const first = await events.next();
    leaving.abort();
    return first?.name ?? '';
  };
  await expect.poll(isTaken).toBe('ready');
});

test('when the website stops, it ends its streams', async () => {
  const { events } = await listen(await host.account());
  expect((await events.next())?.name).toBe('ready');
  stop.abort();
  expect(await events.next()).toBeNull();
});

test('without a session, a subscription or its own code, a browser is told not to reconnect', async () => {
  const ended = await host.account();
  await host.request('/api/account/logout', { method: 'POST', token: ended.token });
  const foreign = await host.code((await host.account()).id);
  const path = `/user/analytics/stream?code=${foreign.id}`;
  const askers = [
    await browse(null),
    await browse(ended),
    await browse(await host.account({ access: false })),
    await browse(await host.account(), { path }),
    await browse(await host.account(), { method: 'HEAD' }),
  ];
  const answers = await Promise.all(askers.map(async ({ args }) => streamUpdates(await readScope(args))));
  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
  expect(answers.map(({ headers }) => headers.get('set-cookie'))).toEqual([null, null, null, null, null]);
});

test('a browser that must wait is told to reconnect later', async () => {
  const account = await host.account();
  const pages = await Promise.all(Array.from({ length: 5 }, () => listen(account)));
  const sixth = await streamUpdates(await readScope((await browse(account)).args));
  expect([sixth.status, await sixth.text()]).toEqual([200, 'retry: 30000\n\n']);
  for (const { leaving } of pages) leaving.abort();
});

test('downloads are named with the day, and an invalid filter redirects to the page', async () => {
  const account = await host.account({ access: false });
  const { content } = await host.code(account.id);
  const codes = await downloads.downloadCodes(await requireUser((await browse(account)).args));
  expect(codes.headers.get('content-disposition')).toMatch(
    /^attachment; filename="codes-\d{4}-\d\d-\d\d\.csv"$/,
  );
  expect(await codes.text()).toContain(content);
  const { args } = await browse(account, {
    path: '/user/analytics/daily.csv?period=7&from=&colour=red',
  });
  const days = await downloads.downloadFigures(await requireUser(args), 'daily.csv');
  expect(days.headers.get('content-disposition')).toContain('filename="daily-2');
  expect((await days.text()).trim().split('\r\n')).toHaveLength(8);
  const wrong = await browse(account, { path: '/user/analytics/daily.csv?period=8' });
  const redirect = await downloads
    .downloadFigures(await requireUser(wrong.args), 'daily.csv')
    .catch((thrown: Response) => thrown);
  expect([redirect.status, redirect.headers.get('location')]).toEqual([303, '/user/analytics?period=8']);
});

test('a file of the host that breaks off is an error for the browser too, not a shorter file', async () => {
  const account = await host.account();
  const { downloadFigures, downloadCodes } = downloads;
  const downloadVisits = (user: UserScope) => downloadFigures(user, 'visits.csv');
  for (const download of [downloadVisits, downloadCodes]) {
    const { args } = await browse(account, { path: '/user/analytics/daily.csv?period=7' });
    vi.spyOn(globalThis, 'fetch').mockResolvedValueOnce(brokenFile());
    const file = await download(await requireUser(args));
    expect(file.status).toBe(200);
    await expect(file.text()).rejects.toThrow('the host went away');
  }
});

test('after too many files, both lead to the page, which says when the next may be downloaded', async () => {
  const account = await host.account();
  const days = () => browse(account, { path: '/user/analytics/daily.csv?period=7' });
  for (let file = 0; file < EXPORT_LIMIT.files; file += 1) {
    const { args } = await days();
    await (await downloads.downloadFigures(await requireUser(args), 'daily.csv')).text();
  }
  const locationOf = async (refused: Promise<Response>) => {
    const { status, headers } = await refused.catch((thrown: Response) => thrown);
    expect(status).toBe(303);
    return headers.get('location');
  };
  const { args } = await days();
  expect(await locationOf(downloads.downloadFigures(await requireUser(args), 'daily.csv'))).toMatch(
    /^\/user\/analytics\?period=7&again=\d+$/,
  );
  const codes = downloads.downloadCodes(await requireUser((await browse(account)).args));
  expect(await locationOf(codes)).toMatch(/^\/user\/analytics\?again=\d+$/);
});

test('while the host is down, a browser is told to reconnect later', async () => {
  const account = await host.account();
  const { args } = await browse(account);
  await website.hostDown();
  const answer = await streamUpdates(await readScope(args));
  expect([answer.status, await answer.text()]).toEqual([200, 'retry: 30000\n\n']);
});

test('a data request gets no stream, as its response must end', async () => {
  const { args } = await browse(await host.account());
  args.request.headers.set('x-data-request', '1');
  expect((await streamUpdates(await readScope(args))).status).toBe(204);
});
