import fc from 'fast-check';
import { expect } from 'vitest';
import type { Client } from './client';
import { expectNoFaults, faultsOf } from './judgement';
import { EFFORT, SEED } from './seed';
import { parseResponse, statusesOf, wireRequests } from './wire';

/** The first request of a connection and those that may wait for it. */
const MOST_AT_ONCE = 17;
/** Connections between the programs that are kept for later requests. */
const KEPT_OPEN = 25;
/** The beginnings of bodies whose rest never comes. */
const HALF_BODIES = [
  'Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n{"half":',
  'Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 60000\r\n\r\n--x\r\n',
  'Transfer-Encoding: chunked\r\n\r\nffff\r\nx=',
];

function runs(number: number) {
  return { seed: SEED, numRuns: Math.ceil(number * EFFORT), endOnFailure: true };
}

/** Sends near-valid HTTP, and checks each response. */
export async function fuzzBytes(client: Client, paths: string[], number: number): Promise<void> {
  const property = fc.asyncProperty(wireRequests(paths), async (text) => {
    const got = parseResponse(await client.sendBytes(Buffer.from(text, 'latin1')));
    if (got) expectNoFaults({ text }, got, faultsOf(got, []));
  });
  await fc.assert(property, runs(number));
}

/**
 * Sends several requests at once over a connection, valid ones or not, and leaves some without waiting for the responses,
 * or before the body of the last one is complete.
 * All valid ones are answered in order unless there are too many, and in the end nothing is left open.
 */
export async function fuzzPipelines(
  client: Client,
  paths: string[],
  number: number,
  openFiles: () => number,
): Promise<void> {
  const lone = new Map<string, number>();
  for (const path of paths) {
    const { status } = await client.send({ method: 'GET', path, headers: { host: 'localhost' }, body: null });
    lone.set(path, status);
  }
  const before = openFiles();
  const requests = fc.array(
    fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom(...paths) },
      { weight: 1, arbitrary: wireRequests(paths).map((text) => ({ text })) },
    ),
    { minLength: 2, maxLength: 20 },
  );
  const leaving = fc.constantFrom('at the end', 'at the end', 'at once', 'at the first byte');
  const halves = fc.tuple(fc.constantFrom(...paths), fc.constantFrom(...HALF_BODIES));
  const property = fc.asyncProperty(requests, leaving, halves, async (sent, leaves, [path, half]) => {
    const texts = sent.map((one, place) => {
      const last = place === sent.length - 1 ? 'Connection: close\r\n' : '';
      if (typeof one === 'string') return `GET ${one} HTTP/1.1\r\nHost: localhost\r\n${last}\r\n`;
      return place === sent.length - 1 ? one.text : one.text.replace('Connection: close', 'Connection: te');
    });
    if (leaves === 'at once') texts.splice(-1, 1, `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${half}`);
    const bytes = Buffer.from(texts.join(''), 'latin1');
    if (leaves !== 'at the end') return client.abandon(bytes, leaves === 'at the first byte');
    const received = await client.sendBytes(bytes);
    const statuses = statusesOf(received);
    const first = parseResponse(received);
    if (first) expectNoFaults({ texts }, first, faultsOf({ ...first, text: received }, []));
    expect(statuses.filter((status) => status >= 500, received)).toEqual([]);
    if (sent.every((one) => typeof one === 'string') && sent.length <= MOST_AT_ONCE)
      expect(statuses, texts.join('')).toEqual(sent.map((path) => lone.get(path)));
  });
  await fc.assert(property, runs(number));
  await expect.poll(openFiles).toBeLessThan(before + KEPT_OPEN);
}
