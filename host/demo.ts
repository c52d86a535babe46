import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createAccount, grantAccess } from '#host/accounts/accounts.store';
import { hashPassword } from '#host/accounts/passwords';
import { insertCode } from '#host/codes/codes.store';
import { makeSlug } from '#host/codes/slugs';
import { type Database, openEmbedded } from '#host/db/client';
import { countEngagement, type EngagementRow } from '#host/engagements/engagements.store';
import { type HostEnv, readEnv, visitStorageOf } from '#host/env';
import { createLog } from '#host/http/log';
import { findCredentials } from '#host/sessions/sessions.store';
import { readAgent } from '#host/visits/classify';
import { createVisitRecorder, type VisitRecorder } from '#host/visits/recorder';
import type { Visit } from '#host/visits/visit';

/** A sample account for trying the product: `npm run demo` makes it in a data folder of its own, `npm start` never. */
const EMAIL = 'demo@quadrille.example';
const PASSWORD = 'squared paper 8x8';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 90;
const ENGAGED_EVERY = 4;

const SAMPLES = [
  { type: 'link', content: 'https://example.com/menu', logoPreset: 'coffee.svg', perDay: 24, act: 'report' },
  { type: 'link', content: 'https://example.com/spring-sale?from=poster', logoPreset: 'cart.svg', perDay: 9 },
  {
    type: 'text',
    content: 'Table 12: ring twice, the kitchen is upstairs.',
    logoPreset: null,
    perDay: 3,
    act: 'copy',
  },
  {
    type: 'email',
    content: 'hello@example.com',
    subject: 'A question',
    logoPreset: 'mail.svg',
    perDay: 2,
    act: 'write',
  },
  { type: 'wifi', content: 'WIFI:T:WPA;S:Guests;P:welcome-in-2026;;', logoPreset: 'wifi.svg', perDay: 0 },
  { type: 'link', content: 'https://example.com/draft', logoPreset: null, perDay: 0, visibility: 'private' },
] as const;

const AGENTS = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
];

await makeDemo();

async function makeDemo(): Promise<void> {
  const env = readEnv();
  if (env.DATABASE_URL) throw new Error('The demo keeps to the embedded database; unset DATABASE_URL');
  const folder = join(env.DATA_DIR, 'database');
  mkdirSync(folder, { recursive: true });
  const db = await openEmbedded(folder);
  await db.migrate();
  if (!(await findCredentials(db.orm, EMAIL))) await fill(db, env);
  await db.close();
  process.stdout.write(`\nSample account: ${EMAIL}\nPassword:       ${PASSWORD}\n\n`);
}

async function fill(db: Database, env: HostEnv): Promise<void> {
  const now = new Date();
  const accountId = randomUUID();
  const createdAt = new Date(now.getTime() - DAYS * DAY_MS);
  const passwordHash = await hashPassword(PASSWORD);
  await createAccount(db.orm, {
    id: accountId,
    email: EMAIL,
    passwordHash,
    firstName: 'Ada',
    lastName: 'Byron',
    createdAt,
  });
  const accessUntil = new Date(now.getTime() + 365 * DAY_MS);
  await grantAccess(db.orm, accountId, { plan: 'basic_yearly', status: 'active', accessUntil });
  const recorder = createVisitRecorder({
    db,
    log: createLog('demo', 'warn'),
    clock: { now: () => new Date() },
    random: (bytes) => randomBytes(bytes),
    visits: visitStorageOf(env),
  });
  for (const [position, sample] of SAMPLES.entries()) {
    const codeId = randomUUID();
    const at = new Date(createdAt.getTime() + position * 60_000);
    const { perDay, act, ...content } = { act: null, ...sample };
    await insertCode(db.orm, {
      visibility: 'public',
      ...content,
      id: codeId,
      accountId,
      slug: makeSlug((bytes) => randomBytes(bytes)),
      useWhiteBackground: true,
      createdAt: at,
      updatedAt: at,
    });
    // A destination reports from its first day on: with that, the visitors of later days count as measured.
    for (const days of [
      [DAYS - 1, DAYS - 1],
      [DAYS - 2, 0],
    ] as const) {
      await visit(recorder, codeId, perDay, now, days);
      if (act) await engage(db, codeId, act);
    }
  }
  await recorder.close();
}

/**
 * A steady trickle with weekends and a slow rise, by people, a robot now and then, and link previews; between two days,
 * told by how long ago they are.
 */
async function visit(
  recorder: VisitRecorder,
  codeId: string,
  perDay: number,
  now: Date,
  [first, last]: readonly [first: number, last: number],
): Promise<void> {
  const visits: Visit[] = [];
  for (let day = first; day >= last; day -= 1) {
    const midnight = Math.floor(now.getTime() / DAY_MS - day) * DAY_MS;
    const isWeekend = [0, 6].includes(new Date(midnight).getUTCDay());
    const count = Math.round(perDay * (isWeekend ? 1.6 : 1) * (1 + (DAYS - day) / DAYS));
    for (let n = 0; n < count; n += 1) {
      const at = midnight + dayTime(n, count);
      if (at < now.getTime()) visits.push(sampleVisit(codeId, at, n));
    }
  }
  await Promise.all(visits.map((each) => recorder.record(each)));
  await recorder.idle();
}

/** Some visitors of a page act on it, and some destinations tell what theirs did. */
async function engage(db: Database, codeId: string, kind: EngagementRow['kind']): Promise<void> {
  const visitors = await db.query<{ day: string; visitor: string }>({
    name: '',
    text: 'select day::text, visitor::text from visitor_days where code_id = $1 order by day, visitor',
    values: [codeId],
  });
  for (const person of visitors.filter((_, n) => n % ENGAGED_EVERY === 0)) {
    await countEngagement(db, { codeId, ...person, kind });
  }
}

/** Milliseconds since midnight: from seven to eleven at night, most of them at eleven and at seven. */
function dayTime(n: number, count: number): number {
  const part = (n + 0.5) / Math.max(1, count);
  return Math.round((7 + 16 * (part + 0.06 * Math.sin(4 * Math.PI * part))) * HOUR_MS);
}

function sampleVisit(codeId: string, at: number, n: number): Visit {
  const userAgent = AGENTS[n % AGENTS.length] as string;
  const isRobot = n % 17 === 16;
  return {
    codeId,
    at,
    source: n % 5 === 4 ? 'click' : 'scan',
    class: isRobot ? 'bot' : n % 23 === 22 ? 'preview' : 'human',
    outcome: 'served',
    agent: readAgent(userAgent),
    language: ['en', 'fr', 'de', 'es', 'it'][n % 5] as string,
    country: '',
    address: `192.0.2.${(n * 7) % 250}`,
  };
}
