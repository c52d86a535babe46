import { randomUUID } from 'node:crypto';
import type { Draft } from '#contract/drafts';
import { type RequestContext, scopeOf } from '~/http/scope.server';
import { findDraft } from './drafts.server';
import { presetFiles } from './logo-bytes.server';
import { savedLooks } from './look/look.server';
import { textsOfStyle } from './look/look-input';
import { readVisitor } from './visitor.server';

/**
 * Data for the creation form: presets, an idempotency key, and this browser's draft or, failing that, the
 * account's default look for new codes.
 */
export async function creationData(requestContext: RequestContext) {
  const { key, draft: draftId } = await readVisitor(requestContext.request);
  const [presets, draft, saved] = await Promise.all([
    presetFiles(requestContext),
    draftId ? findDraft(requestContext, draftId, key).catch(() => null) : null,
    savedLooks(requestContext),
  ]);
  const formKey = randomUUID();
  scopeOf(requestContext).once = [formKey];
  const defaultLook = saved.find(({ isDefault }) => isDefault);
  const style = defaultLook ? { readyMade: defaultLook.name, ...textsOfStyle(defaultLook.style) } : null;
  return { presets, key: formKey, draft: draft && keptDesign(draft), style, saved };
}

function keptDesign({ id, fields, logo }: Draft) {
  return { id, fields, logo };
}
