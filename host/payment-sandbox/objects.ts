import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Locale } from '#contract/locales';
import type { Orm } from '#host/db/client';
import { sandboxObjects } from '#host/db/payments.tables';
import type { EnteredCard } from './cards';

interface Kinds {
  customer: { email: string; name: string; methodId: string | null };
  setup: {
    status: 'open' | 'challenge' | 'succeeded';
    methodId: string | null;
    /** The card waiting for its holder's confirmation. */
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
    /** When and how it is decided, if not at once. */
    turnsAt?: string | null;
    turnsTo?: 'succeeded' | 'failed' | null;
  };
  refund: {
    chargeId: string;
    amountCents: number;
    status: 'pending' | 'succeeded' | 'failed';
    /** When its state changes, and to what. */
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

const PREFIX: Record<Kind | 'event', string> = {
  customer: 'cus',
  setup: 'seti',
  method: 'pm',
  charge: 'ch',
  refund: 're',
  portal: 'bps',
  event: 'evt',
};

export type Random = (bytes: number) => Uint8Array;

/** 144 random bits after a prefix for the kind. */
export function makeId(kind: keyof typeof PREFIX, random: Random): string {
  return `${PREFIX[kind]}_${Buffer.from(random(18)).toString('base64url')}`;
}

interface NewObject<K extends Kind> {
  /** Idempotency key within a kind: the same key always gives the same object. */
  key?: string;
  customerId?: string;
  data: Kinds[K];
}

/** Creates an object; if its key was used before, returns the existing one, with `isNew` false. */
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
  const existing = key === undefined ? null : await findByKey(orm, kind, key);
  if (!existing) throw new Error('the object of a used idempotency key is missing');
  return { ...existing, isNew: false };
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
): Promise<void> {
  const data = { ...object.data, ...changes };
  await orm.update(sandboxObjects).set({ data }).where(eq(sandboxObjects.id, object.id));
}

/** The newest of them, newest first. */
export async function listOfCustomer<K extends Kind>(
  orm: Orm,
  kind: K,
  customerId: string,
  limit = 1000,
): Promise<SandboxObject<K>[]> {
  const rows = await orm
    .select()
    .from(sandboxObjects)
    .where(and(eq(sandboxObjects.customerId, customerId), eq(sandboxObjects.kind, kind)))
    .orderBy(desc(sandboxObjects.createdAt))
    .limit(limit);
  return rows.map((row) => read<K>(row));
}

interface Pending {
  id: string;
  kind: 'charge' | 'refund';
}

/** When a charge or refund is decided, if not at once. */
export const TURNS_AT = sql<Date>`(${sandboxObjects.data}->>'turnsAt')::timestamptz`;

export function turnsBy(until: Date) {
  const isChargeOrRefund = inArray(sandboxObjects.kind, ['charge', 'refund']);
  return and(isChargeOrRefund, sql`${TURNS_AT} <= ${until.toISOString()}`);
}

/** Charges and refunds due to change state by `until`. */
export async function listPending(orm: Orm, until: Date): Promise<Pending[]> {
  const rows = await orm
    .select({ id: sandboxObjects.id, kind: sandboxObjects.kind })
    .from(sandboxObjects)
    .where(turnsBy(until));
  return rows.map(({ id, kind }) => ({ id, kind: kind === 'charge' ? 'charge' : 'refund' }));
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
