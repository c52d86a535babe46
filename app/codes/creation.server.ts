import { data, redirect } from '@remix-run/node';
import type { Answer } from '#contract/call';
import { createCode, LOGO_BYTES_LIMIT } from '#contract/codes';
import { contentOf } from '#contract/contents';
import { isDataRequest } from '~/http/data-request.server';
import { redirectWithFlash } from '~/http/flash.server';
import { checkForm, errorsOf, type FormErrors, type FormResult, readForm } from '~/http/form.server';
import { endSession } from '~/http/guards.server';
import { callHost, isUnavailable } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { type RequestContext, scopeOf } from '~/http/scope.server';
import { isLive, readSession } from '~/http/session.server';
import { type CreationAnswer, gradeLook, keepValid, plainPreview, preview } from './creation-preview.server';
import {
  CREATION_FIELDS,
  CREATION_LIMITS,
  CreationForm,
  type CreationValues,
  TypedForm,
  withContent,
} from './creation-schema.server';
import { findDraft, keepDraft } from './drafts.server';
import { lookOf, mendLook, offeredStyles, settleLook } from './look/look.server';
import { readVisitor, type Visitor, visitorCookie } from './visitor.server';

/** Previews, keeps or creates what the form holds; serves every place the form stands in. */
export async function handleCreation(requestContext: RequestContext) {
  const form = withContent(await readForm(requestContext, CREATION_FIELDS, CREATION_LIMITS));
  const offered = await offeredStyles(requestContext);
  settleLook(form, offered);
  mendLook(form, offered);
  const logo = takeLogo(form);
  const draftId = String(form.get('draft') ?? '');
  const checked = checkForm(requestContext, form, form.get('intent') === 'look' ? TypedForm : CreationForm);
  if (!checked.ok)
    return refuse(requestContext, draftId, checked.lastResult, checked.lastResult.switched ? 200 : 422);
  const { value } = checked;
  const logoProblem = logo && problemOf(logo);
  if (logoProblem)
    return refuse(
      requestContext,
      draftId,
      checked.reject({ fieldErrors: { logo: [logoProblem] } }),
      422,
      value,
    );
  try {
    if (value.intent === 'look') return await showLook(requestContext, value, logo, checked.kept);
    if (value.intent === 'preview') return await preview(requestContext, value, logo, checked);
    const visitor = await readVisitor(requestContext.request);
    const graded = await gradeLook(requestContext, value, logo, checked, visitor);
    return graded.refusal ?? (await create(onCreatePage(requestContext), graded.value, graded.logo, visitor));
  } catch (thrown) {
    if (isUnavailable(thrown)) return keepUnanswered(requestContext, value, logo, checked.reject);
    if (!(thrown instanceof HostError)) throw thrown;
    const reply = checked.reject(creationErrors(thrown, value));
    return refuse(requestContext, draftId, reply, thrown.status, thrown.errors.logo && value);
  }
}

/** The page with everything typed, none of it judged yet, and the look to be chosen. */
async function showLook(
  requestContext: RequestContext,
  value: CreationValues,
  logo: File | null,
  kept: FormResult,
) {
  const visitor = await readVisitor(requestContext.request);
  const needsDraft = logo !== null || value.draft !== undefined;
  const draft = needsDraft ? await keepDraft(requestContext, value, logo, visitor.key) : null;
  const answer: CreationAnswer = {
    lastResult: kept,
    preview: null,
    draft: draft && { id: draft.id, logo: draft.logo },
    isLookAsked: true,
  };
  const cookie = draft && (await visitorCookie({ ...visitor, draft: draft.id }));
  return data(answer, { headers: cookie ? { 'Set-Cookie': cookie } : {} });
}

/**
 * The page with everything still in it, where the host gave no answer. A file stays chosen where a script sent it; a
 * document can only name one that the host keeps.
 */
async function keepUnanswered(
  requestContext: RequestContext,
  value: CreationValues,
  logo: File | null,
  reject: (errors: FormErrors) => FormResult,
) {
  const visitor = await readVisitor(requestContext.request);
  const isLeaving = logo !== null && !isDataRequest(requestContext.request);
  const kept = isLeaving ? await keepDraft(requestContext, value, logo, visitor.key).catch(() => null) : null;
  const known = value.draft && value.draft === visitor.draft ? { id: value.draft, logo: null } : null;
  const answer: CreationAnswer = {
    lastResult: reject({
      formErrors: ['unavailable'],
      ...(isLeaving && !kept && { fieldErrors: { logo: ['logo_again'] } }),
    }),
    preview: null,
    draft: kept ?? (known && (await findDraft(requestContext, known.id, visitor.key).catch(() => known))),
  };
  const cookie = kept && (await visitorCookie({ ...visitor, draft: kept.id }));
  return data(answer, { status: 503, headers: cookie ? { 'Set-Cookie': cookie } : {} });
}

