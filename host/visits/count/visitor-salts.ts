import { createHmac } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS, utcDay } from '#contract/time';
import { withTimeout } from '#host/db/timeout';
import type { Deps } from '#host/http/deps';

/**
 * Hash of a visitor on a UTC day (`2026-03-02`): the first 63 bits of HMAC-SHA256(salt of the day, IP address, user
 * agent), in decimal digits. It differs every day, and the hashes of different days cannot be linked once the salts are
 * destroyed. Null if the salt already is: a visit that arrives so late counts as a visit but not as a visitor, because
 * nobody can tell any more whether that visitor was counted before.
 */
export type HashVisitor = (day: string, clientIp: string, userAgent: string) => string | null;

interface VisitorSalts {
  /** The first node that needs the salt of a day creates it for all nodes. */
  load(days: Iterable<string>): Promise<HashVisitor>;
  /**
   * For when the database is slow or down: uses the salts cached in this node. For a day without one it generates a
   * salt, which all nodes will use unless another node stored one first.
   */
  loadOffline(days: Iterable<string>): Promise<HashVisitor>;
}

interface Salt {
  /** Null once destroyed. */
  value: Buffer | null;
  /** Whether it is the one stored for all nodes. */
  isShared: boolean;
}

/** How long a node may use a salt after it was destroyed in the database. */
const CACHE_MS = 60_000;
/** How long a visit waits for the first salt that a node loads. */
const FIRST_SALT_MS = 2_000;
/** Salts created in advance, so that visitors can be hashed if the database is down over midnight. */
const DAYS_AHEAD = 2;
const CREATE_SALTS = `insert into visit_salts (day, salt) select * from unnest($1::date[], $2::text[])
  on conflict do nothing`;
const READ_SALTS = 'select day::text, salt from visit_salts where day = any ($1::date[])';

/** Caches the salts of today and later in memory and in a file, and those of earlier days for a minute. */
export function createVisitorSalts(deps: Pick<Deps, 'db' | 'clock' | 'random' | 'visits'>): VisitorSalts {
  const { db, clock, random } = deps;
  const file = createSaltFile(deps.visits.folder);
  let salts = new Map<string, Salt>();
  let isEvictionScheduled = false;
  let isSharingAhead = false;

  for (const [day, value] of file.read()) salts.set(day, { value, isShared: false });
  evictPastDays();

  async function share(days: string[]): Promise<void> {
    const proposed = days.map((day) => salts.get(day)?.value ?? Buffer.from(random(32)));
    const values = [days, proposed.map((salt) => salt.toString('base64'))];
    await db.query({ name: 'visit_salts_make', text: CREATE_SALTS, values });
    const rows = await db.query<{ day: string; salt: string }>({
      name: 'visit_salts_read',
      text: READ_SALTS,
      values: [days],
    });
    for (const { day, salt } of rows) {
      salts.set(day, { value: salt === '' ? null : Buffer.from(salt, 'base64'), isShared: true });
    }
    save();
    scheduleEviction();
  }

  function evictPastDays(): void {
    isEvictionScheduled = false;
    const today = utcDay(clock.now());
    salts = new Map([...salts].filter(([day]) => day >= today));
    save();
    if (salts.size > 0) scheduleEviction();
  }

  function scheduleEviction(): void {
    if (!isEvictionScheduled) setTimeout(evictPastDays, CACHE_MS).unref();
    isEvictionScheduled = true;
  }

  function save(): void {
    const today = utcDay(clock.now());
    file.write([...salts].flatMap(([day, { value }]) => (value && day >= today ? [[day, value]] : [])));
  }

  function propose(day: string): void {
    if (salts.has(day) || day < utcDay(clock.now())) return;
    salts.set(day, { value: Buffer.from(random(32)), isShared: false });
    save();
  }

  function hasherFor(known: ReadonlyMap<string, Salt>): HashVisitor {
    return (day, clientIp, userAgent) => {
      const salt = known.get(day)?.value;
      if (!salt) return null;
      const digest = createHmac('sha256', salt).update(`${clientIp}\n${userAgent}`).digest();
      return (digest.readBigUInt64BE() >> 1n).toString();
    };
  }

  function areShared(days: string[]): boolean {
    return days.every((day) => salts.get(day)?.isShared);
  }

  /** If it fails, the next visit retries. */
  async function shareAhead(days: string[]): Promise<void> {
    if (isSharingAhead) return;
    isSharingAhead = true;
    await share(days).catch(() => undefined);
    isSharingAhead = false;
  }

  async function load(days: Iterable<string>): Promise<HashVisitor> {
    const wanted = [...days];
    const all = withNextDays(wanted, clock.now());
    if (!areShared(wanted)) await share(all);
    else if (!areShared(all)) shareAhead(all);
    const known = new Map(wanted.map((day) => [day, salts.get(day)] as const));
    const missing = wanted.find((day) => !known.get(day));
    if (missing) throw new Error(`no salt is stored for ${missing}`);
    return hasherFor(known as Map<string, Salt>);
  }

  async function loadOffline(days: Iterable<string>): Promise<HashVisitor> {
    const unknown = [...days].filter((day) => !salts.has(day));
    if (unknown.length > 0)
      await withTimeout(load(unknown), FIRST_SALT_MS).catch(() => unknown.forEach(propose));
    return hasherFor(salts);
  }

  return { load, loadOffline };
}

function withNextDays(days: string[], now: Date): string[] {
  const ahead = Array.from({ length: DAYS_AHEAD + 1 }, (_, day) => utcDay(now.getTime() + day * DAY_MS));
  return [...new Set([...days, ...ahead])];
}

/**
 * Salts of today and later, so that a host that starts while the database is down can hash visitors. The file is
 * rewritten when a day ends and when a host starts, so it holds no past days.
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
      // Without the file, visits after a start without the database count as visits but not as visitors.
      written = '{}';
    }
  }

  return { read, write };
}
