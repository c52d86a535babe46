import { createHash, randomUUID } from 'node:crypto';
import { data, redirect } from '@remix-run/node';
import type { ResponseOf } from '#contract/call';
import { createCode, LOGO_BYTES_LIMIT } from '#contract/codes';
import { contentOf } from '#contract/contents';
import type { Draft } from '#contract/drafts';
import { lookOf, mendLook, offeredStyles, resolveLook, savedLooks } from '~/codes/look/look.server';
import { textsOfStyle } from '~/codes/look/look-input';
import { redirectWithFlash } from '~/http/flash.server';
import { checkForm, errorsOf, type FormResult, readForm } from '~/http/form.server';
import { endSession } from '~/http/guards.server';
import { callHost, isUnavailable } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { interruptedPostCookie } from '~/http/interrupted-post.server';
import { isSignedIn, type Scope } from '~/http/scope.server';
import { type Visitor, visitorCookie, withVisitorCookie } from '~/http/visitor.server';
import { type CreationActionData, gradeLook, keepValid, preview } from './creation-preview.server';
import { findDraft, keepDraft } from './drafts.server';
import { presetFiles } from './logo-bytes.server';
import { refuse, respondUnavailable } from './refusal.server';
import {
  CREATION_FIELDS,
  CREATION_LIMITS,
  CreationForm,
  type CreationValues,
  TypedForm,
  withContent,
} from './schema.server';

/** Previews, stores or creates the posted design; used by every page with the creation form. */
export async function handleCreation(scope: Scope) {
  const form = withContent(await readForm(scope, CREATION_FIELDS, CREATION_LIMITS));
  const offered = await offeredStyles(scope);
  resolveLook(form, offered);
  mendLook(form, offered);
  const logo = extractLogo(form);
  const logoProblem = logo && problemOf(logo);
  // On the next page, whose file input is empty, a preset would take precedence over the stored file.
  if (logo && !logoProblem) form.set('logoPreset', 'none');
  const checked = checkForm(scope, form, form.get('intent') === 'look' ? TypedForm : CreationForm);
  const sent = { form, logo: logoProblem ? null : logo };
  if (!checked.ok) {
    const { lastResult } = checked;
    return refuse(scope, sent, { lastResult, status: lastResult.switched ? 200 : 422 });
  }
  const { value } = checked;
  if (logoProblem) {
    const lastResult = checked.reject({ fieldErrors: { logo: [logoProblem] } });
    return refuse(scope, sent, { lastResult, status: 422, plain: value });
  }
  try {
    if (value.intent === 'look') return await showLook(scope, value, logo, checked.kept);
    if (value.intent === 'preview') return await preview(scope, value, logo, checked);
    const { visitor } = scope;
    const graded = await gradeLook(scope, value, logo, checked, visitor);
    if (graded.refusal) return graded.refusal;
    const key = await formKeyOf(value, logo);
    return await create(scope, { ...graded.value, key }, graded.logo, visitor);
  } catch (thrown) {
    if (isUnavailable(thrown)) return respondUnavailable(scope, value, logo, checked.reject);
    if (!(thrown instanceof HostError)) throw thrown;
    const lastResult = checked.reject(creationErrors(thrown, value));
    if (!thrown.errors.logo) return refuse(scope, sent, { lastResult, status: thrown.status });
    const plain = { lastResult, status: thrown.status, plain: value };
    return refuse(scope, { form, logo: null }, plain);
  }
}

/**
 * Idempotency key for the host, which adds the other fields: a different logo makes a different code. Takes
 * the values as posted, because grading may have moved the file to a draft, a new one each time.
 */
async function formKeyOf({ key, draft, removeLogo }: CreationValues, logo: File | null) {
  if (key === undefined) return undefined;
  const hash = createHash('sha256').update(JSON.stringify([key, draft, removeLogo]));
  if (logo) hash.update(Buffer.from(await logo.arrayBuffer()));
  return hash.digest('base64url');
}

/** Responds with the form as typed, not validated yet, and with the look controls. */
async function showLook(scope: Scope, value: CreationValues, logo: File | null, kept: FormResult) {
  const { visitor } = scope;
  const needsDraft = logo !== null || value.draft !== undefined;
  const draft = needsDraft ? await keepDraft(scope, value, logo, visitor.key) : null;
  const actionData: CreationActionData = {
    lastResult: kept,
    preview: null,
    draft: draft && { id: draft.id, logo: draft.logo },
    isLookAsked: true,
  };
  const cookie = draft && (await visitorCookie({ ...visitor, draft: draft.id }));
  return data(actionData, { headers: cookie ? { 'Set-Cookie': cookie } : {} });
}

