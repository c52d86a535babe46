import { and, asc, desc, eq, sql } from 'drizzle-orm';
import type { Locale } from '#contract/locales';
import type { Orm } from '#host/db/client';
import { sandboxObjects } from '#host/db/payments.tables';
import type { EnteredCard } from './cards';

interface Kinds {
  customer: { email: string; name: string; methodId: string | null };
  setup: {
    status: 'open' | 'challenge' | 'succeeded';
    methodId: string | null;
    /** The card that waits for its holder. */
    card: EnteredCard | null;
    name: string;
    locale: Locale;
    amountCents: number;
    firstChargeAt: string | null;
    successUrl: string;
    cancelUrl: string;
    expiresAt: string;
  };
  method: EnteredCard;
  charge: {
    key: string;
    methodId: string;
    amountCents: number;
    refundedCents: number;
    description: string;
    status: 'succeeded' | 'failed' | 'pending' | 'open';
    failure: string | null;
    /** When it is decided, and how, where it was not at once. */
    turnsAt?: string | null;
    turnsTo?: 'succeeded' | 'failed' | null;
  };
  refund: {
    chargeId: string;
    amountCents: number;
    status: 'pending' | 'succeeded' | 'failed';
    /** What becomes of it, and when. */
    turnsAt: string | null;
    turnsTo: 'succeeded' | 'failed' | null;
  };
  portal: { returnUrl: string; locale: Locale; expiresAt: string };
}
type Kind = keyof Kinds;

export interface SandboxObject<K extends Kind> {
  id: string;
  customerId: string;
  data: Kinds[K];
  createdAt: Date;
}

const PREFIX: Record<Kind, string> = {
  customer: 'cus',
  setup: 'seti',
  method: 'pm',
  charge: 'ch',
  refund: 're',
  portal: 'bps',
};

export type Random = (bytes: number) => Uint8Array;

/** 144 random bits behind a prefix that says what it is. */
export function makeId(kind: Kind | 'event', random: Random): string {
  return `${kind === 'event' ? 'evt' : PREFIX[kind]}_${Buffer.from(random(18)).toString('base64url')}`;
}

interface NewObject<K extends Kind> {
  /** Idempotency key among objects of the kind: the same key is one object. */
  key?: string;
  customerId?: string;
  data: Kinds[K];
}

/** Makes an object; where its key was used before, answers the one that is there, which is not new. */
export async function createObject<K extends Kind>(
  orm: Orm,
  random: Random,
  kind: K,
  { key, customerId = '', data }: NewObject<K>,
  now: Date,
): Promise<SandboxObject<K> & { isNew: boolean }> {
  const object = { id: makeId(kind, random), customerId, data, createdAt: now };
  const inserted = await orm
    .insert(sandboxObjects)
    .values({ kind, key: key === undefined ? null : `${kind}:${key}`, ...object })
    .onConflictDoNothing({ target: sandboxObjects.key })
    .returning();
  if (inserted.length > 0) return { ...object, isNew: true };
  const before = key === undefined ? null : await findByKey(orm, kind, key);
  if (!before) throw new Error('a key that was taken has no object');
  return { ...before, isNew: false };
}

export async function findByKey<K extends Kind>(
  orm: Orm,
  kind: K,
  key: string,
): Promise<SandboxObject<K> | null> {
  const [row] = await orm
    .select()
    .from(sandboxObjects)
    .where(and(eq(sandboxObjects.key, `${kind}:${key}`), eq(sandboxObjects.kind, kind)));
  return row ? read<K>(row) : null;
}

export async function findObject<K extends Kind>(
  orm: Orm,
  kind: K,
  id: string,
): Promise<SandboxObject<K> | null> {
  if (!/^[\w-]+$/.test(id)) return null;
  const [row] = await orm
    .select()
    .from(sandboxObjects)
    .where(and(eq(sandboxObjects.id, id), eq(sandboxObjects.kind, kind)));
  return row ? read<K>(row) : null;
}

export async function getObject<K extends Kind>(orm: Orm, kind: K, id: string): Promise<SandboxObject<K>> {
  const found = await findObject(orm, kind, id);
  if (!found) throw new Error(`the sandbox has no ${kind} ${id}`);
  return found;
}

/** The same, locked until the transaction ends. */
export async function lockObject<K extends Kind>(orm: Orm, kind: K, id: string): Promise<SandboxObject<K>> {
  const [row] = await orm
    .select()
    .from(sandboxObjects)
    .where(and(eq(sandboxObjects.id, id), eq(sandboxObjects.kind, kind)))
    .for('update');
  if (!row) throw new Error(`the sandbox has no ${kind} ${id}`);
  return read<K>(row);
}

export async function changeObject<K extends Kind>(
  orm: Orm,
  object: SandboxObject<K>,
  changes: Partial<Kinds[K]>,
): Promise<SandboxObject<K>> {
  const data = { ...object.data, ...changes };
  await orm.update(sandboxObjects).set({ data }).where(eq(sandboxObjects.id, object.id));
  return { ...object, data };
}

/** Oldest first, or newest first where a limit is given. */
export async function listOfCustomer<K extends Kind>(
  orm: Orm,
  kind: K,
  customerId: string,
  newest?: number,
): Promise<SandboxObject<K>[]> {
  const rows = await orm
    .select()
    .from(sandboxObjects)
    .where(and(eq(sandboxObjects.customerId, customerId), eq(sandboxObjects.kind, kind)))
    .orderBy(newest ? desc(sandboxObjects.createdAt) : asc(sandboxObjects.createdAt))
    .limit(newest ?? 1000);
  return rows.map((row) => read<K>(row));
}

/** Refunds or charges whose day comes at `until` or before; those that had it have no day any more. */
export async function listPending<K extends 'refund' | 'charge'>(
  orm: Orm,
  kind: K,
  until: Date,
): Promise<SandboxObject<K>[]> {
  const isDue = sql`(${sandboxObjects.data}->>'turnsAt')::timestamptz <= ${until.toISOString()}`;
  const rows = await orm
    .select()
    .from(sandboxObjects)
    .where(and(eq(sandboxObjects.kind, kind), isDue));
  return rows.map((row) => read<K>(row));
}

export async function dropMethods(orm: Orm, customerId: string): Promise<void> {
  await orm
    .delete(sandboxObjects)
    .where(and(eq(sandboxObjects.customerId, customerId), eq(sandboxObjects.kind, 'method')));
}

function read<K extends Kind>(row: typeof sandboxObjects.$inferSelect): SandboxObject<K> {
  const { id, customerId, data, createdAt } = row;
  return { id, customerId: customerId ?? '', data: data as Kinds[K], createdAt };
}
