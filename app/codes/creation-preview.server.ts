import { data } from '@remix-run/node';
import type { Draft } from '#contract/drafts';
import type { FormErrors, FormResult } from '~/http/form.server';
import { HostError } from '~/http/host-error.server';
import type { RequestContext } from '~/http/scope.server';
import type { CreationValues } from './creation-schema.server';
import { keepDraft } from './drafts.server';
import { isDrawingRefusal } from './drawing-pool.server';
import { lookOf } from './look/look.server';
import { makePreview, type Preview } from './preview.server';
import { readVisitor, type Visitor, visitorCookie } from './visitor.server';

export interface CreationAnswer {
  lastResult: FormResult;
  preview: Preview | null;
  /** Design kept at the host, with the logo that was uploaded. */
  draft: { id: string; logo: Draft['logo'] } | null;
  /** True where the look was asked for, which the form then shows. */
  isLookAsked?: boolean;
}

interface Checked {
  kept: FormResult;
  reject(errors: FormErrors): FormResult;
}

/** The drawing without the logo that was refused. */
export async function plainPreview(
  requestContext: RequestContext,
  value: CreationValues,
): Promise<Preview | null> {
  const made = await makePreview(requestContext, designOf(value), { visitor: '' }).catch(
    (thrown: unknown) => {
      if (isDrawingRefusal(thrown)) return null;
      throw thrown;
    },
  );
  return made && { ...made, drawn: { ...made.drawn, logoFailed: true } };
}

/** The form again with its drawing. */
export async function preview(
  requestContext: RequestContext,
  value: CreationValues,
  logo: File | null,
  checked: Checked,
) {
  const visitor = await readVisitor(requestContext.request);
  const { draft, made, cookie } = await drawCreation(requestContext, value, logo, visitor);
  const isRefused = isDrawingRefusal(made);
  const answer: CreationAnswer = {
    lastResult: isRefused ? checked.reject({ formErrors: ['drawing_busy'] }) : checked.kept,
    draft,
    preview: isRefused ? null : made,
  };
  const status = (isRefused ? made.init?.status : undefined) ?? 200;
  return data(answer, { status, headers: cookie ? { 'Set-Cookie': cookie } : {} });
}

/**
 * What is to be created, once its look has a grade; or the form again with the drawing, what decoders made of it and
 * what would mend it. The drawing by default is created whatever its grade.
 */
export async function gradeLook(
  requestContext: RequestContext,
  value: CreationValues,
  logo: File | null,
  checked: Checked,
  visitor: Visitor,
) {
  if (!lookOf(value)) return { value, logo };
  const { draft, made, cookie } = await drawCreation(requestContext, value, logo, visitor);
  const isBusy = isDrawingRefusal(made);
  if (isBusy || made?.examination.scan.grade === null) {
    const answer: CreationAnswer = {
      lastResult: checked.reject(
        isBusy ? { formErrors: ['drawing_busy'] } : { fieldErrors: { moduleShape: ['look_unreadable'] } },
      ),
      draft,
      preview: isBusy ? null : made,
    };
    const status = (isBusy ? made.init?.status : undefined) ?? 422;
    return { refusal: data(answer, { status, headers: cookie ? { 'Set-Cookie': cookie } : {} }) };
  }
  if (!logo || !draft) return { value, logo };
  // The host has the file already.
  return { value: { ...value, draft: draft.id, removeLogo: false, logoPreset: undefined }, logo: null };
}

/** Draws a design with its logo, which the host keeps from then on. */
async function drawCreation(
  requestContext: RequestContext,
  value: CreationValues,
  logo: File | null,
  visitor: Visitor,
) {
  const needsDraft = logo !== null || value.draft !== undefined;
  const kept = needsDraft ? await keepValid(requestContext, value, logo, visitor.key) : null;
  const made = await makePreview(requestContext, designOf(value), {
    preset: logo ? undefined : value.logoPreset,
    draft: kept?.logo?.kind === 'upload' ? kept.id : undefined,
    visitor: visitor.key,
  }).catch((thrown: unknown) => {
    if (isDrawingRefusal(thrown)) return thrown;
    throw thrown;
  });
  return {
    made,
    draft: kept && { id: kept.id, logo: kept.logo },
    cookie: kept && (await visitorCookie({ ...visitor, draft: kept.id })),
  };
}

/** Keeps the design at the host, which may know better whether it can become a code: it knows every address of ours. */
export async function keepValid(
  requestContext: RequestContext,
  value: CreationValues,
  logo: File | null,
  visitor: string,
): Promise<Draft> {
  const draft = await keepDraft(requestContext, value, logo, visitor);
  if (Object.keys(draft.problems).length === 0) return draft;
  const message = 'The design cannot become a code.';
  throw new HostError(422, { message, status: 'error', code: 'invalid', errors: draft.problems });
}

function designOf(value: CreationValues) {
  return { ...value, style: lookOf(value) };
}
