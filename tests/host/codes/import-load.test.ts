import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readUploadedImport } from '#host/codes/import/pool';
import { readImport } from '#host/codes/import/report';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { importCalls } from './import-calls';
import { RULES } from './read-import';

const COLUMNS = 100;
const WIDE = [
  `url${',x'.repeat(COLUMNS - 1)}`,
  ...Array.from({ length: 10_000 }, (_, n) => `https://a.example/${n}${',ab'.repeat(COLUMNS - 1)}`),
].join('\n');

describe('while files are imported', () => {
  let host: TestHost;
  let account: TestAccount;

  beforeAll(async () => {
    host = await createTestHost();
  });
  beforeEach(async () => {
    account = await host.account();
  });
  afterAll(() => host.close());

  const { upload } = importCalls(() => ({ host, account }));

  /** Uploads a file; `longest` is for how many milliseconds nothing else could be done meanwhile. */
  async function measureUpload(file: string) {
    const delays = monitorEventLoopDelay({ resolution: 2 });
    delays.enable();
    const answer = await upload(file);
    await new Promise(setImmediate);
    delays.disable();
    return { ...answer, longest: delays.max / 1e6 };
  }

  test('everything else goes on, although reading them on this thread would take long', async () => {
    // The first file also waits for its process, which is compiled on this thread.
    await upload('url\nhttps://a.example/\n');
    const began = performance.now();
    readImport({ bytes: Buffer.from(WIDE), rules: RULES, tagKeys: [] });
    const reading = performance.now() - began;
    const wide = await measureUpload(WIDE);
    expect(wide.data).toMatchObject({ rows: 10_000, valid: 10_000 });
    const lines = await measureUpload(`url\n${'\n'.repeat(5_240_000)}x`);
    expect(lines).toMatchObject({ status: 422, errors: { file: ['import_too_many_rows'] } });
    expect(Math.max(wide.longest, lines.longest)).toBeLessThan(reading / 2);
  });

  test('an account may have two waiting, and other accounts get their turn', async () => {
    const file = 'url\nhttps://a.example/\n';
    const other = await host.account();
    const own = Array.from({ length: 8 }, () => upload(file));
    const others = await upload(file, 'a.csv', other.token);
    const statuses = (await Promise.all(own)).map(({ status }) => status);
    expect(others.status).toBe(201);
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThanOrEqual(2);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(1);
    expect(new Set(statuses)).toEqual(new Set([201, 429]));
  });
});

test.each([
  [
    'too much of a processor',
    { cpuMs: 1, timeoutMs: 60_000 },
    { code: 'invalid', fields: { file: ['import_too_complex'] } },
  ],
  [
    'too long on a busy machine',
    { cpuMs: 60_000, timeoutMs: 1 },
    { code: 'unavailable', retryAfterSeconds: 10 },
  ],
])(
  'a file that takes %s is given up, which is logged, and the next one is read',
  async (_, limits, refusal) => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    const uploader = { account: randomUUID(), networks: ['192.0.2.1'] };
    const read = (file: string, ...rest: (typeof limits)[]) =>
      readUploadedImport({ bytes: Buffer.from(file), rules: RULES, tagKeys: [] }, uploader, log, ...rest);
    await expect(read(WIDE, limits)).rejects.toMatchObject(refusal);
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
      'a file to import was given up: too much time or memory',
    ]);
    expect(await read('url\nhttps://a.example/\n')).toMatchObject({ report: { valid: 1 } });
  },
);
