import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

export interface Target {
  port: number;
  slugs: string[];
  /** Path of the largest file of the website. */
  file: string;
  /** Session cookies of customers who attack. */
  cookies: string[];
  /** The attacks to begin; all if absent. */
  only?: readonly string[] | undefined;
}

export const ATTACKS = [
  'pipelined requests',
  'connections of one client',
  'slow readers',
  'half bodies',
  'abandoned ZIPs',
  'abandoned live figures',
  'imports',
  'sign-ins',
  'declarations',
  'drawings of strangers',
  'many-valued headers',
] as const;
type Attack = (typeof ATTACKS)[number];

/** What was sent by kind, and how it was answered: a status, or `closed`. */
export type Outcomes = Record<string, Record<string, number>>;

const PIPELINED = 20_000;
const CONNECTIONS = 500;
const HALF_BODIES = 50;
const SLOW_READERS = 50;
const STREAMS = 10;
const SIGN_INS_PER_SECOND = 40;
const DRAWING_LANES = 12;
const DECLARATIONS_PER_SECOND = 5;
/** The limit of uploads, 60 an hour and account, lasts for ten minutes with three accounts. */
const IMPORT_EVERY_MS = 3_400;
const IMPORT_BYTES = 5 * 1024 * 1024;
const IMPORT_ROWS = 10_000;
const TIMEOUT_MS = 30_000;

const IMPORTS = {
  'line breaks': Buffer.from(`content\n${'\n'.repeat(IMPORT_BYTES - 8)}`),
  rows: Buffer.from(`name,content,tags\n${Array.from({ length: IMPORT_ROWS }, importRow).join('')}`),
  quotes: Buffer.from(`content\n${'"'.repeat(IMPORT_BYTES - 8)}`),
};

process.once('disconnect', () => process.exit(0));
process.once('message', (target: Target) => {
  const outcomes = attack(target);
  process.once('message', () => process.send?.(outcomes, () => process.exit(0)));
  process.send?.('begun');
});