/** Removes the file from the form, because the form library cannot return a file. */
function extractLogo(form: FormData): File | null {
  const logo = form.get('logo');
  form.delete('logo');
  // An empty file has a name; an untouched field sends a file without one.
  return logo instanceof File && (logo.size > 0 || logo.name !== '') ? logo : null;
}

function problemOf({ size }: File): string | null {
  if (size === 0) return 'logo_broken';
  return size > LOGO_BYTES_LIMIT ? 'logo_too_large' : null;
}

/**
 * Maps the host's errors to the form's fields: it calls the content `data`, which for Wi-Fi is the network
 * name.
 */
function creationErrors(error: HostError, { type }: CreationValues) {
  if (error.code === 'not_found') return { formErrors: ['draft_unknown'] };
  const { data: content, ...others } = error.errors;
  const errors = content ? { ...others, [type === 'wifi' ? 'ssid' : 'content']: content } : others;
  return errorsOf(
    new HostError(error.status, { message: error.message, status: 'error', code: error.code, errors }),
    [...CREATION_FIELDS],
  );
}

async function create(scope: Scope, value: CreationValues, logo: File | null, visitor: Visitor) {
  if (!isSignedIn(scope)) {
    return scope.session === null
      ? keepAndGo(scope, value, logo, visitor, '/subscribe/basic_monthly')
      : leaveForLogin(scope, value, logo, visitor);
  }
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
    form.set('needsDraftLogo', String(value.draftLogo));
  }
  if (value.key) form.set('key', value.key);
  let made: ResponseOf<typeof createCode>;
  try {
    made = await callHost(scope, createCode, { form });
  } catch (thrown) {
    if (thrown instanceof Response) return leaveForLogin(scope, value, logo, visitor);
    if (!(thrown instanceof HostError) || thrown.code !== 'subscription_required') throw thrown;
    return keepAndGo(scope, value, logo, visitor, '/user/subscription');
  }
  const forgetDraft = await visitorCookie({ key: visitor.key });
  return redirectWithFlash(
    '/user/qrcodes',
    { type: 'success', key: 'qrcode_created', values: { id: made.data.id } },
    [forgetDraft],
  );
}

/**
 * Redirects to the login, as the session has ended. What does not fit in a cookie, a logo or a long design,
 * is stored at the host as a draft; the rest goes in the cookie, which is only shown to its owner.
 */
async function leaveForLogin(
  scope: Scope,
  value: CreationValues,
  logo: File | null,
  visitor: Visitor,
): Promise<Response> {
  const { submitted = [] } = scope;
  // The login returns to /create, wherever the form was shown.
  const page = new URL('/create', scope.url);
  const fits = !logo && !value.draft && (await interruptedPostCookie(scope, submitted, page)) !== null;
  const draft = fits ? null : await keepDraft(scope, value, logo, visitor.key).catch(() => null);
  if (!draft) return endSession(scope, { submitted, page });
  // A preset would replace the file.
  const replaced = draft.logo?.kind === 'upload' ? ['draft', 'logoPreset', 'removeLogo'] : ['draft'];
  const typed = submitted.filter(([name]) => !replaced.includes(name));
  const response = await endSession(scope, { submitted: [...typed, ['draft', draft.id]], page });
  return withVisitorCookie(response, { ...visitor, draft: draft.id });
}

/** Stores the design until after the purchase, and redirects there. */
async function keepAndGo(
  scope: Scope,
  value: CreationValues,
  logo: File | null,
  visitor: Visitor,
  to: string,
) {
  const draft = await keepValid(scope, value, logo, visitor.key);
  const cookie = await visitorCookie({ ...visitor, draft: draft.id });
  if (to.startsWith('/user/')) {
    return redirectWithFlash(to, { type: 'info', key: 'subscription_needed', persistent: true }, [cookie]);
  }
  return redirect(to, { status: 303, headers: { 'Set-Cookie': cookie } });
}

/**
 * Data for the creation form: presets, an idempotency key, and this browser's draft or, failing that, the
 * account's default look for new codes.
 */
export async function creationData(scope: Scope) {
  const { key, draft: draftId } = scope.visitor;
  const [presets, draft, saved] = await Promise.all([
    presetFiles(scope),
    draftId ? findDraft(scope, draftId, key).catch(() => null) : null,
    savedLooks(scope),
  ]);
  const formKey = randomUUID();
  scope.once = [formKey];
  const defaultLook = saved.find(({ isDefault }) => isDefault);
  const style = defaultLook ? { readyMade: defaultLook.name, ...textsOfStyle(defaultLook.style) } : null;
  return { presets, key: formKey, draft: draft && keptDesign(draft), style, saved };
}

function keptDesign({ id, fields, logo }: Draft) {
  return { id, fields, logo };
}
