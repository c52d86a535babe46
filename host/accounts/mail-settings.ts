import { createHmac, hkdfSync } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { MailKind, type MailSettings } from '#contract/mail-settings';
import type { Orm } from '#host/db/client';
import { mailSettings, visitedCodes } from '#host/db/insight.tables';
import { isSameText } from '#runtime/same-text';

/** What an account gets whose owner chose nothing. */
const DEFAULT_SETTINGS: MailSettings = {
  figures: 'off',
  firstScan: false,
  unusual: false,
  destinationFailing: true,
};

export async function readMailSettings(orm: Orm, accountId: string): Promise<MailSettings> {
  const { figures, firstScan, unusual, destinationFailing } = mailSettings;
  const [row] = await orm
    .select({ figures, firstScan, unusual, destinationFailing })
    .from(mailSettings)
    .where(eq(mailSettings.accountId, accountId));
  return row ?? DEFAULT_SETTINGS;
}

export async function storeMailSettings(orm: Orm, accountId: string, settings: MailSettings): Promise<void> {
  await orm
    .insert(mailSettings)
    .values({ accountId, ...settings })
    .onConflictDoUpdate({ target: mailSettings.accountId, set: settings });
}

export async function eraseMailSettings(orm: Orm, accountId: string): Promise<void> {
  await orm.delete(mailSettings).where(eq(mailSettings.accountId, accountId));
  await orm.delete(visitedCodes).where(eq(visitedCodes.accountId, accountId));
}

export function isMailOn(settings: MailSettings, kind: MailKind): boolean {
  return settings[kind] !== 'off' && settings[kind] !== false;
}

/** Switches off mails of one kind and leaves the others alone. */
export async function switchOff(orm: Orm, accountId: string, kind: MailKind): Promise<void> {
  const off = kind === 'figures' ? { figures: 'off' as const } : { [kind]: false };
  await orm
    .insert(mailSettings)
    .values({ accountId, ...DEFAULT_SETTINGS, ...off })
    .onConflictDoUpdate({ target: mailSettings.accountId, set: off });
}

interface OffLink {
  accountId: string;
  kind: MailKind;
}

const Token = z.tuple([MailKind, z.uuid(), z.string()]);

/**
 * The token of the link that switches off mails of one kind: account, kind and a signature. It never ends, because mails
 * stay in mailboxes for years.
 */
export function makeOffToken({ accountId, kind }: OffLink, secrets: string[]): string {
  return `${kind}.${accountId}.${signatureOf({ accountId, kind }, secrets[0] ?? '')}`;
}

/** Null for a token that was not signed with any of the secrets. */
export function readOffToken(token: string, secrets: string[]): OffLink | null {
  const parsed = Token.safeParse(token.split('.'));
  if (!parsed.success) return null;
  const [kind, accountId, signature] = parsed.data;
  const isSigned = secrets.some((secret) => isSameText(signature, signatureOf({ accountId, kind }, secret)));
  return isSigned ? { accountId, kind } : null;
}

function signatureOf({ accountId, kind }: OffLink, secret: string): string {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'quadrille: mails switched off by link', 32));
  return createHmac('sha256', key).update(`${kind} ${accountId}`).digest('base64url');
}

/** Like `readMailSettings`, after whoever is changing them now. */
export async function lockMailSettings(orm: Orm, accountId: string): Promise<MailSettings> {
  await orm
    .select({ accountId: mailSettings.accountId })
    .from(mailSettings)
    .where(eq(mailSettings.accountId, accountId))
    .for('no key update');
  return readMailSettings(orm, accountId);
}
