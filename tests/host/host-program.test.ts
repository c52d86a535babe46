import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { EmbeddedPostgres } from '../../runtime/postgres/postgres.mjs';
import { bundledProgram } from '../support/bundled-program';
import { startHostProcess } from '../support/host-process';
import { sendRaw } from '../support/raw-request';

vi.setConfig({ testTimeout: 120_000 });

const place = mkdtempSync(join(tmpdir(), 'program-'));
const DATA_DIR = join(place, 'data');
let EMBEDDED_DATABASE_URL: string;
let database: EmbeddedPostgres;
const PUBLIC_URL = 'https://quadrille.example';
const ALLOWED = {
  ALLOW_SANDBOX_PAYMENTS: '1',
  ALLOW_UNSENT_MAIL: '1',
  ALLOW_OPEN_MAILBOX: '1',
  ALLOW_GENERATED_SECRETS: '1',
};

beforeAll(async () => {
  // The user of PostgreSQL passes through.
  chmodSync(place, 0o755);
  database = await EmbeddedPostgres.prepare(join(place, 'server'), { isDisposable: true });
  await database.start();
  EMBEDDED_DATABASE_URL = database.url;
});
afterAll(async () => {
  await database.stop();
  rmSync(place, { recursive: true });
});

function openToOthers(): string[] {
  const names = readdirSync(DATA_DIR, { recursive: true, withFileTypes: true });
  const paths = [DATA_DIR, ...names.map(({ parentPath, name }) => join(parentPath, name))];
  return paths.filter((path) => (statSync(path).mode & 0o077) !== 0);
}

test('a publicly reachable host does not start with default settings', async () => {
  const start = startHostProcess({ PUBLIC_URL, DATA_DIR });
  await expect(start).rejects.toThrow(
    /SANDBOX[\s\S]*UNSENT_MAIL[\s\S]*OPEN_MAILBOX[\s\S]*JWT_SECRET[\s\S]*INTERNAL_SECRET/,
  );
});

test.each<[string, (folder: string) => void, RegExp]>([
  [
    'DATA_DIR is a file',
    (folder) => writeFileSync(folder, ''),
    /^DATA_DIR cannot be used \(E\w+: .*\): choose another folder, or remove the file in its place\n$/,
  ],
  [
    'DATA_DIR is within a file',
    (folder) => writeFileSync(dirname(folder), ''),
    /^DATA_DIR cannot be used \(ENOTDIR: .*\): choose another folder, or remove the file in its place\n$/,
  ],
  [
    'a secret is lost',
    (folder) => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'jwt-secret'), '');
    },
    /^\/.*\/jwt-secret holds no secret: restore it from a backup; .*\n$/,
  ],
])('if %s, a host ends with one line that says what to do', async (reason, prepare, line) => {
  const folder = join(place, reason, 'data');
  if (reason !== 'DATA_DIR is within a file') mkdirSync(dirname(folder));
  prepare(folder);
  const env = { HOST_PORT: '0', NODE_ENV: 'test', DATA_DIR: folder } as const;
  const run = promisify(execFile)(process.execPath, bundledProgram('host/server.ts'), { env });
  const failed = await run.catch((error: { code: number; stdout: string; stderr: string }) => error);
  expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(line) });
});

test.each(['JWT_SECRET', 'INTERNAL_SECRET'])(
  'a host that is given its secrets, except %s, needs DATA_DIR for it',
  async (missing) => {
    const folder = join(place, `without ${missing}`);
    writeFileSync(folder, '');
    const secrets = { JWT_SECRET: 'j'.repeat(32), INTERNAL_SECRET: 'i'.repeat(32), [missing]: '' };
    const start = startHostProcess({ DATA_DIR: join(folder, 'data'), ...secrets });
    await expect(start).rejects.toThrow('DATA_DIR cannot be used');
  },
);

test('a public host has private files, refuses unknown host names, and sends HSTS', async () => {
  const SHORT_URL = 'https://q.example';
  const first = await startHostProcess({
    PUBLIC_URL,
    SHORT_URL,
    DATA_DIR,
    EMBEDDED_DATABASE_URL,
    ...ALLOWED,
  });
  expect(openToOthers()).toEqual([]);
  const ask = (line: string, host: string) => sendRaw(first.port, line, `Host: ${host}`, 'Connection: close');
  for (const line of ['GET /r/AAAAAAAA HTTP/1.1', 'GET /openapi.json HTTP/1.1', 'GET /nothing HTTP/1.1']) {
    expect((await ask(line, 'evil.example')).status).toBe(421);
    expect((await ask(line, 'quadrille.example')).head).toContain(
      'Strict-Transport-Security: max-age=63072000; includeSubDomains',
    );
  }
  expect((await ask('GET /readyz HTTP/1.1', '10.0.0.7')).status).toBe(200);
  expect((await ask('GET /l/A/B HTTP/1.1', 'q.example')).head).toContain(`Location: ${PUBLIC_URL}/l/A/B`);
  expect((await ask('GET /b/AAAAAAAA HTTP/1.1', 'q.example')).head).not.toContain('Location: ');
  await first.stop('SIGTERM');

  chmodSync(DATA_DIR, 0o755);
  chmodSync(join(DATA_DIR, 'jwt-secret'), 0o666);
  const second = await startHostProcess({
    PUBLIC_URL,
    DATA_DIR,
    EMBEDDED_DATABASE_URL,
    ...ALLOWED,
    HSTS_SUBDOMAINS: 'off',
  });
  expect(openToOthers()).toEqual([]);
  const { head } = await sendRaw(
    second.port,
    'GET /livez HTTP/1.1',
    'Host: quadrille.example',
    'Connection: close',
  );
  expect(head).toMatch(/Strict-Transport-Security: max-age=63072000\r\n/);
  await second.stop('SIGTERM');
});

test.each([{ PUBLIC_URL }, { SHORT_URL: PUBLIC_URL }, { HOST_PUBLIC_URL: PUBLIC_URL }])(
  'the demo, whose password is well known, does not start with %j',
  async (settings) => {
    const [file = '', ...args] = [process.execPath, ...bundledProgram('host/demo.ts')];
    const folder = join(place, 'demo');
    const env = { NODE_ENV: 'test', HOST_PORT: '0', DATA_DIR: folder, ...ALLOWED, ...settings } as const;
    const run = promisify(execFile)(file, args, { env });
    await expect(run).rejects.toThrow(`other machines may not reach it at ${PUBLIC_URL}`);
    expect(existsSync(join(folder, 'visits'))).toBe(false);
  },
);

test('a host without a database says so in one sentence', async () => {
  await expect(startHostProcess({ DATA_DIR: join(place, 'alone') })).rejects.toThrow(
    /^the host ended: There is no database: set DATABASE_URL, or start with "npm start" or "npm run start:host", which run one\.\n$/,
  );
});
