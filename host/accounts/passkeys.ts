import { and, asc, eq } from 'drizzle-orm';
import type { Passkey } from '#contract/passkeys';
import type { Orm } from '#host/db/client';
import { passkeys } from '#host/db/factors.tables';

export type PasskeyRow = typeof passkeys.$inferSelect;

export async function listPasskeys(orm: Orm, accountId: string): Promise<PasskeyRow[]> {
  return orm
    .select()
    .from(passkeys)
    .where(eq(passkeys.accountId, accountId))
    .orderBy(asc(passkeys.createdAt), asc(passkeys.id));
}

export async function findPasskey(orm: Orm, accountId: string, id: string): Promise<PasskeyRow | null> {
  const [row] = await orm
    .select()
    .from(passkeys)
    .where(and(eq(passkeys.accountId, accountId), eq(passkeys.id, id)));
  return row ?? null;
}

export async function findCredential(orm: Orm, credentialId: string): Promise<PasskeyRow | null> {
  const [row] = await orm.select().from(passkeys).where(eq(passkeys.credentialId, credentialId));
  return row ?? null;
}

/** False if the credential is already stored, for any account. */
export async function insertPasskey(orm: Orm, row: PasskeyRow): Promise<boolean> {
  const inserted = await orm
    .insert(passkeys)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: passkeys.id });
  return inserted.length > 0;
}

/** Advances the counter; false if a concurrent sign-in, or a clone of the authenticator, did so first. */
export async function movePasskeyCounter(
  orm: Orm,
  { id, counter }: PasskeyRow,
  newCounter: number,
  lastUsedAt: Date,
): Promise<boolean> {
  const updated = await orm
    .update(passkeys)
    .set({ counter: newCounter, lastUsedAt })
    .where(and(eq(passkeys.id, id), eq(passkeys.counter, counter)))
    .returning({ id: passkeys.id });
  return updated.length > 0;
}

export async function renamePasskey(orm: Orm, accountId: string, id: string, name: string): Promise<boolean> {
  const renamed = await orm
    .update(passkeys)
    .set({ name })
    .where(and(eq(passkeys.accountId, accountId), eq(passkeys.id, id)))
    .returning({ id: passkeys.id });
  return renamed.length > 0;
}

/** False if it is already gone. */
export async function dropPasskey(orm: Orm, accountId: string, id: string): Promise<boolean> {
  const deleted = await orm
    .delete(passkeys)
    .where(and(eq(passkeys.accountId, accountId), eq(passkeys.id, id)))
    .returning({ id: passkeys.id });
  return deleted.length > 0;
}

export async function dropPasskeys(orm: Orm, accountId: string): Promise<void> {
  await orm.delete(passkeys).where(eq(passkeys.accountId, accountId));
}

export function presentPasskey({ id, name, createdAt, lastUsedAt }: PasskeyRow): Passkey {
  return {
    id,
    name,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
