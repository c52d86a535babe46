import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { Connection, Database } from '#host/db/client';
import { hasCode, type Orm, readRows, UNDEFINED_TABLE } from '#host/db/orm';
import { OtherInstallation } from '#host/db/starting';
import type { Deps } from '#host/http/deps';
import { listSnapshotSlugs } from '#host/visits/resolve/snapshot';
import { holdsVisits } from './files';

/** Recognises the database that the codes and visits in the folder of this host belong to, by an id in both. */
export interface Installation {
  /** Rejects with `OtherInstallation` if the connection leads to another database. */
  verify(connection: Connection): Promise<void>;
  /** The same for a database that is opened, also if the files are of a release without ids. */
  recognize(db: Pick<Database, 'query'>): Promise<void>;
  /** Keeps the id of a recognised and migrated database, which gets one if it has none. */
  keep(orm: Orm): Promise<void>;
}

interface Held {
  slugs: string[];
  isEmpty: boolean;
}

const READ = 'select id from installation';
const CREATE = sql`insert into installation (id) values (gen_random_uuid()) on conflict do nothing`;
const KNOWS = 'select exists (select from codes where slug = any ($1::text[])) as "isKnown"';
const HAS_CODES = 'select exists (select from codes) as "isKnown"';
const READ_TIMEOUT_MS = 3_000;
/** How many codes of the snapshot are looked up. */
const MAX_SLUGS = 1_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function createInstallation({ visits, log }: Pick<Deps, 'visits' | 'log'>): Installation {
  const { folder } = visits;
  const path = join(folder, 'installation');
  let own = read();
  let isKept = false;
  let held: Promise<Held> | undefined;

  function read(): string | null {
    try {
      const id = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
      return UUID.test(id) ? id : null;
    } catch (error) {
      log.warn({ err: error }, 'the id of the installation could not be read');
      return null;
    }
  }

  function write(id: string): void {
    const part = `${path}.${randomUUID()}.part`;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(part, `${id}\n`, { mode: 0o600, flush: true });
      renameSync(part, path);
    } catch (error) {
      log.warn({ err: error }, 'the id of the installation could not be written');
    }
  }

  /** What the folder contains before the database is recognised. */
  function findHeld(): Promise<Held> {
    held ??= readHeld(folder);
    return held;
  }

  async function verify(connection: Connection): Promise<void> {
    if (own === null) return;
    const found = await readId(connection);
    if (found === own) return;
    // An id without any code or visit protects nothing.
    if (!isKept && (await findHeld()).isEmpty) own = null;
    else throw otherInstallation(folder, own, found);
  }

  async function recognize({ query }: Pick<Database, 'query'>): Promise<void> {
    const connection: Connection = {
      query: async ({ text, values }) => ({ rows: await query({ name: '', text, values }) }),
    };
    await verify(connection);
    if (own !== null) return;
    const { slugs, isEmpty } = await findHeld();
    if (isEmpty || (await isKnown(connection, slugs))) return;
    throw otherInstallation(folder, null, await readId(connection));
  }

  async function keep(orm: Orm): Promise<void> {
    if (own === null) {
      await orm.execute(CREATE);
      const [row] = await readRows<{ id: string }>(orm, sql.raw(READ));
      if (!row) throw new Error('the id of the installation is gone');
      own = row.id;
      write(own);
    }
    isKept = true;
  }

  return { verify, recognize, keep };
}

async function readHeld(folder: string): Promise<Held> {
  try {
    const slugs = listSnapshotSlugs(folder, MAX_SLUGS);
    return { slugs, isEmpty: slugs.length === 0 && !(await holdsVisits(folder)) };
  } catch {
    // What cannot be read may contain some.
    return { slugs: [], isEmpty: false };
  }
}

/** The id of a database; null if it has none. */
async function readId(connection: Connection): Promise<string | null> {
  const [row] = await readOrNone<{ id: string }>(connection, READ);
  return row?.id ?? null;
}

/** Whether a database without a known id has one of these codes, or any code if there are none. */
async function isKnown(connection: Connection, slugs: string[]): Promise<boolean> {
  const [row] =
    slugs.length > 0
      ? await readOrNone<{ isKnown: boolean }>(connection, KNOWS, [slugs])
      : await readOrNone<{ isKnown: boolean }>(connection, HAS_CODES);
  return row?.isKnown ?? false;
}

/** No rows from a database without the table. */
async function readOrNone<Row extends object>(
  connection: Connection,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  try {
    return (await connection.query<Row>({ text, values, query_timeout: READ_TIMEOUT_MS })).rows;
  } catch (error) {
    if (hasCode(error, UNDEFINED_TABLE)) return [];
    throw error;
  }
}

function otherInstallation(folder: string, own: string | null, found: string | null): OtherInstallation {
  const ifRight = `If it is the right one, stop the host, delete ${join(folder, 'installation')} and start it.`;
  const explanation = [
    `the database is not the one that the files in ${folder} belong to: its installation id is ${found ?? 'missing'}, theirs is ${own ?? 'missing'}.`,
    'Codes are answered from these files, and visits wait there.',
    'If the database is the wrong one, connect the right one; no restart is needed.',
    ...(own === null ? [] : [ifRight]),
    `To start anew, without these codes and visits, delete ${folder} while the host is stopped.`,
  ];
  return new OtherInstallation(explanation.join(' '));
}
