import { createHmac } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deps } from '#host/http/deps';
import { withTimeout } from '#host/http/timeout';

/**
 * Number of a visitor on a UTC day (`2026-03-02`): the first 63 bits of HMAC-SHA256(salt of the day, address, user
 * agent), in decimal digits. A person has another number every day; nobody can link them once the salt is gone. From
 * then on it is null: who came on that day and is told of so late counts as a visit and not as a person, because
 * nobody can say whether that person was counted before.
 */
export type NumberVisitor = (day: string, clientIp: string, userAgent: string) => string | null;

interface Visitors {
  /** Loads the salts of these days. The first node that needs the salt of a day creates it for all nodes. */
  onDays(days: Iterable<string>): Promise<NumberVisitor>;
  /**
   * The same while the database may be slow or unreachable: uses the salts cached in this node. For a day without a
   * cached salt it generates one, which all nodes use unless another node stored one first.
   */
  onDaysAtOnce(days: Iterable<string>): Promise<NumberVisitor>;
}

interface Salt {
  /** Null once it was destroyed. */
  value: Buffer | null;
  /** False until it was compared with the one stored for all nodes. */
  isShared: boolean;
}

/** How long a node may cache a salt after it was destroyed in the database. */
const FRESH_MS = 60_000;
/** How long a visit waits for the first salt that a node loads. */
const FIRST_SALT_MS = 2_000;
const DAY_MS = 24 * 3_600_000;
/** Made ahead, so that visitors can be numbered while the database is away over midnight. */
const DAYS_AHEAD = 2;
const MAKE_SALTS = `insert into visit_salts (day, salt) select * from unnest($1::date[], $2::text[])
  on conflict do nothing`;
const READ_SALTS = 'select day::text, salt from visit_salts where day = any ($1::date[])';

/** Salts of days that are not over stay known in this node, in memory and in its folder; others for a minute. */
export function createVisitors(deps: Pick<Deps, 'db' | 'clock' | 'random' | 'visits'>): Visitors {
  const { db, clock, random } = deps;
  const file = createSaltFile(deps.visits.folder);
  let salts = new Map<string, Salt>();
  let willForget = false;

  for (const [day, value] of file.read()) salts.set(day, { value, isShared: false });
  forget();

  async function share(days: string[]): Promise<void> {
    const proposed = days.map((day) => salts.get(day)?.value ?? Buffer.from(random(32)));
    const values = [days, proposed.map((salt) => salt.toString('base64'))];
    await db.query({ name: 'visit_salts_make', text: MAKE_SALTS, values });
    const rows = await db.query<{ day: string; salt: string }>({
      name: 'visit_salts_read',
      text: READ_SALTS,
      values: [days],
    });
    for (const { day, salt } of rows) {
      salts.set(day, { value: salt === '' ? null : Buffer.from(salt, 'base64'), isShared: true });
    }
    keep();
    forgetSoon();
  }

  function forget(): void {
    willForget = false;
    const today = dayOf(clock.now().getTime());
    salts = new Map([...salts].filter(([day]) => day >= today));
    keep();
    if (salts.size > 0) forgetSoon();
  }

  function forgetSoon(): void {
    if (!willForget) setTimeout(forget, FRESH_MS).unref();
    willForget = true;
  }

  function keep(): void {
    const today = dayOf(clock.now().getTime());
    file.write([...salts].flatMap(([day, { value }]) => (value && day >= today ? [[day, value]] : [])));
  }

  function propose(day: string): void {
    if (salts.has(day) || day < dayOf(clock.now().getTime())) return;
    salts.set(day, { value: Buffer.from(random(32)), isShared: false });
    keep();
  }

  function numberVisitor(known: ReadonlyMap<string, Salt>): NumberVisitor {
    return (day, clientIp, userAgent) => {
      const salt = known.get(day)?.value;
      if (!salt) return null;
      const digest = createHmac('sha256', salt).update(`${clientIp}\n${userAgent}`).digest();
      return (digest.readBigUInt64BE() >> 1n).toString();
    };
  }

  async function onDays(days: Iterable<string>): Promise<NumberVisitor> {
    const wanted = [...days];
    if (!wanted.every((day) => salts.get(day)?.isShared)) await share(withNext(wanted, clock.now()));
    const known = new Map(wanted.map((day) => [day, salts.get(day)] as const));
    const missing = wanted.find((day) => !known.get(day));
    if (missing) throw new Error(`the row of the salt of ${missing} is gone`);
    return numberVisitor(known as Map<string, Salt>);
  }

  async function onDaysAtOnce(days: Iterable<string>): Promise<NumberVisitor> {
    const unknown = [...days].filter((day) => !salts.has(day));
    if (unknown.length > 0)
      await withTimeout(onDays(unknown), FIRST_SALT_MS).catch(() => unknown.forEach(propose));
    return numberVisitor(salts);
  }

  return { onDays, onDaysAtOnce };
}

/** These days, and today with those that follow it. */
function withNext(days: string[], now: Date): string[] {
  const ahead = Array.from({ length: DAYS_AHEAD + 1 }, (_, day) => dayOf(now.getTime() + day * DAY_MS));
  return [...new Set([...days, ...ahead])];
}

/** Day of a moment (milliseconds since the epoch) in UTC. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/**
 * Salts of today and of the days to come, so that a host which starts while the database is away can number visitors.
 * The file holds no day that is over: it is written again when one ends and whenever a host starts.
 */
function createSaltFile(folder: string) {
  const path = join(folder, 'salts.json');
  let written = '{}';

  function read(): [day: string, salt: Buffer][] {
    try {
      written = readFileSync(path, 'utf8');
      return Object.entries(JSON.parse(written) as Record<string, string>).map(([day, salt]) => [
        day,
        Buffer.from(salt, 'base64'),
      ]);
    } catch {
      return [];
    }
  }

  function write(salts: [day: string, salt: Buffer][]): void {
    const text = JSON.stringify(
      Object.fromEntries(salts.map(([day, salt]) => [day, salt.toString('base64')])),
    );
    if (text === written) return;
    written = text;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(`${path}.part`, text, { mode: 0o600 });
      chmodSync(`${path}.part`, 0o600);
      renameSync(`${path}.part`, path);
    } catch {
      // Without it, visits of a start without the database count as visits and not as persons.
      written = '{}';
    }
  }

  return { read, write };
}
