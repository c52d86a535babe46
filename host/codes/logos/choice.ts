import type { LogoChoice } from '#contract/logo-choice';
import type { Orm } from '#host/db/client';
import type { codes } from '#host/db/codes.tables';
import { invalidField } from '#host/http/errors';
import { findLogo } from './store';

type LogoColumns = Pick<typeof codes.$inferSelect, 'logoId' | 'logoPreset' | 'useWhiteBackground'>;

/** A code's logo with the name of its file. */
type NamedLogo = LogoColumns & { logoName: string | null };

/** Refuses the field `logo` with `preset_unknown`, or with `logo_unknown` if the account does not have it. */
export async function requireLogo(
  orm: Orm,
  presets: ReadonlyMap<string, unknown>,
  accountId: string,
  choice: LogoChoice | null | undefined,
): Promise<void> {
  if (choice?.kind === 'preset' && !presets.has(choice.name)) throw invalidField('logo', 'preset_unknown');
  if (choice) await readLogoChoice(orm, accountId, choice);
}

/** What is stored for a code that gets this logo. Refuses the field `logo` with `logo_unknown`. */
export async function readLogoChoice(orm: Orm, accountId: string, choice: LogoChoice): Promise<NamedLogo> {
  const none = { logoId: null, logoPreset: null, logoName: null };
  if (choice.kind === 'none') return { ...none, useWhiteBackground: false };
  const { useWhiteBackground } = choice;
  if (choice.kind === 'preset') return { ...none, logoPreset: choice.name, useWhiteBackground };
  const own = await findLogo(orm, accountId, choice.id);
  if (!own) throw invalidField('logo', 'logo_unknown');
  return { ...none, logoId: own.id, logoName: own.name, useWhiteBackground };
}

/** A logo as text for the history; the id of an uploaded one comes first, as `code_changes_logo` requires. */
export function logoText({ logoId, logoPreset, logoName, useWhiteBackground }: NamedLogo): string {
  if (logoPreset) return JSON.stringify({ kind: 'preset', name: logoPreset, useWhiteBackground });
  if (!logoId) return '';
  return JSON.stringify({ id: logoId, kind: 'upload', name: logoName ?? '', useWhiteBackground });
}
