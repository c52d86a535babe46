import type { Asker } from '~/http/scope.server';
import { findDraft } from './drafts.server';
import { makePreview } from './preview.server';
import { readVisitor } from './visitor.server';

/** The design this browser kept, drawn; null where there is none or it cannot be had now: an order needs none. */
export async function drawKeptDesign(asker: Asker) {
  const { key, draft: id } = await readVisitor(asker.request);
  const draft = id ? await findDraft(asker, id, key).catch(() => null) : null;
  if (!draft) return null;
  const { kind, name } = draft.logo ?? {};
  const choice = {
    preset: kind === 'preset' ? name : undefined,
    draft: kind === 'upload' ? draft.id : undefined,
    visitor: key,
  };
  const preview = await makePreview(asker, draft.fields, draft.fields.useWhiteBackground, choice);
  return preview?.drawn ?? null;
}
