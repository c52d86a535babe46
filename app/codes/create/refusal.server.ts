import { parseWithZod } from '@conform-to/zod/v4';
import { data } from '@remix-run/node';
import type { Draft } from '#contract/drafts';
import type { FormErrors, FormResult } from '~/http/form.server';
import { HostError } from '~/http/host-error.server';
import type { Scope } from '~/http/scope.server';
import { visitorCookie } from '~/http/visitor.server';
import { type CreationActionData, plainPreview, typedPreview } from './creation-preview.server';
import { findDraft, keepDraft } from './drafts.server';
import { type CreationValues, TypedForm } from './schema.server';

interface Refusal {
  lastResult: FormResult;
  status: number;
  /** Values to draw a preview from, without the refused logo. */
  plain?: CreationValues;
}

/**
 * Responds to a refused form. A full page load also gets the logo, stored in a draft, and the drawing; a
 * client with scripts still has both.
 */
export async function refuse(
  scope: Scope,
  { form, logo }: { form: FormData; logo: File | null },
  { lastResult, status, plain }: Refusal,
) {
  const { visitor } = scope;
  const typed = scope.isDataRequest ? null : typedOf(form);
  const kept = typed && logo ? await keepChosen(scope, typed, logo, visitor.key) : null;
  if (kept) delete scope.lostFile;
  const draftId = String(form.get('draft') ?? '');
  const isKnown = draftId !== '' && draftId === visitor.draft;
  const found = kept ?? (isKnown ? await findDraft(scope, draftId, visitor.key) : null);
  const draft = found && { id: found.id, logo: found.logo };
  const isPlainShown = plain && (typed !== null || plain.intent === 'preview');
  const actionData: CreationActionData = {
    lastResult,
    preview: isPlainShown
      ? await plainPreview(scope, plain)
      : typed && (await typedPreview(scope, typed, draft, visitor.key)),
    draft,
  };
  const cookie = kept && (await visitorCookie({ ...visitor, draft: kept.id }));
  return data(actionData, { status, headers: cookie ? { 'Set-Cookie': cookie } : {} });
}

/** The form as typed; null if it contains something that cannot even be stored. */
function typedOf(form: FormData): CreationValues | null {
  const submission = parseWithZod(form, { schema: TypedForm });
  return submission.status === 'success' ? submission.value : null;
}

/** Stores the logo in a draft, because no page can refill a file input; null if the host refuses it. */
async function keepChosen(
  scope: Scope,
  value: CreationValues,
  logo: File,
  visitor: string,
): Promise<Draft | null> {
  try {
    return await keepDraft(scope, value, logo, visitor);
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    return null;
  }
}

/**
 * Responds with all input when the host is unavailable. With scripts, the file stays chosen; after a full
 * page load, only a file stored at the host can be referenced.
 */
export async function respondUnavailable(
  scope: Scope,
  value: CreationValues,
  logo: File | null,
  reject: (errors: FormErrors) => FormResult,
) {
  const { visitor } = scope;
  const isDocument = !scope.isDataRequest;
  const kept = logo && isDocument ? await keepDraft(scope, value, logo, visitor.key).catch(() => null) : null;
  const known = value.draft && value.draft === visitor.draft ? { id: value.draft, logo: null } : null;
  const actionData: CreationActionData = {
    lastResult: reject({
      formErrors: ['unavailable'],
      ...(logo && isDocument && !kept && { fieldErrors: { logo: ['logo_again'] } }),
    }),
    // Waiting for the host has used up the time for this response.
    preview: null,
    draft: kept ?? (known && (await findDraft(scope, known.id, visitor.key).catch(() => known))),
  };
  const cookie = kept && (await visitorCookie({ ...visitor, draft: kept.id }));
  return data(actionData, { status: 503, headers: cookie ? { 'Set-Cookie': cookie } : {} });
}
