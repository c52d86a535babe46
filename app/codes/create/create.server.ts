import { createHash } from 'node:crypto';
import { mainFieldOf } from '#contract/contents/contents';
import { LOCALES } from '#contract/locales';
import { LOGO_BYTES_LIMIT } from '#contract/logo-choice';
import { listPlans } from '#contract/plans';
import { offeredStyles, resolveLook, savedLooks } from '~/codes/look/look.server';
import { textsOfStyle } from '~/codes/look/look-input';
import { checkForm, errorsOf, readForm, withFields } from '~/http/form.server';
import { callHost, isUnavailable } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { isSignedIn, newFormKey, type Scope } from '~/http/scope.server';
import { staleIfError } from '~/http/stale-if-error.server';
import { readZone } from '~/http/time-zone.server';
import { formatMoney } from '~/ui/format';
import { type Checked, gradeLook, refuse, respondUnavailable, showLook, showPreview } from './answer.server';
import { typedAddress } from './campaign.server';
import { findDraft } from './drafts.server';
import { ownLogos, presetFiles } from './logo-bytes.server';
import { createOrKeep } from './new-code.server';
import {
  CREATION_FIELDS,
  CREATION_LIMITS,
  CreationForm,
  type CreationValues,
  type Design,
  TypedForm,
  withContent,
} from './schema.server';

/** What each button does with a valid form. */
const INTENTS = { look: showLook, preview: showPreview, create } as const;

/** Previews, stores or creates the posted design; used by every page with the creation form. */
export async function handleCreation(scope: Scope) {
  const { form, logo, logoProblem } = await readPosted(scope);
  const sent = { form, logo: logoProblem ? null : logo };
  const checked = checkForm(scope, form, form.get('intent') === 'look' ? TypedForm : CreationForm);
  if (!checked.ok) {
    const { lastResult } = checked;
    return refuse(scope, sent, { lastResult, status: lastResult.switched ? 200 : 422 });
  }
  const { value } = checked;
  if (logoProblem) {
    const lastResult = checked.reject({ fieldErrors: { logo: [logoProblem] } });
    return refuse(scope, sent, { lastResult, status: 422, plain: value });
  }
  const design = { value, logo };
  try {
    return await INTENTS[value.intent](scope, design, checked);
  } catch (thrown) {
    if (isUnavailable(thrown)) return respondUnavailable(scope, design, checked);
    if (!(thrown instanceof HostError)) throw thrown;
    const refusal = { lastResult: checked.reject(creationErrors(thrown, value)), status: thrown.status };
    return thrown.errors.logo
      ? refuse(scope, { form, logo: null }, { ...refusal, plain: value })
      : refuse(scope, sent, refusal);
  }
}

/** The posted form with its look resolved, and the file, which the form library cannot return. */
async function readPosted(scope: Scope) {
  const posted = withContent(await readForm(scope, CREATION_FIELDS, CREATION_LIMITS));
  const form = resolveLook(posted, await offeredStyles(scope));
  const file = form.get('logo');
  // An empty file has a name; an untouched field sends a file without one.
  const logo = file instanceof File && (file.size > 0 || file.name !== '') ? file : null;
  const logoProblem = logo && problemOf(logo);
  // On the next page, whose file input is empty, a preset would take precedence over the stored file.
  const preset: Record<string, string> = logo && !logoProblem ? { logoPreset: 'none' } : {};
  // Beside a stored file no tile is chosen, unless to have none instead.
  const isDropped = !logo && form.get('draftLogo') === 'on' && form.get('logoPreset') === 'none';
  const removal: Record<string, string> = isDropped ? { removeLogo: 'on' } : {};
  return { form: withFields(form, { ...preset, ...removal }, ['logo']), logo, logoProblem };
}

function problemOf({ size }: File): string | null {
  if (size === 0) return 'logo_broken';
  return size > LOGO_BYTES_LIMIT ? 'logo_too_large' : null;
}

async function create(scope: Scope, design: Design, checked: Checked) {
  const graded = await gradeLook(scope, design, checked);
  if (graded.refusal) return graded.refusal;
  return createOrKeep(scope, graded.design, await formKeyOf(design));
}

/**
 * Idempotency key for the host, which adds the other fields: a different logo makes a different code. Takes
 * the values as posted, because grading may have moved the file to a draft, a new one each time.
 */
async function formKeyOf({ value: { key, draft, removeLogo }, logo }: Design) {
  if (key === undefined) return undefined;
  const hash = createHash('sha256').update(JSON.stringify([key, draft, removeLogo]));
  if (logo) hash.update(Buffer.from(await logo.arrayBuffer()));
  return hash.digest('base64url');
}

/**
 * Maps the host's errors to the form's fields: it calls the content `data`, even if several fields make it.
 */
function creationErrors(error: HostError, { type }: CreationValues) {
  if (error.code === 'not_found') return { formErrors: ['draft_unknown'] };
  const { data: content, ...others } = error.errors;
  const errors = content ? { ...others, [mainFieldOf(type)]: content } : others;
  return errorsOf(
    new HostError(error.status, { message: error.message, status: 'error', code: error.code, errors }),
    [...CREATION_FIELDS],
  );
}

/**
 * Data for the creation form: presets, an idempotency key, and this browser's draft or, failing that, the
 * account's default look for new codes; and the zone in which events are entered.
 */
export async function creationData(scope: Scope) {
  const draftId = scope.visitor.draft;
  const [presets, draft, saved, own, offer, zone] = await Promise.all([
    presetFiles(scope),
    draftId ? findDraft(scope, draftId).catch(() => null) : null,
    savedLooks(scope),
    isSignedIn(scope) ? ownLogos(scope) : [],
    findOffer(scope),
    readZone(scope).catch(() => LOCALES[scope.locale].zone),
  ]);
  const key = newFormKey(scope);
  const defaultLook = saved.find(({ isDefault }) => isDefault);
  const initial = defaultLook && {
    readyMade: defaultLook.name,
    ...textsOfStyle(defaultLook.style),
    ...defaultLook.logo,
  };
  const kept = draft && {
    id: draft.id,
    fields: draft.fields,
    logo: draft.logo,
    finalAddress: typedAddress(draft.fields),
  };
  return { presets, own, key, draft: kept, initial: initial ?? null, saved, offer, zone };
}

const readPlans = staleIfError(async (scope) => (await callHost(scope, listPlans)).data);

/** What a visitor pays after creating a code; null for those who need not order, or while it cannot be read. */
async function findOffer(scope: Scope): Promise<{ amount: string; hours: number } | null> {
  if (isSignedIn(scope)) return null;
  try {
    const monthly = (await readPlans(scope)).find(({ interval }) => interval === 'month');
    if (!monthly) return null;
    const amount = formatMoney(monthly.priceCents, LOCALES[scope.locale].tag);
    return { amount, hours: monthly.trialHours };
  } catch (thrown) {
    if (thrown instanceof HostError || isUnavailable(thrown)) return null;
    throw thrown;
  }
}
