import { createHmac } from 'node:crypto';
import type { Deps } from '#host/http/deps';

/**
 * Number of a visitor on a UTC day (`2026-03-02`): the first 63 bits of HMAC-SHA256(salt of the day, address, user
 * agent), in decimal digits. A person has another number every day; nobody can link them once the salt is gone. From
 * then on it is null: who came on that day and is told of so late counts as a visit and not as a person, because
 * nobody can say whether that person was counted before.
 */
export type NumberVisitor = (day: string, address: string, userAgent: string) => string | null;

export interface Visitors {
  /** Gets the salts of these days ready. The first node to ask for a day makes its salt, for all nodes. */
  onDays(days: Iterable<string>): Promise<NumberVisitor>;
}

/** How long a salt may outlive its destruction in a node's memory. */
const FRESH_MS = 60_000;
const MAKE_SALT = 'insert into visit_salts (day, salt) values ($1, $2) on conflict do nothing';
const READ_SALT = 'select salt from visit_salts where day = $1';

export function createVisitors({ db, random }: Pick<Deps, 'db' | 'random'>): Visitors {
  /** Of the days asked for last, until they are stale; null where the salt is destroyed. */
  let salts: ReadonlyMap<string, Buffer | null> = new Map();
  let forgetting: NodeJS.Timeout | undefined;

  async function saltOf(day: string): Promise<Buffer | null> {
    const made = Buffer.from(random(32)).toString('base64');
    await db.query({ name: 'visit_salt_make', text: MAKE_SALT, values: [day, made] });
    const [row] = await db.query<{ salt: string }>({
      name: 'visit_salt_read',
      text: READ_SALT,
      values: [day],
    });
    if (!row) throw new Error(`the row of the salt of ${day} is gone`);
    if (!forgetting) forgetting = setTimeout(forget, FRESH_MS).unref();
    return row.salt === '' ? null : Buffer.from(row.salt, 'base64');
  }

  function forget(): void {
    salts = new Map();
    forgetting = undefined;
  }

  return {
    async onDays(days) {
      const wanted = new Map<string, Buffer | null>();
      for (const day of days) {
        const known = salts.get(day);
        wanted.set(day, known === undefined ? await saltOf(day) : known);
      }
      if (wanted.size > 0) salts = wanted;
      return (day, address, userAgent) => {
        const salt = wanted.get(day);
        if (salt === undefined) throw new Error(`no salt was asked for on ${day}`);
        if (salt === null) return null;
        const digest = createHmac('sha256', salt).update(`${address}\n${userAgent}`).digest();
        return (digest.readBigUInt64BE() >> 1n).toString();
      };
    },
  };
}

/** Day of a moment (milliseconds since the epoch) in UTC. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
