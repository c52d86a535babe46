import type { z } from 'zod';
import { CAMPAIGN_INPUTS } from '#contract/campaign';
import { fieldsOf } from '#contract/contents/contents';
import { type Draft, type DraftFields, getDraft, saveDraft } from '#contract/drafts';
import { enteredLook } from '~/codes/look/look.server';
import { callHost } from '~/http/host.server';
import { HostError, isNotFound } from '~/http/host-error.server';
import { isSignedIn, type Scope } from '~/http/scope.server';
import { isPreset } from './logo-address';
import { namedLogo, ownLogos } from './logo-bytes.server';
import type { CreationValues, Design } from './schema.server';

/** Stores the design at the host; throws HostError with `errors.logo` for a refused logo. */
export function keepDraft(scope: Scope, { value, logo }: Design): Promise<Draft> {
  return keepFields(scope, draftFieldsOf(value), { ...value, logo });
}

type KeptLogo = Partial<Pick<CreationValues, 'draft' | 'logoPreset' | 'removeLogo'>> & { logo: File | null };

export async function keepFields(
  scope: Scope,
  fields: z.input<typeof DraftFields>,
  { draft, logo, logoPreset, removeLogo }: KeptLogo,
): Promise<Draft> {
  const form = new FormData();
  form.set('visitor', scope.visitor.key);
  form.set('fields', JSON.stringify(fields));
  if (draft) form.set('id', draft);
  const own = !logo && logoPreset && !isPreset(logoPreset) ? await ownLogo(scope, logoPreset) : null;
  if (logo ?? own) form.set('logo', logo ?? own ?? '');
  else if (logoPreset) form.set('logoPreset', logoPreset);
  if (removeLogo) form.set('removeLogo', 'true');
  return (await callHost(scope, saveDraft, { form })).data;
}

/** The file of one of the account's own logos: a draft belongs to no account. */
async function ownLogo(scope: Scope, id: string): Promise<File | null> {
  const name = isSignedIn(scope) && (await ownLogos(scope)).find((own) => own.id === id)?.name;
  const png = name && (await namedLogo(scope, id));
  return png ? new File([new Uint8Array(png)], name, { type: 'image/png' }) : null;
}

/**
 * Stores the design at the host and throws if it cannot become a code: only the host knows all URLs of ours.
 */
export async function keepValid(scope: Scope, design: Design): Promise<Draft> {
  const draft = await keepDraft(scope, design);
  if (Object.keys(draft.problems).length === 0) return draft;
  const message = 'The design cannot become a code.';
  throw new HostError(422, { message, status: 'error', code: 'invalid', errors: draft.problems });
}

/** A draft of this browser; null if it is unknown, expired or belongs to another browser. */
export async function findDraft(scope: Scope, id: string): Promise<Draft | null> {
  try {
    return (await callHost(scope, getDraft, { params: { id }, query: { visitor: scope.visitor.key } })).data;
  } catch (thrown) {
    if (isNotFound(thrown)) return null;
    throw thrown;
  }
}

/** What was typed, except for the logo. */
function draftFieldsOf(values: CreationValues): z.input<typeof DraftFields> {
  const { useWhiteBackground, uncounted, name, tags } = values;
  const campaign = Object.fromEntries(CAMPAIGN_INPUTS.map((field) => [field, values[field]]));
  const style = enteredLook(values);
  return { ...fieldsOf(values), useWhiteBackground, uncounted, name, tags, ...campaign, style };
}