/** The file, taken out of the form: the form library cannot give a file back. */
function takeLogo(form: FormData): File | null {
  const logo = form.get('logo');
  form.delete('logo');
  // An empty file has a name; a field nobody touched sends one without.
  return logo instanceof File && (logo.size > 0 || logo.name !== '') ? logo : null;
}

function problemOf({ size }: File): string | null {
  if (size === 0) return 'logo_broken';
  return size > LOGO_BYTES_LIMIT ? 'logo_too_large' : null;
}

/** The page again, with the logo that was kept before; `plain` is drawn without the logo that was refused. */
async function refuse(
  requestContext: RequestContext,
  draftId: string,
  lastResult: FormResult,
  status: number,
  plain?: CreationValues,
) {
  const visitor = await readVisitor(requestContext.request);
  const isKnown = draftId !== '' && draftId === visitor.draft;
  const draft = isKnown ? await findDraft(requestContext, draftId, visitor.key) : null;
  const answer: CreationAnswer = {
    lastResult,
    preview: plain?.intent === 'preview' ? await plainPreview(requestContext, plain) : null,
    draft: draft && { id: draft.id, logo: draft.logo },
  };
  return data(answer, { status });
}

/** The host names the content `data`; for Wi-Fi what it refuses is the network's name. */
function creationErrors(error: HostError, { type }: CreationValues) {
  if (error.code === 'not_found') return { formErrors: ['draft_unknown'] };
  const { data: content, ...others } = error.errors;
  const errors = content ? { ...others, [type === 'wifi' ? 'ssid' : 'content']: content } : others;
  return errorsOf(
    new HostError(error.status, { message: error.message, status: 'error', code: error.code, errors }),
    [...CREATION_FIELDS],
  );
}

async function create(
  requestContext: RequestContext,
  value: CreationValues,
  logo: File | null,
  visitor: Visitor,
) {
  const session = await readSession(requestContext.request);
  if (session !== null && !isLive(session)) {
    throw await endSession(requestContext.request, scopeOf(requestContext).submitted);
  }
  if (!session) return keepAndGo(requestContext, value, logo, visitor, '/subscribe/basic_monthly');
  const style = lookOf(value);
  const form = new FormData();
  form.set('isPublic', 'true');
  form.set('data', value.type === 'wifi' ? contentOf(value) : value.content);
  form.set('type', value.type);
  form.set(
    'parameters',
    JSON.stringify({
      width: 300,
      errorCorrectionLevel: 'H',
      useWhiteBackground: value.useWhiteBackground,
      ...(style && { style }),
      ...(value.type === 'email' && { subject: value.subject, body: value.body }),
    }),
  );
  form.set('name', value.name);
  form.set('tags', value.tags);
  if (logo) form.set('logo', logo);
  else if (value.logoPreset) form.set('logoPreset', value.logoPreset);
  if (value.draft && !value.removeLogo) {
    form.set('draft', value.draft);
    form.set('visitor', visitor.key);
  }
  if (value.key) form.set('key', value.key);
  let made: Answer<typeof createCode>;
  try {
    made = await callHost(requestContext, createCode, { form, token: session.token });
  } catch (thrown) {
    if (!(thrown instanceof HostError) || thrown.code !== 'subscription_required') throw thrown;
    return keepAndGo(requestContext, value, logo, visitor, '/user/subscription');
  }
  const forgetDraft = await visitorCookie({ key: visitor.key });
  return redirectWithFlash(
    '/user/qrcodes',
    { type: 'success', key: 'qrcode_created', values: { id: made.data.id } },
    [forgetDraft],
  );
}

/** Should the session end, the login leads back to the form's own page, wherever the form stood. */
function onCreatePage({ request, context }: RequestContext): RequestContext {
  const { url, headers, signal } = request;
  return { request: new Request(new URL('/create', url), { headers, signal }), context };
}

/** Keeps the design for after the purchase, and goes there. */
async function keepAndGo(
  requestContext: RequestContext,
  value: CreationValues,
  logo: File | null,
  visitor: Visitor,
  to: string,
) {
  const draft = await keepValid(requestContext, value, logo, visitor.key);
  const cookie = await visitorCookie({ ...visitor, draft: draft.id });
  if (to.startsWith('/user/')) {
    return redirectWithFlash(to, { type: 'info', key: 'subscription_needed', persistent: true }, [cookie]);
  }
  return redirect(to, { status: 303, headers: { 'Set-Cookie': cookie } });
}