/** Begins all attacks at once; the outcomes are counted while they last. */
function attack(target: Target): Outcomes {
  const { port, slugs, file, cookies } = target;
  const address = ownAddress();
  const outcomes: Outcomes = {};
  const agent = new Agent({ keepAlive: true, maxSockets: 512 });
  const host = `localhost:${port}`;
  let turn = 0;
  const next = <Item>(items: readonly Item[]) => items[turn++ % items.length] as Item;

  function count(kind: string, outcome: string | number | undefined): void {
    const counts = outcomes[kind] ?? {};
    outcomes[kind] = counts;
    counts[outcome ?? 'closed'] = (counts[outcome ?? 'closed'] ?? 0) + 1;
  }

  /** Repeats an attack in several lanes, each round beginning `pauseMs` after the last one ended. */
  function repeat(name: Attack, lanes: number, pauseMs: number, round: () => Promise<unknown>): void {
    if (target.only?.includes(name) === false) return;
    for (let lane = 0; lane < lanes; lane += 1)
      void (async () => {
        for (;;) {
          await round();
          await delay(pauseMs);
        }
      })();
  }

  /** Sends bytes directly, as a client without a proxy, and resolves when the connection is closed or left. */
  function sendBytes(kind: string, bytes: string | Buffer, stay: (socket: Socket) => void): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(port, address);
      let status: string | undefined;
      socket.on('data', (chunk) => {
        status ??= chunk.subarray(9, 12).toString('latin1');
      });
      socket.on('error', () => undefined);
      socket.once('close', () => {
        count(kind, status);
        resolve();
      });
      socket.setTimeout(TIMEOUT_MS, () => socket.destroy());
      socket.write(bytes);
      stay(socket);
    });
  }

  /** Sends a request through the proxy, for a client with an address of its own. */
  function send(
    kind: string,
    path: string,
    { headers = {}, body = null, abandonMs }: { headers?: object; body?: Buffer | null; abandonMs?: number },
  ): Promise<string | undefined> {
    return new Promise((resolve) => {
      const options = { host: '127.0.0.1', port, agent, path, method: body ? 'POST' : 'GET' };
      const outgoing = request({
        ...options,
        headers: { host, origin: `http://${host}`, 'x-forwarded-for': networkAddress(), ...headers },
      });
      const timer = setTimeout(() => outgoing.destroy(), abandonMs ?? TIMEOUT_MS);
      const finish = (status?: number, location?: string) => {
        clearTimeout(timer);
        count(kind, status);
        resolve(location);
      };
      outgoing.on('error', () => finish());
      outgoing.on('response', (response) => {
        response.on('error', () => undefined);
        if (abandonMs === undefined) response.resume();
        response.once('close', () => finish(response.statusCode, response.headers.location));
      });
      outgoing.end(body);
    });
  }

  const sendForm = (kind: string, path: string, fields: Record<string, string>, headers: object = {}) =>
    send(kind, path, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: Buffer.from(new URLSearchParams(fields).toString()),
    });

  repeat('pipelined requests', 3, 50, () => {
    const path = next([`/r/${next(slugs)}`, file, '/', `/r/${next(slugs)}`]);
    const bytes = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(PIPELINED);
    const leavesEarly = next([true, false, false]);
    return sendBytes('pipelined requests', bytes, (socket) => {
      if (leavesEarly) socket.once('data', () => socket.destroy());
    });
  });
  repeat('connections of one client', CONNECTIONS, 1_000, () => {
    const visit = `GET /r/${next(slugs)} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    return sendBytes('connections of one client', visit, () => undefined);
  });
  repeat('slow readers', SLOW_READERS, 500, () => {
    const bytes = `GET ${file} HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(10);
    return sendBytes('slow readers', bytes, (socket) => socket.once('data', () => socket.pause()));
  });
  repeat('half bodies', HALF_BODIES, 500, () => {
    const type = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 60000';
    const head = `POST /login HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\n${type}\r\n\r\nemail=`;
    const ms = next([500, 5_000]);
    return sendBytes('half bodies', head, (socket) => setTimeout(() => socket.destroy(), ms));
  });
  repeat('abandoned ZIPs', cookies.length, 500, () => {
    const path = '/user/qrcodes/zip/download?all=1&format=png&pixels=4096';
    return send('abandoned ZIPs', path, { headers: { cookie: next(cookies) }, abandonMs: 1_500 });
  });
  repeat('abandoned live figures', STREAMS, 200, () => {
    const headers = { cookie: next(cookies), accept: 'text/event-stream' };
    return send('abandoned live figures', '/user/analytics/stream', { headers, abandonMs: 1_000 });
  });
  let hasStartedImport = false;
  repeat('imports', 1, IMPORT_EVERY_MS, async () => {
    const kind = next(Object.keys(IMPORTS) as (keyof typeof IMPORTS)[]);
    const form = new Response(formOf(IMPORTS[kind]));
    const body = Buffer.from(await form.arrayBuffer());
    const cookie = next(cookies);
    const type = form.headers.get('content-type') ?? '';
    const headers = { cookie, 'content-type': type };
    void send(`imports of ${kind}`, '/user/qrcodes/import', { headers, body }).then((report) => {
      if (report === undefined || kind !== 'rows' || hasStartedImport) return;
      hasStartedImport = true;
      return sendForm('started imports', report, { skipDuplicates: 'on' }, { cookie });
    });
  });
  repeat('sign-ins', 1, 1_000 / SIGN_INS_PER_SECOND, async () => {
    void sendForm('sign-ins', '/login', {
      email: `${next(slugs)}@guessed.example`,
      password: 'a wrong guess',
    });
  });
  repeat('declarations', 1, 1_000 / DECLARATIONS_PER_SECOND, async () => {
    const declaration = { name: 'Some Body', email: `${randomUUID()}@stranger.example`, step: 'confirm' };
    void sendForm('declarations', '/cancel-contract', { ...declaration, key: randomUUID() });
  });
  repeat('drawings of strangers', DRAWING_LANES, 50, () => {
    const fields = { type: 'text', content: `${randomUUID()} ${'x'.repeat(900)}`, style: COSTLY_LOOK };
    const design = JSON.stringify({ fields, useWhiteBackground: true });
    const body = Buffer.from(new URLSearchParams({ design }).toString());
    return send('drawings of strangers', '/create/receipt', {
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length },
      body,
    });
  });
  repeat('many-valued headers', 4, 50, () => {
    const lines = next([
      'Many: x\r\n'.repeat(190),
      'Many: x\r\n'.repeat(2_005),
      `Cookie: ${'a=b; '.repeat(2_500)}\r\n`,
      `Accept-Language: ${'zz,'.repeat(4_000)}\r\n`,
      `X-Forwarded-For: ${'192.0.2.1,'.repeat(1_200)}\r\n`,
      `Accept: ${'text/html;q=0.1,'.repeat(800)}\r\n`,
      `If-None-Match: ${'"x",'.repeat(3_000)}\r\n`,
    ]);
    const path = next(['/', `/r/${next(slugs)}`, '/login']);
    const bytes = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${lines}\r\n`;
    return sendBytes('many-valued headers', bytes, () => undefined);
  });
  return outcomes;
}

const COSTLY_LOOK = {
  moduleShape: 'dots',
  ringShape: 'leaf',
  centreShape: 'leaf',
  moduleColour: '#3a1d08',
  cornerColour: '#7a3b10',
  groundColour: '#fffaf2',
  gradient: 'on',
  gradientColour: '#0b3f7a',
  gradientAngle: '45',
  frame: 'ticket',
  caption: 'SCAN ME NOW FOR SOMETHING GOOD',
  frameColour: '#3a1d08',
};

/** IPv4 addresses of many networks, and IPv6 networks of 64 bits within a single one of 48. */
function networkAddress(): string {
  const any = (limit: number) => Math.floor(Math.random() * limit);
  if (any(2) === 0) return `2001:db8:77:${any(65_536).toString(16)}::1`;
  return `198.${18 + any(2)}.${any(256)}.${any(256)}`;
}

function importRow(_: unknown, row: number): string {
  const content = `https://destination.example/${randomUUID()}/${'x'.repeat(400)}`;
  return `Table ${row},${content},"terrace, menu ${row % 40}"\n`;
}

function formOf(file: Buffer): FormData {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(file)], { type: 'text/csv' }), 'codes.csv');
  return form;
}

/** An address of this machine that is not loopback, so that its connections count as a client's; else loopback. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}
