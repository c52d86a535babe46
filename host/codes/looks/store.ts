import { randomUUID } from 'node:crypto';
import { and, asc, eq, ne } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Body } from '#contract/call';
import { foldLabel } from '#contract/labels';
import { DEFAULT_STYLE, isDefaultStyle, type Style } from '#contract/style-rules';
import { type SavedStyle, STYLES_PER_ACCOUNT, StoredStyle, type updateStyle } from '#contract/styles';
import { lockOwner } from '#host/codes/code/store';
import type { Orm } from '#host/db/client';
import { styles } from '#host/db/codes.tables';
import { ApiError, invalidField } from '#host/http/errors';
import { isExpected, versionTag } from '#host/http/versions';

export type StyleRow = typeof styles.$inferSelect;

const isStyleOf = (accountId: string, id: string) => and(eq(styles.accountId, accountId), eq(styles.id, id));

/** In alphabetical order. */
export async function listStyles(orm: Orm, accountId: string): Promise<StyleRow[]> {
  return orm.select().from(styles).where(eq(styles.accountId, accountId)).orderBy(asc(styles.key));
}

/** A style by its id, or the account's default style; null if there is none. */
export async function findStyle(
  orm: Orm,
  accountId: string,
  id: string | 'default',
): Promise<StyleRow | null> {
  const isRequested =
    id === 'default'
      ? and(eq(styles.accountId, accountId), eq(styles.isDefault, true))
      : isStyleOf(accountId, id);
  const [found] = await orm.select().from(styles).where(isRequested);
  return found ?? null;
}

/**
 * Saves a style under a name; one with an equal name is replaced, and stays the default if it was. Refuses the field
 * `name` with `styles_too_many`, and throws `unauthenticated` if the account was erased in the meantime.
 */
export async function saveStyle(
  orm: Orm,
  accountId: string,
  { name, style, logo, isDefault }: Pick<SavedStyle, 'name' | 'style' | 'logo' | 'isDefault'>,
  now: Date,
): Promise<StyleRow> {
  return orm.transaction(async (transaction) => {
    await lockStyles(transaction, accountId);
    const key = foldLabel(name);
    const all = await transaction.select().from(styles).where(eq(styles.accountId, accountId));
    const existing = findNamed(all, key);
    if (!existing && all.length >= STYLES_PER_ACCOUNT) throw invalidField('name', 'styles_too_many');
    if (isDefault) await dropDefault(transaction, accountId);
    const row = existing ?? { id: randomUUID(), accountId, key, isDefault, createdAt: now };
    const saved = { ...row, key, name, style, logo, isDefault: row.isDefault || isDefault };
    await transaction.insert(styles).values(saved).onConflictDoUpdate({ target: styles.id, set: saved });
    return saved;
  });
}

/** A saved style that is to be changed, if it is as its sender has read it. */
interface Changed {
  accountId: string;
  id: string;
  ifMatch: string | undefined;
}

/** Refuses the field `name` with `style_name_taken`; throws as `requireStyle` does. */
export async function changeStyle(
  orm: Orm,
  { accountId, id, ifMatch }: Changed,
  { name, style, logo, isDefault }: Body<typeof updateStyle>,
): Promise<StyleRow> {
  return orm.transaction(async (transaction) => {
    await lockStyles(transaction, accountId);
    const before = await requireStyle(transaction, { accountId, id, ifMatch });
    const after = {
      ...before,
      name: name ?? before.name,
      style: style ?? before.style,
      logo: logo === undefined ? before.logo : logo,
      isDefault: isDefault ?? before.isDefault,
    };
    if (name !== undefined) {
      after.key = foldLabel(name);
      const isOther = and(eq(styles.accountId, accountId), ne(styles.id, id));
      const others = await transaction.select().from(styles).where(isOther);
      if (findNamed(others, after.key)) throw invalidField('name', 'style_name_taken');
    }
    if (after.isDefault && !before.isDefault) await dropDefault(transaction, accountId);
    await transaction.update(styles).set(after).where(isStyleOf(accountId, id));
    return after;
  });
}

/** Also by the name itself, as the keys that earlier releases stored may differ from those of this one. */
function findNamed(rows: StyleRow[], key: string): StyleRow | undefined {
  return rows.find((row) => row.key === key) ?? rows.find(({ name }) => foldLabel(name) === key);
}

/** Throws as `requireStyle` does. */
export async function removeStyle(orm: Orm, { accountId, id, ifMatch }: Changed): Promise<void> {
  await orm.transaction(async (transaction) => {
    await lockStyles(transaction, accountId);
    await requireStyle(transaction, { accountId, id, ifMatch });
    await transaction.delete(styles).where(isStyleOf(accountId, id));
  });
}

/**
 * Throws `not_found` if the account has no style with this id, and `precondition_failed` if it is not, or no longer, as
 * the sender of `If-Match` has read it.
 */
async function requireStyle(orm: Orm, { accountId, id, ifMatch }: Changed): Promise<StyleRow> {
  const row = await findStyle(orm, accountId, id);
  if (!row) throw new ApiError('not_found');
  if (!isExpected(ifMatch, versionOf(row))) throw new ApiError('precondition_failed');
  return row;
}

/** The `ETag` of a saved style. */
export function versionOf({ id, name, style, logo, isDefault }: StyleRow): string {
  return versionTag([id, name, styleText(style), logoText(logo), isDefault]);
}

/** The same for equal choices: the database does not preserve key order. */
function logoText(logo: StyleRow['logo']): string {
  return JSON.stringify(Object.entries(logo ?? {}).sort());
}

export async function eraseStyles(orm: Orm, accountId: string): Promise<void> {
  await orm.delete(styles).where(eq(styles.accountId, accountId));
}

export function presentStyle(
  { id, name, style, logo, isDefault, createdAt }: StyleRow,
  log: Logger,
): SavedStyle {
  const shown = readStyle(style, log) ?? DEFAULT_STYLE;
  return { id, name, style: shown, logo, isDefault, createdAt: createdAt.toISOString() };
}

/** Serialises changes to the styles of an account. */
async function lockStyles(orm: Orm, accountId: string): Promise<void> {
  if (!(await lockOwner(orm, accountId))) throw new ApiError('unauthenticated');
}

async function dropDefault(orm: Orm, accountId: string): Promise<void> {
  await orm
    .update(styles)
    .set({ isDefault: false })
    .where(and(eq(styles.accountId, accountId), eq(styles.isDefault, true)));
}

/** A style as stored: null for the default one. */
export function storedStyle(style: Style | null | undefined): Style | null {
  return style && !isDefaultStyle(style) ? style : null;
}

/**
 * Reads a stored style. One that this version cannot read, such as one of a later version, is shown as the default, so
 * that its code still opens; the stored value is left as it is.
 */
export function readStyle(stored: unknown, log?: Logger): Style | null {
  if (stored === null) return null;
  const read = StoredStyle.safeParse(stored);
  if (read.success) return read.data;
  log?.error({ err: read.error, style: stored }, 'a stored style cannot be read: the default look is used');
  return null;
}

/** A stored style as text for the history, the same for equal styles: the database does not preserve key order. */
export function styleText(stored: unknown): string {
  if (stored === null || stored === undefined) return '';
  const read = StoredStyle.safeParse(stored);
  return JSON.stringify(read.success ? read.data : stored);
}
