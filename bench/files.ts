import { randomBytes } from 'node:crypto';
import { createCookieSessionStorage } from '@remix-run/node';
import { unzipSync } from 'fflate';
import { makeFile } from '~/codes/pictures/code-files.server';
import { createDatabase } from './databases';
import { median, type Row } from './row';
import { signIn } from './statistics';
import { makeCodes } from './statistics-data';
import { openWebsite, type Website } from './website';

const CODES = 1_000;
const PIXELS = 1024;
const LABELS = 24;
const SAMPLE_MS = 100;
const YARDSTICK_FILES = 40;
const ZIP_RATE = 25;
/** Required share of the rate of a single process, which is some 40 files per second without other load. */
const BUSY_SHARE = 0.62;

/** A ZIP of a thousand codes and a label sheet, downloaded like a browser from an otherwise idle website. */
export async function benchFiles(): Promise<Row[]> {
  const database = await createDatabase();
  const [jwtSecret, sessionSecret] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const db = await database.open();
  await db.migrate();
  const accountId = await makeCodes(db, CODES);
  const token = await signIn(db, accountId, jwtSecret);
  await db.close();
  const website = await openWebsite({
    database,
    host: { JWT_SECRET: jwtSecret },
    website: { SESSION_SECRET: sessionSecret },
  });
  try {
    const headers = { cookie: await sessionCookie(token, sessionSecret), 'accept-encoding': 'identity' };
    return [...(await zipRows(website, headers)), await sheetRow(website, headers)];
  } finally {
    await website.stop();
  }
}

async function sessionCookie(token: string, secret: string): Promise<string> {
  const storage = createCookieSessionStorage<{ token: string }>({
    cookie: { name: 'session', secrets: [secret] },
  });
  const session = await storage.getSession();
  session.set('token', token);
  return (await storage.commitSession(session)).split(';')[0] ?? '';
}

async function zipRows(website: Website, headers: Record<string, string>): Promise<Row[]> {
  const address = `${website.url}/user/qrcodes/zip/download?all=1&format=png&pixels=${PIXELS}`;
  // Warm up, because what the first file loads stays in memory.
  const warm = await fetch(address, { headers });
  await warm.body?.getReader().read();
  await warm.body?.cancel().catch(() => undefined);
  const idle = (await website.usage()).megabytes;
  let most = idle;
  let isOver = false;
  const sampling = (async () => {
    while (!isOver) {
      most = Math.max(most, (await website.usage()).megabytes);
      await new Promise((sample) => setTimeout(sample, SAMPLE_MS));
    }
  })();
  const started = performance.now();
  const answer = await fetch(address, { headers });
  const reader = answer.body?.getReader();
  if (answer.status !== 200 || !reader) throw new Error(`the ZIP answered ${answer.status}`);
  const parts: Uint8Array[] = [];
  let firstByte = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    firstByte ||= performance.now() - started;
    parts.push(part.value);
  }
  const seconds = (performance.now() - started) / 1_000;
  isOver = true;
  await sampling;
  const files = Object.keys(unzipSync(Buffer.concat(parts))).filter((name) => name.endsWith('.png')).length;
  const rate = files / seconds;
  const alone = await measureSingleProcess();
  return [
    {
      what: `ZIP of ${CODES} codes as PNG of ${PIXELS} px, verified files a second`,
      figure: `${rate.toFixed(0)} (${files} files in ${seconds.toFixed(1)} s)`,
      bar: `≥ ${ZIP_RATE}, or ${BUSY_SHARE} × the yardstick on a busy machine`,
      ok: files === CODES && rate >= Math.min(ZIP_RATE, BUSY_SHARE * alone),
      yardstick: `one after the other in one process ${alone.toFixed(0)}`,
    },
    {
      what: 'ZIP, time to its first byte',
      figure: `${firstByte.toFixed(0)} ms`,
      bar: '≤ 1000 ms',
      ok: firstByte <= 1_000,
    },
    {
      what: 'ZIP, memory of the website above idle, without its drawing processes',
      figure: `${(most - idle).toFixed(0)} MB`,
      bar: '≤ 60 MB',
      ok: most - idle <= 60,
      yardstick: `idle ${idle.toFixed(0)} MB`,
    },
  ];
}

/** Files per second made by one process on its own. */
async function measureSingleProcess(): Promise<number> {
  const order = { format: 'png' as const, size: PIXELS };
  await makeFile({ ...order, payload: 'https://DESTINATION.EXAMPLE/R/00000000' });
  const started = performance.now();
  for (let n = 0; n < YARDSTICK_FILES; n += 1) {
    await makeFile({ ...order, payload: `https://DESTINATION.EXAMPLE/R/0000${1_000 + n}` });
  }
  return YARDSTICK_FILES / ((performance.now() - started) / 1_000);
}

async function sheetRow(website: Website, headers: Record<string, string>): Promise<Row> {
  const list = await (await fetch(`${website.url}/user/qrcodes?size=25`, { headers })).text();
  const ids = [...new Set(list.match(/(?<=\/user\/qrcodes\/)[\da-f]{8}-[\da-f-]{27}/g))].slice(0, LABELS);
  const query = new URLSearchParams([
    ...ids.map((id) => ['id', id]),
    ['layout', `a4-${LABELS}`],
    ['marks', 'on'],
  ]);
  const times: number[] = [];
  for (let n = 0; n < 6; n += 1) {
    const started = performance.now();
    const answer = await fetch(`${website.url}/user/qrcodes/sheet/download?${query}`, { headers });
    await answer.arrayBuffer();
    if (answer.headers.get('content-type') !== 'application/pdf')
      throw new Error(`the sheet answered ${answer.status}`);
    times.push(performance.now() - started);
  }
  const [first = 0, ...others] = times;
  const middle = median(others, (ms) => ms);
  return {
    what: `print sheet of ${ids.length} codes, each read back`,
    figure: `${middle.toFixed(0)} ms (the first ${first.toFixed(0)} ms)`,
    bar: '≤ 2000 ms',
    ok: ids.length === LABELS && Math.max(middle, first) <= 2_000,
  };
}
