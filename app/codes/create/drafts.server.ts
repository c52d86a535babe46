import type { z } from 'zod';
import { type Draft, type DraftFields, getDraft, saveDraft } from '#contract/drafts';
import { typedLook } from '~/codes/look/look.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { Scope } from '~/http/scope.server';
import type { CreationValues } from './schema.server';

/** Stores the design at the host; throws HostError with `errors.logo` for a refused logo. */
export async function keepDraft(
  scope: Scope,
  values: CreationValues,
  logo: File | null,
  visitor: string,
): Promise<Draft> {
  const { draft, logoPreset, removeLogo } = values;
  const form = new FormData();
  form.set('visitor', visitor);
  form.set('fields', JSON.stringify(draftFieldsOf(values)));
  if (draft) form.set('id', draft);
  if (logo) form.set('logo', logo);
  else if (logoPreset) form.set('logoPreset', logoPreset);
  if (removeLogo) form.set('removeLogo', 'true');
  return (await callHost(scope, saveDraft, { form })).data;
}

/** A draft of this browser; null if it is unknown, expired or belongs to another browser. */
export async function findDraft(scope: Scope, id: string, visitor: string): Promise<Draft | null> {
  try {
    return (await callHost(scope, getDraft, { params: { id }, query: { visitor } })).data;
  } catch (thrown) {
    if (thrown instanceof HostError && thrown.status === 404) return null;
    throw thrown;
  }
}

/** What was typed, except for the logo. */
function draftFieldsOf(values: CreationValues): z.input<typeof DraftFields> {
  const { type, content, ssid, passphrase, security, hidden, subject, body } = values;
  const { useWhiteBackground, name, tags } = values;
  const texts = { type, content, ssid, passphrase, security, hidden, subject, body };
  return { ...texts, useWhiteBackground, name, tags, style: typedLook(values) };
}
