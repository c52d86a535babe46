import { createHmac } from 'node:crypto';
import type { Deps } from '#host/http/deps';

/**
 * Number of a visitor on a UTC day (`2026-03-02`): the first 63 bits of HMAC-SHA256(salt of the day, address, user
 * agent), in decimal digits. A person has another number every day; nobody can link them once the salt is gone.
 */
export type NumberVisitor = (day: string, address: string, userAgent: string) => string;

export interface Visitors {
  /** Gets the salts of these days ready. The first node to ask for a day makes its salt, for all nodes. */
  onDays(days: Iterable<string>): Promise<NumberVisitor>;
}

const MAKE_SALT = 'insert into visit_salts (day, salt) values ($1, $2) on conflict do nothing';
const READ_SALT = 'select salt from visit_salts where day = $1';

export function createVisitors({ db, random }: Pick<Deps, 'db' | 'random'>): Visitors {
  /** Of the days asked for last; a day nobody asks for any more is forgotten here too. */
  let salts: ReadonlyMap<string, Buffer> = new Map();

  async function saltOf(day: string): Promise<Buffer> {
    const made = Buffer.from(random(32)).toString('base64');
    await db.query({ name: 'visit_salt_make', text: MAKE_SALT, values: [day, made] });
    const [row] = await db.query<{ salt: string }>({
      name: 'visit_salt_read',
      text: READ_SALT,
      values: [day],
    });
    if (!row) throw new Error('the salt was destroyed while it was read');
    return Buffer.from(row.salt, 'base64');
  }

  return {
    async onDays(days) {
      const wanted = new Map<string, Buffer>();
      for (const day of days) wanted.set(day, salts.get(day) ?? (await saltOf(day)));
      if (wanted.size > 0) salts = wanted;
      return (day, address, userAgent) => {
        const salt = wanted.get(day);
        if (!salt) throw new Error(`no salt was asked for on ${day}`);
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
