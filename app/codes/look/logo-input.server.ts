import { z } from 'zod';
import { type LogoChoice, PresetFile } from '#contract/logo-choice';
import { uploadLogo } from '#contract/logos';
import { isPreset } from '~/codes/create/logo-address';
import { ownLogos, presetFiles } from '~/codes/create/logo-bytes.server';
import { withFields } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { UserScope } from '~/http/scope.server';

/** Fields of a form that changes the logo of existing codes. */
export const LOGO_FIELDS = ['logoPreset', 'logo', 'useWhiteBackground'];

/** `logoPreset` names a preset's file or one of the account's own logos; without it logos stay as they are. */
export const LOGO_SHAPE = {
  logoPreset: z.union([PresetFile, z.uuid(), z.enum(['none', 'keep'])], 'logo_unknown').default('keep'),
  useWhiteBackground: z.boolean().default(false),
};
type LogoValues = z.output<z.ZodObject<typeof LOGO_SHAPE>>;

/** What the logo chooser of such a form offers. */
export async function offeredLogos(scope: UserScope) {
  const [presets, own] = await Promise.all([presetFiles(scope), ownLogos(scope)]);
  return { presets, own };
}

/**
 * The posted form, in which a chosen file has become one of the account's own logos: the page that is shown again has it
 * to choose. `refusal` says why the host did not take it.
 */
export async function storeChosenLogo(
  scope: UserScope,
  posted: FormData,
): Promise<{ form: FormData; refusal: HostError | null }> {
  const file = posted.get('logo');
  const form = withFields(posted, {}, ['logo']);
  // An empty file has a name; an untouched field sends a file without one.
  const isChosen = file instanceof File && (file.size > 0 || file.name !== '');
  if (!isChosen || scope.switched) return { form, refusal: null };
  const upload = new FormData();
  upload.set('logo', file);
  try {
    const { data } = await callHost(scope, uploadLogo, { form: upload });
    return { form: withFields(form, { logoPreset: data.id }), refusal: null };
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    return { form, refusal: thrown };
  }
}

/** The logo that a valid form chooses; undefined to leave logos as they are. */
export function logoChoiceOf({ logoPreset, useWhiteBackground }: LogoValues): LogoChoice | undefined {
  if (logoPreset === 'keep') return undefined;
  if (logoPreset === 'none') return { kind: 'none' };
  return isPreset(logoPreset)
    ? { kind: 'preset', name: logoPreset, useWhiteBackground }
    : { kind: 'upload', id: logoPreset, useWhiteBackground };
}
