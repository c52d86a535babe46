import { hash } from 'node:crypto';
import { DAY_MS, utcDay } from '#contract/time';
import { withTimeout } from '#host/db/timeout';
import type { Deps } from '#host/http/deps';
import { SaltFile } from './salt-file';

/**
 * Hash of a visitor on a UTC day (`2026-03-02`): the first 63 bits of SHA-256(salt of the day, IP address, user agent),
 * in decimal digits. An HMAC would take three times as long, and only guards digests that are passed on in full. The hash
 * differs every day, and those of different days cannot be linked once the salts are destroyed. Null if the salt already
 * is: a visit that arrives so late counts as a visit but not as a visitor, because nobody can tell any more whether that
 * visitor was counted before.
 */
export type HashVisitor = (day: string, clientIp: string, userAgent: string) => string | null;

interface Salt {
  /** 256 random bits in base64; null once destroyed. */
  value: string | null;
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
export class VisitorSalts {
  readonly #db: Deps['db'];
  readonly #clock: Deps['clock'];
  readonly #random: Deps['random'];
  readonly #file: SaltFile;
  #salts = new Map<string, Salt>();
  #isEvictionScheduled = false;
  #isSharingAhead = false;

  constructor(deps: Pick<Deps, 'db' | 'clock' | 'random' | 'visits'>) {
    this.#db = deps.db;
    this.#clock = deps.clock;
    this.#random = deps.random;
    this.#file = new SaltFile(deps.visits.folder);
    for (const [day, value] of this.#file.read()) this.#salts.set(day, { value, isShared: false });
    this.#evictPastDays();
  }

  /** The first node that needs the salt of a day creates it for all nodes. */
  async load(days: Iterable<string>): Promise<HashVisitor> {
    const wanted = [...days];
    const all = withNextDays(wanted, this.#clock.now());
    if (!this.#areShared(wanted)) await this.#share(all);
    else if (!this.#areShared(all)) this.#shareAhead(all);
    const known = new Map(wanted.map((day) => [day, this.#salts.get(day)] as const));
    const missing = wanted.find((day) => !known.get(day));
    if (missing) throw new Error(`no salt is stored for ${missing}`);
    return hasherFor(known as Map<string, Salt>);
  }

  /**
   * For when the database is slow or down: uses the salts cached in this node. For a day without one it generates a
   * salt, which all nodes will use unless another node stored one first.
   */
  async loadOffline(days: Iterable<string>): Promise<HashVisitor> {
    const unknown = [...days].filter((day) => !this.#salts.has(day));
    if (unknown.length > 0)
      await withTimeout(this.load(unknown), FIRST_SALT_MS).catch(() => this.#propose(unknown));
    return hasherFor(this.#salts);
  }

  async #share(days: string[]): Promise<void> {
    const proposed = days.map((day) => this.#salts.get(day)?.value ?? this.#makeSalt());
    const values = [days, proposed];
    await this.#db.query({ name: 'visit_salts_make', text: CREATE_SALTS, values });
    const rows = await this.#db.query<{ day: string; salt: string }>({
      name: 'visit_salts_read',
      text: READ_SALTS,
      values: [days],
    });
    for (const { day, salt } of rows) {
      this.#salts.set(day, { value: salt || null, isShared: true });
    }
    this.#save();
    this.#scheduleEviction();
  }

  #evictPastDays(): void {
    this.#isEvictionScheduled = false;
    const today = utcDay(this.#clock.now());
    this.#salts = new Map([...this.#salts].filter(([day]) => day >= today));
    this.#save();
    if (this.#salts.size > 0) this.#scheduleEviction();
  }

  #scheduleEviction(): void {
    if (!this.#isEvictionScheduled) setTimeout(() => this.#evictPastDays(), CACHE_MS).unref();
    this.#isEvictionScheduled = true;
  }

  #save(): void {
    const today = utcDay(this.#clock.now());
    this.#file.write(
      [...this.#salts].flatMap(([day, { value }]) => (value && day >= today ? [[day, value]] : [])),
    );
  }

  #propose(days: string[]): void {
    const today = utcDay(this.#clock.now());
    for (const day of days.filter((one) => !this.#salts.has(one) && one >= today))
      this.#salts.set(day, { value: this.#makeSalt(), isShared: false });
    this.#save();
  }

  #makeSalt(): string {
    return Buffer.from(this.#random(32)).toString('base64');
  }

  #areShared(days: string[]): boolean {
    return days.every((day) => this.#salts.get(day)?.isShared);
  }

  /** If it fails, the next visit retries. */
  async #shareAhead(days: string[]): Promise<void> {
    if (this.#isSharingAhead) return;
    this.#isSharingAhead = true;
    await this.#share(days).catch(() => undefined);
    this.#isSharingAhead = false;
  }
}

function withNextDays(days: string[], now: Date): string[] {
  const ahead = Array.from({ length: DAYS_AHEAD + 1 }, (_, day) => utcDay(now.getTime() + day * DAY_MS));
  return [...new Set([...days, ...ahead])];
}

function hasherFor(known: ReadonlyMap<string, Salt>): HashVisitor {
  return (day, clientIp, userAgent) => {
    const salt = known.get(day)?.value;
    if (!salt) return null;
    // As text, because making a buffer takes longer than the digest.
    const digest = hash('sha256', `${salt}\n${clientIp}\n${userAgent}`);
    return (BigInt(`0x${digest.slice(0, 16)}`) >> 1n).toString();
  };
}
