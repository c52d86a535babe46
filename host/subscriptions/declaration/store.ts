import { and, asc, eq, isNotNull, sql } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { declarations, subscriptions } from '#host/db/subscriptions.tables';

export type DeclarationRow = typeof declarations.$inferSelect;
export type DeclarationKind = DeclarationRow['kind'];

export async function findDeclaration(orm: Orm, id: string): Promise<DeclarationRow | null> {
  const [row] = await orm.select().from(declarations).where(eq(declarations.id, id));
  return row ?? null;
}

/** Locks it until the transaction ends. Lock the account of its contract first, if there is one. */
export async function lockDeclaration(orm: Orm, id: string): Promise<DeclarationRow> {
  const [row] = await orm.select().from(declarations).where(eq(declarations.id, id)).for('update');
  if (!row) throw new Error(`no declaration ${id}`);
  return row;
}

export async function findDeclarationByToken(orm: Orm, tokenHash: string): Promise<DeclarationRow | null> {
  const [row] = await orm.select().from(declarations).where(eq(declarations.tokenHash, tokenHash));
  return row ?? null;
}

export async function changeDeclaration(
  orm: Orm,
  id: string,
  changes: Partial<DeclarationRow>,
): Promise<void> {
  await orm.update(declarations).set(changes).where(eq(declarations.id, id));
}

/** Declarations about a contract that take effect unless the owner undoes them, oldest first. */
export async function listWaiting(
  orm: Orm,
  subscriptionId: string,
): Promise<(DeclarationRow & { effectiveAt: Date })[]> {
  const rows = await orm
    .select()
    .from(declarations)
    .where(
      and(
        eq(declarations.subscriptionId, subscriptionId),
        eq(declarations.outcome, 'waiting'),
        isNotNull(declarations.effectiveAt),
      ),
    )
    .orderBy(asc(declarations.receivedAt), asc(declarations.id));
  return rows.map((row) => ({ ...row, effectiveAt: row.effectiveAt ?? row.receivedAt }));
}

/** Ends the mailed links about an account's contract: they are in the mailbox of a former address. */
export async function endDeclarationLinks(orm: Orm, accountId: string): Promise<void> {
  const own = orm
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(eq(subscriptions.accountId, accountId));
  await orm
    .update(declarations)
    .set({ tokenHash: null })
    .where(sql`${declarations.subscriptionId} in (${own}) and ${declarations.tokenHash} is not null`);
}
