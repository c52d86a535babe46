import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openLiveStream } from '#host/statistics/live-stream';
import { readEvents } from './events';

const HEARTBEAT_MS = 20_000;

let isAllowed: boolean;
let ends: number;

beforeEach(() => {
  vi.useFakeTimers();
  [isAllowed, ends] = [true, 0];
});
afterEach(() => vi.useRealTimers());

function open() {
  const stream = openLiveStream({
    heartbeatMs: HEARTBEAT_MS,
    now: () => new Date(),
    isAllowed: async () => isAllowed,
    onEnd: () => {
      ends += 1;
    },
  });
  return { stream, events: readEvents(stream.body) };
}

/** The names of the events that arrive while `happens` runs. */
async function readWhile(events: ReturnType<typeof readEvents>, happens: () => Promise<unknown>) {
  const names: string[] = [];
  (async () => {
    for (let event = await events.next(); event; event = await events.next()) names.push(event.name);
  })();
  await happens();
  return names;
}

test('browsers are told to reconnect after three seconds', async () => {
  const stream = openLiveStream({
    heartbeatMs: HEARTBEAT_MS,
    now: () => new Date(),
    isAllowed: async () => true,
    onEnd: () => undefined,
  });
  const { value } = await stream.body.getReader().read();
  expect(new TextDecoder().decode(value)).toMatch(/^retry: 3000\n\nevent: ready\n/);
});

test('at most four events a second are sent, however often figures change', async () => {
  const { stream, events } = open();
  const names = await readWhile(events, async () => {
    for (let turn = 0; turn < 299; turn += 1) {
      stream.notify();
      await vi.advanceTimersByTimeAsync(10);
    }
  });
  expect(names).toEqual(['ready', ...Array.from({ length: 12 }, () => 'visits')]);
});

test('changes while nobody reads are sent as one event', async () => {
  const { stream, events } = open();
  for (let turn = 0; turn < 1_000; turn += 1) {
    stream.notify();
    await vi.advanceTimersByTimeAsync(30);
  }
  expect(await readWhile(events, () => vi.advanceTimersByTimeAsync(1_000))).toEqual(['ready', 'visits']);
});

test('the stream of a reader that reads nothing for three heartbeats is closed', async () => {
  const { events } = open();
  await vi.advanceTimersByTimeAsync(2 * HEARTBEAT_MS);
  expect(ends).toBe(0);
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
  expect(ends).toBe(1);
  expect(await readWhile(events, () => vi.advanceTimersByTimeAsync(1_000))).toEqual(['ready']);
});

test('the first change is sent at once, and the next after a quarter of a second', async () => {
  const { stream, events } = open();
  expect((await events.next())?.name).toBe('ready');
  stream.notify();
  const first = await readWhile(events, () => vi.advanceTimersByTimeAsync(0));
  expect(first).toEqual(['visits']);
  stream.notify();
  await vi.advanceTimersByTimeAsync(249);
  expect(first).toEqual(['visits']);
  await vi.advanceTimersByTimeAsync(1);
  expect(first).toEqual(['visits', 'visits']);
  // Nothing is left to be sent.
  await vi.advanceTimersByTimeAsync(1_000);
  expect(first).toEqual(['visits', 'visits']);
});

test('a reader that reads in time may be slow for three heartbeats again', async () => {
  const { events } = open();
  await vi.advanceTimersByTimeAsync(2 * HEARTBEAT_MS);
  expect((await events.next())?.name).toBe('ready');
  // The comment of this heartbeat is not read, nor are the next two sent.
  await vi.advanceTimersByTimeAsync(3 * HEARTBEAT_MS);
  expect(ends).toBe(0);
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
  expect(ends).toBe(1);
});

test('a reader that keeps reading gets a comment at each heartbeat', async () => {
  const { events } = open();
  for (let beat = 0; beat < 5; beat += 1) {
    expect(await events.next()).toMatchObject({ name: beat === 0 ? 'ready' : '' });
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
  }
  expect(ends).toBe(0);
});

test('the stream ends at the first heartbeat after its listener loses access', async () => {
  const { stream, events } = open();
  await events.next();
  isAllowed = false;
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
  expect(await events.next()).toEqual({ name: '', data: '' });
  expect(await events.next()).toBeNull();
  stream.notify();
  stream.end();
  expect(ends).toBe(1);
});

test('a reader that disconnects is removed at once', async () => {
  const { stream, events } = open();
  await events.next();
  await events.leave();
  expect(ends).toBe(1);
  stream.notify();
  await vi.advanceTimersByTimeAsync(4 * HEARTBEAT_MS);
  expect(vi.getTimerCount()).toBe(0);
});
