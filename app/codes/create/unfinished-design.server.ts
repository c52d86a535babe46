import { data, redirect } from '@remix-run/node';
import { z } from 'zod';
import { claimDraft, discardDraft } from '#contract/drafts';
import { drawnStyleOf } from '~/codes/look/look-input';
import { redirectWithFlash } from '~/http/flash.server';
import { readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { isNotFound } from '~/http/host-error.server';
import type { Scope, UserScope } from '~/http/scope.server';
import { visitorCookie } from '~/http/visitor.server';
import { errorText } from '~/i18n/messages.server';
import { findDraft } from './drafts.server';
import { drawPreview } from './preview.server';

const FIELDS = ['intent', 'draft'];

/**
 * Opens the creation form with an unfinished design of the account, or discards it, depending on the button.
 */
export async function handleUnfinishedDesign(scope: UserScope) {
  const form = await readForm(scope, FIELDS);
  const id = z.uuid().safeParse(form.get('draft')).data;
  if (!id) throw data(null, { status: 400 });
  const { key } = scope.visitor;
  try {
    if (form.get('intent') === 'discard') {
      await callHost(scope, discardDraft, { params: { id } });
      return redirectWithFlash('/user/dashboard', { type: 'success', key: 'design_discarded' });
    }
    await callHost(scope, claimDraft, { params: { id }, body: { visitor: key } });
  } catch (thrown) {
    // Completed or discarded in another window in the meantime.
    if (isNotFound(thrown)) return redirect('/user/dashboard', 303);
    throw thrown;
  }
  const headers = { 'Set-Cookie': await visitorCookie({ key, draft: id }) };
  return redirect('/create', { status: 303, headers });
}

/**
 * Draws this browser's latest draft, with the reason why it cannot become a code, if any. Null if there is no
 * draft or it cannot be loaded: an order does not need one.
 */
export async function drawLatestDraft(scope: Scope) {
  return drawDraft(scope, scope.visitor.draft ?? null);
}

/** Like `drawLatestDraft`, for a given draft of this browser. */
export async function drawDraft(scope: Scope, id: string | null) {
  const draft = id ? await findDraft(scope, id).catch(() => null) : null;
  if (!draft) return null;
  const { kind, name } = draft.logo ?? {};
  const choice = {
    preset: kind === 'preset' ? name : undefined,
    draft: kind === 'upload' ? draft.id : undefined,
  };
  const style = draft.fields.style && drawnStyleOf(draft.fields.style);
  const drawn = await drawPreview(scope, { ...draft.fields, style }, choice);
  const [problem] = Object.values(draft.problems).flat();
  return { drawn, problem: problem ? errorText(scope.locale, ['design'], problem) : null };
}
