import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSpool, type Spool } from '#host/visits/spool';
import { writeLine } from '#host/visits/spool-lines';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spool-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const openSpool = () =>
  createSpool({ visits: { folder, spoolBytes: 1024 ** 2, knownCodes: 10 }, log: pino({ level: 'silent' }) });
const spoolFiles = () => readdirSync(folder).map((name) => join(folder, name));
const answer = (spool: Spool, visits: string) => spool.add({ size: 1, at: 0, visits: `[0,["${visits}"]]` });

/** Acknowledges the next chunk; returns its visits. */
async function sendNext(spool: Spool): Promise<string[]> {
  const chunk = await spool.next();
  chunk?.acknowledge();
  return chunk?.batches.flatMap(({ visits }) => JSON.parse(visits)[1]) ?? [];
}

async function sendAll(spool: Spool): Promise<string[]> {
  const sent: string[] = [];
  for (let some = await sendNext(spool); some.length > 0; some = await sendNext(spool)) sent.push(...some);
  return sent;
}

test('visits that a process writes after another has taken over its file are sent', async () => {
  const [writer, other] = [openSpool(), openSpool()];
  await answer(writer, 'first');
  await other.claimStale();
  await answer(writer, 'second');
  expect(await sendNext(other)).toEqual(['first']);
  await answer(writer, 'third');
  expect(await sendAll(other)).toEqual(['second', 'third']);
  expect(spoolFiles()).toEqual([]);
  await Promise.all([writer.close(), other.close()]);
});

test('a line that was half written when its file was taken over is sent once complete', async () => {
  const [writer, other] = [openSpool(), openSpool()];
  await answer(writer, 'first');
  const [path = ''] = spoolFiles();
  const line = writeLine({ lane: 'of-the-writer', number: 1, size: 1, at: 0, visits: '[0,["second"]]' });
  appendFileSync(path, line.slice(0, 30));
  await other.claimStale();
  expect(await sendNext(other)).toEqual(['first']);
  appendFileSync(path, line.slice(30));
  expect(await sendAll(other)).toEqual(['second']);
  await Promise.all([writer.close(), other.close()]);
});

test('a process sends what it wrote to a removed file, before what it wrote later', async () => {
  const writer = openSpool();
  await answer(writer, 'first');
  for (const path of spoolFiles()) rmSync(path);
  await answer(writer, 'second');
  expect(await sendAll(writer)).toEqual(['first', 'second']);
  await writer.close();
  expect(spoolFiles()).toEqual([]);
});
