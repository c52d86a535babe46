import { createHash, randomUUID } from 'node:crypto';
import { and, desc, eq, isNull } from 'drizzle-orm';
import type { Address, AddressForm } from '#contract/addresses';
import { accounts, billingAddresses } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { ApiError } from '#host/http/errors';

type AddressRow = typeof billingAddresses.$inferSelect;

const owned = (accountId: string, id: string) =>
  and(eq(billingAddresses.id, id), eq(billingAddresses.accountId, accountId));

/** The default address first, then the newest. */
export async function listAddresses(orm: Orm, accountId: string): Promise<AddressRow[]> {
  return orm
    .select()
    .from(billingAddresses)
    .where(eq(billingAddresses.accountId, accountId))
    .orderBy(desc(billingAddresses.isDefault), desc(billingAddresses.createdAt), desc(billingAddresses.id));
}

/**
 * Locks the account, to serialise changes of the default address. Throws `unauthenticated` if the account was erased in
 * the meantime.
 */
export async function lockAddresses(orm: Orm, accountId: string): Promise<void> {
  const [locked] = await orm
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), isNull(accounts.deletedAt)))
    .for('update');
  if (!locked) throw new ApiError('unauthenticated');
}

export async function countAddresses(orm: Orm, accountId: string): Promise<number> {
  return orm.$count(billingAddresses, eq(billingAddresses.accountId, accountId));
}

/** Id of a new address: the same for the same key of an account, so that it is added only once; see RFC 9562, 5.8. */
export function addressId(accountId: string, key: string | undefined): string {
  if (key === undefined) return randomUUID();
  const hash = createHash('sha256').update(`${accountId} ${key}`).digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

export async function findAddress(orm: Orm, accountId: string, id: string): Promise<AddressRow | null> {
  const [row] = await orm.select().from(billingAddresses).where(owned(accountId, id));
  return row ?? null;
}

export async function insertAddress(
  orm: Orm,
  accountId: string,
  form: AddressForm,
  createdAt: Date,
  id: string = randomUUID(),
): Promise<AddressRow> {
  const row = { id, accountId, ...columnsOf(form), isDefault: form.is_default, createdAt };
  await orm.insert(billingAddresses).values(row);
  return row;
}

export async function changeAddress(
  orm: Orm,
  accountId: string,
  id: string,
  form: AddressForm,
): Promise<AddressRow | null> {
  const [row] = await orm
    .update(billingAddresses)
    .set(columnsOf(form))
    .where(owned(accountId, id))
    .returning();
  return row ?? null;
}

/** Makes this address the default instead of the current one; without an id, none. */
export async function moveDefault(orm: Orm, accountId: string, id: string | undefined): Promise<void> {
  await orm
    .update(billingAddresses)
    .set({ isDefault: false })
    .where(and(eq(billingAddresses.accountId, accountId), eq(billingAddresses.isDefault, true)));
  if (id) await orm.update(billingAddresses).set({ isDefault: true }).where(owned(accountId, id));
}

export async function removeAddress(orm: Orm, accountId: string, id: string): Promise<AddressRow | null> {
  const [row] = await orm.delete(billingAddresses).where(owned(accountId, id)).returning();
  return row ?? null;
}

export async function eraseAddresses(orm: Orm, accountId: string): Promise<void> {
  await orm.delete(billingAddresses).where(eq(billingAddresses.accountId, accountId));
}

export function presentAddress(row: AddressRow): Address {
  return {
    id: row.id,
    street: row.street,
    city: row.city,
    state_region: row.stateRegion,
    postal_code: row.postalCode,
    country: row.country,
    professional: row.professional,
    company_name: row.companyName,
    vat_number: row.vatNumber,
    siret_number: row.siretNumber,
    is_default: row.isDefault,
  };
}

/** A private person has no company: typed company fields are dropped. */
function columnsOf({ professional, ...form }: AddressForm) {
  return {
    street: form.street,
    city: form.city,
    stateRegion: form.state_region,
    postalCode: form.postal_code,
    country: form.country,
    professional,
    companyName: professional ? form.company_name : '',
    vatNumber: professional ? form.vat_number : '',
    siretNumber: professional ? form.siret_number : '',
  };
}
