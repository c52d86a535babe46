import { data } from '@remix-run/node';
import type { Draft } from '#contract/drafts';
import { SCAN_LINK_EXAMPLE } from '~/codes/contents/own-codes.server';
import { checkLook, drawnLookOf, lookOf } from '~/codes/look/look.server';
import { orNotDrawn } from '~/codes/pictures/drawing-pool.server';
import type { FormErrors, FormResult } from '~/http/form.server';
import { HostError } from '~/http/host-error.server';
import type { Scope } from '~/http/scope.server';
import { type Visitor, visitorCookie } from '~/http/visitor.server';
import { keepDraft } from './drafts.server';
import { makePreview, type Preview } from './preview.server';
import type { CreationValues } from './schema.server';

export interface CreationActionData {
  lastResult: FormResult;
  preview: Preview | null;
  /** Draft stored at the host, with the uploaded logo. */
  draft: { id: string; logo: Draft['logo'] } | null;
  /** True when the look's controls were requested; the form then shows them. */
  isLookAsked?: boolean;
}

interface Checked {
  kept: FormResult;
  reject(errors: FormErrors): FormResult;
}

/** Preview of a design without its logo, for a logo that was refused. */
export async function plainPreview(scope: Scope, value: CreationValues): Promise<Preview | null> {
  const made = await typedPreview(scope, { ...value, logoPreset: undefined }, null, '');
  return made && { ...made, drawn: { ...made.drawn, logoFailed: true } };
}

/**
 * Preview of a design as typed, even if the form was refused; null if nothing can be drawn, or if the look is
 * invalid: its fields then show why and how to fix it.
 */
export async function typedPreview(
  scope: Scope,
  value: CreationValues,
  draft: CreationActionData['draft'],
  visitor: string,
): Promise<Preview | null> {
  if (checkLook(value).length > 0) return null;
  const design = { ...value, style: drawnLookOf(value) };
  const upload = draft?.logo?.kind === 'upload' && !value.removeLogo ? draft.id : undefined;
  const choice = { preset: value.logoPreset, draft: upload, visitor };
  return (await orNotDrawn(makePreview(scope, design, choice))).made;
}

/** Responds with the form and its preview. */
export async function preview(scope: Scope, value: CreationValues, logo: File | null, checked: Checked) {
  const { visitor } = scope;
  const { draft, made, notDrawn, cookie } = await drawCreation(scope, value, logo, visitor);
  const actionData: CreationActionData = {
    lastResult: notDrawn ? checked.reject({ formErrors: [notDrawn.code] }) : checked.kept,
    draft,
    preview: made,
  };
  const status = notDrawn?.status ?? 200;
  return data(actionData, { status, headers: cookie ? { 'Set-Cookie': cookie } : {} });
}

/**
 * Returns the code to create if its look gets a grade; otherwise a refusal: the form with the drawing, the
 * decoders' results and suggested fixes. A code with the default look is created whatever its grade.
 */
export async function gradeLook(
  scope: Scope,
  value: CreationValues,
  logo: File | null,
  checked: Checked,
  visitor: Visitor,
) {
  if (!lookOf(value)) return { value, logo };
  const { draft, made, notDrawn, cookie } = await drawCreation(scope, value, logo, visitor, {
    asPrinted: true,
  });
  // Without its logo, the code would get a different grade.
  const missing = made?.drawn.logoFailed ? { code: 'unavailable', status: 503 } : notDrawn;
  if (missing || made?.examination.scan.grade === null) {
    const actionData: CreationActionData = {
      lastResult: checked.reject(
        missing ? { formErrors: [missing.code] } : { fieldErrors: { moduleShape: ['look_unreadable'] } },
      ),
      draft,
      preview: made,
    };
    const status = missing?.status ?? 422;
    return { refusal: data(actionData, { status, headers: cookie ? { 'Set-Cookie': cookie } : {} }) };
  }
  if (!logo || !draft) return { value, logo };
  // The host already has the file.
  return { value: { ...value, draft: draft.id, removeLogo: false, logoPreset: undefined }, logo: null };
}

/**
 * Draws a design after storing its logo in a draft at the host. Content that fits no symbol is not drawn;
 * with `asPrinted`, a link of the same length as the future scan link is drawn in its place.
 */
async function drawCreation(
  scope: Scope,
  value: CreationValues,
  logo: File | null,
  visitor: Visitor,
  { asPrinted = false } = {},
) {
  const needsDraft = logo !== null || value.draft !== undefined;
  const kept = needsDraft ? await keepValid(scope, value, logo, visitor.key) : null;
  const choice = {
    preset: logo ? undefined : value.logoPreset,
    draft: kept?.logo?.kind === 'upload' ? kept.id : undefined,
    visitor: visitor.key,
  };
  const design = designOf(value);
  const printed = { ...design, type: 'text' as const, content: SCAN_LINK_EXAMPLE };
  const drawing = makePreview(scope, design, choice).then(
    (preview) => preview ?? (asPrinted ? makePreview(scope, printed, choice) : null),
  );
  return {
    ...(await orNotDrawn(drawing)),
    draft: kept && { id: kept.id, logo: kept.logo },
    cookie: kept && (await visitorCookie({ ...visitor, draft: kept.id })),
  };
}

/**
 * Stores the design at the host and throws if it cannot become a code: only the host knows all URLs of ours.
 */
export async function keepValid(
  scope: Scope,
  value: CreationValues,
  logo: File | null,
  visitor: string,
): Promise<Draft> {
  const draft = await keepDraft(scope, value, logo, visitor);
  if (Object.keys(draft.problems).length === 0) return draft;
  const message = 'The design cannot become a code.';
  throw new HostError(422, { message, status: 'error', code: 'invalid', errors: draft.problems });
}

function designOf(value: CreationValues) {
  return { ...value, style: lookOf(value) };
}
