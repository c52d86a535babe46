import { randomUUID } from 'node:crypto';
import type { Draft } from '#contract/drafts';
import { type RequestContext, scopeOf } from '~/http/scope.server';
import { findLiveSession } from '~/http/session.server';
import { findDraft } from './drafts.server';
import { presetFiles } from './logo-bytes.server';
import { OWN, textsOfStyle } from './look-input';
import { findDefaultStyle } from './saved-styles.server';
import { readVisitor } from './visitor.server';

/**
 * What the creation form needs to appear: presets, an idempotency key, and the design kept before or, failing that, the
 * look that new codes of the account begin with.
 */
export async function creationData(requestContext: RequestContext) {
  const { key, draft: draftId } = await readVisitor(requestContext.request);
  const session = await findLiveSession(requestContext.request);
  const [presets, draft, begun] = await Promise.all([
    presetFiles(requestContext),
    draftId ? findDraft(requestContext, draftId, key).catch(() => null) : null,
    session ? findDefaultStyle(requestContext, session.token) : null,
  ]);
  const formKey = randomUUID();
  scopeOf(requestContext).once = [formKey];
  const style = begun && { readyMade: OWN, ...textsOfStyle(begun.style) };
  return { presets, key: formKey, draft: draft && keptDesign(draft), style };
}

function keptDesign({ id, fields, logo }: Draft) {
  return { id, fields, logo };
}
