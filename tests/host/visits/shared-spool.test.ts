import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeLine } from '#host/visits/spool/lines';
import { answer, batchNamed, openStandaloneSpool, sendAll, sendNext, spoolFilesIn } from './spool-fixture';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spool-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const openSpool = () => openStandaloneSpool(folder);
const spoolFiles = () => spoolFilesIn(folder);

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
  const line = writeLine({ lane: randomUUID(), number: 1, ...batchNamed('second') });
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
