import { redirect } from '@remix-run/node';
import { z } from 'zod';
import { CodeFilter, StrictCodeFilter, selectCodes } from '#contract/codes';
import {
  BULK_IDS,
  BulkAct,
  getJob,
  type JobProblem,
  listJobProblems,
  listJobs,
  startBulkAct,
  stopJob,
} from '#contract/jobs';
import { listTags } from '#contract/labels';
import type { Locale } from '#contract/locales';
import { nameOf } from '~/codes/code/codes.server';
import {
  LOGO_FIELDS,
  LOGO_SHAPE,
  logoChoiceOf,
  offeredLogos,
  storeChosenLogo,
} from '~/codes/look/logo-input.server';
import { findLook, offeredLooks, problemOfLook } from '~/codes/look/offered-looks.server';
import { redirectKeepingFlash, redirectToSubscription, redirectWithFlash } from '~/http/flash.server';
import {
  checkForm,
  errorsOf,
  type FormErrors,
  invalid,
  readForm,
  withFields,
  withFormErrors,
} from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError, orNotFound } from '~/http/host-error.server';
import { readPageNumber, requireRows } from '~/http/page-number.server';
import { newFormKey, type UserScope } from '~/http/scope.server';
import { errorText } from '~/i18n/messages.server';
import { handleRetarget, planOf, RETARGET_FIELDS, readRetarget, retargetQuery } from './retarget.server';
import { CHOICE_FIELDS, readIds } from './selection.server';

const LIST = '/user/qrcodes';
const FILTER_FIELDS = Object.keys(StrictCodeFilter.shape);
/** Query parameters of the list. */
const VIEW_FIELDS = [...FILTER_FIELDS, 'order', 'size', 'page'];
const TARGET_FIELDS = [...CHOICE_FIELDS, ...VIEW_FIELDS];
const NONE_CHOSEN = { type: 'error', key: 'none_chosen' } as const;
const PROBLEMS_PER_PAGE = 100;
const FORM_LIMITS = { maxParts: BULK_IDS + 60, maxFiles: 1 };

/** These stop printed codes, or count what may have to be uncounted: they are carried out only from their page. */
const CONFIRMED_ACTS: BulkAct[] = ['make_private', 'count', 'delete'];

/** The ticked codes, or every code that matches a list's filter. */
type Target = { ids: string[] } | { filter: z.input<typeof StrictCodeFilter> };

function readTarget(fields: FormData | URLSearchParams): Target {
  if (fields.get('all') !== '1') return { ids: readIds(fields) };
  const given = FILTER_FIELDS.flatMap((name) => {
    const value = fields.get(name);
    return typeof value === 'string' && value !== '' ? [[name, value]] : [];
  });
  const filter = Object.fromEntries(given);
  // An unreadable filter would select every code in the list.
  return StrictCodeFilter.safeParse(filter).success ? { filter } : { ids: [] };
}

/** The list's query parameters at the time the codes were chosen. */
function viewOf(fields: FormData | URLSearchParams): [name: string, value: string][] {
  return VIEW_FIELDS.flatMap((name): [string, string][] => {
    const value = fields.get(name);
    return typeof value === 'string' && value !== '' ? [[name, value]] : [];
  });
}

/** Path of the list with the filter, order and page it had; with the selection where there are no scripts to keep it. */
function listOf(view: [name: string, value: string][], target?: Target): string {
  const ids = target && 'ids' in target ? target.ids.slice(0, BULK_IDS).join() : '';
  const query = [...view, ...(ids ? [['ids', ids]] : [])];
  return query.length > 0 ? `${LIST}?${new URLSearchParams(query)}` : LIST;
}

function addressOf(act: BulkAct, target: Target, view: [name: string, value: string][]): string {
  const chosen = 'ids' in target ? ['ids', target.ids.join()] : ['all', '1'];
  return `${LIST}/selection?${new URLSearchParams([['act', act], chosen, ...view])}`;
}

/** Throws a redirect to the list, with a notice, if there is nothing to act on or too much. */
async function requireSome(scope: UserScope, target: Target, list: string, count: number): Promise<void> {
  if (count === 0) throw await redirectKeepingFlash(scope, list, NONE_CHOSEN);
  if ('filter' in target || count <= BULK_IDS) return;
  const values = { count: String(count), most: String(BULK_IDS) };
  throw await redirectWithFlash(list, { type: 'error', key: 'too_many_ticked', values, persistent: true });
}

/** Data of the page that confirms a bulk action; redirects to the list if no action or no codes are given. */
export async function loadBulkPage(scope: UserScope) {
  const { searchParams } = scope.url;
  const act = BulkAct.safeParse(searchParams.get('act')).data;
  if (!act) throw redirect(LIST);
  const target = readTarget(searchParams);
  const view = viewOf(searchParams);
  const list = listOf(view, target);
  const ticked = 'ids' in target ? target.ids.length : null;
  if (ticked !== null) await requireSome(scope, target, list, ticked);
  const isConfirmed = CONFIRMED_ACTS.includes(act);
  const { total, visited } =
    ticked !== null && !isConfirmed ? { total: ticked } : await countTarget(scope, target, isConfirmed);
  const count = ticked ?? total;
  await requireSome(scope, target, list, count);
  const asksForTag = act === 'tag' || act === 'untag';
  const tags = asksForTag ? (await callHost(scope, listTags)).data : [];
  const retarget = act === 'retarget' ? readRetarget(searchParams) : null;
  const back = addressOf(act, target, view);
  const plan = retarget && (await planOf(scope, retarget, target, back));
  const offered = act === 'style' ? await offeredLooks(scope) : null;
  const initialLook = offered?.looks.find(({ value }) => value === searchParams.get('readyMade'))?.value;
  const logos = offered && (await offeredLogos(scope));
  const key = newFormKey(scope);
  const expected = plan ? plan.changed : 'filter' in target && isConfirmed ? count : null;
  return {
    act,
    count,
    visited: visited ?? null,
    expected,
    address: retarget ? `${back}&${retargetQuery(retarget)}` : back,
    archive: addressOf('archive', target, view),
    back,
    plan,
    list,
    key,
    tags: tags.map(({ tag }) => tag),
    offered,
    initialLook: initialLook ?? 'keep',
    logos,
  };
}

async function countTarget(scope: UserScope, target: Target, countsVisited: boolean) {
  const which = 'ids' in target ? target : { ...CodeFilter.parse(target.filter), part: 1, partSize: 1 };
  return (await callHost(scope, selectCodes, { body: { ...which, countsVisited } })).meta;
}

const BulkForm = z.object({
  withTag: z.string().max(200, 'tag_too_long').default(''),
  readyMade: z.string().max(100, 'style_required').default(''),
  ...LOGO_SHAPE,
  expected: z.coerce.number().int().min(0).optional(),
  key: z.string().max(100).optional(),
});

/** Runs a bulk action: at once for ticked codes, as a background job with a progress page for all that match. */
export async function handleBulkAct(scope: UserScope) {
  const { searchParams } = scope.url;
  const names = [
    'act',
    ...RETARGET_FIELDS,
    'withTag',
    'readyMade',
    ...LOGO_FIELDS,
    'expected',
    'key',
    ...TARGET_FIELDS,
  ];
  const posted = await readForm(scope, names, FORM_LIMITS);
  const { form, refusal: refusedLogo } = await storeChosenLogo(scope, posted);
  const chosen = searchParams.has('act') ? searchParams : form;
  const [target, view] = [readTarget(chosen), viewOf(chosen)];
  const act = BulkAct.safeParse(searchParams.get('act') ?? form.get('act')).data;
  if (!act) throw redirect(LIST, 303);
  if ('ids' in target) await requireSome(scope, target, listOf(view, target), target.ids.length);
  const isConfirmed = searchParams.has('act');
  if (!isConfirmed && CONFIRMED_ACTS.includes(act)) throw redirect(addressOf(act, target, view), 303);
  const retarget = act === 'retarget' ? readRetarget(searchParams) : null;
  if (act === 'retarget' && !retarget)
    return handleRetarget(scope, form, target, addressOf(act, target, view));
  const checked = checkForm(scope, withFields(form, {}, ['act', ...TARGET_FIELDS]), BulkForm);
  if (!checked.ok) return { lastResult: checked.lastResult };
  if (refusedLogo) return invalid(checked.reject(formErrorsOf(refusedLogo)), refusedLogo.status);
  const { withTag, expected, key } = checked.value;
  const asksForTag = act === 'tag' || act === 'untag';
  return withFormErrors(checked.reject, formErrorsOf, async () => {
    const { look, problem } = act === 'style' ? await readLook(scope, checked.value) : NO_LOOK;
    if (problem) return invalid(checked.reject(problem.errors), problem.status);
    const body = {
      act,
      ...target,
      ...(asksForTag && { tag: withTag }),
      ...look,
      ...(retarget && { retarget }),
      ...(expected !== undefined && { expected }),
      ...(key && { key }),
    };
    const { data: job } = await callHost(scope, startBulkAct, { body }).catch(async (thrown: unknown) => {
      if (isConfirmed && thrown instanceof HostError && thrown.code === 'count_differs')
        throw await confirmAgain(searchParams);
      throw isConfirmed ? thrown : ((await refusalOf(thrown, listOf(view, target))) ?? thrown);
    });
    // A background job may already have finished; it gets its page all the same.
    const isFollowed = 'filter' in target || job.status !== 'done' || job.failed > 0;
    if (isFollowed) return redirect(`${LIST}/jobs/${job.id}`, 303);
    const values = { count: String(job.succeeded) };
    return redirectWithFlash(listOf(view), { type: 'success', key: 'bulk_done', values });
  });
}

const NO_LOOK = { look: {}, problem: null };

/** The look and the logo to give to codes; a logo chosen beside a saved look replaces that of the look. */
async function readLook(scope: UserScope, { readyMade, ...entered }: z.output<typeof BulkForm>) {
  const found = readyMade === 'keep' ? undefined : await findLook(scope, readyMade);
  if (readyMade !== 'keep' && !found) {
    return { look: {}, problem: { errors: { fieldErrors: { readyMade: ['style_required'] } }, status: 422 } };
  }
  const logo = logoChoiceOf(entered) ?? found?.logo ?? undefined;
  const problem = found ? await problemOfLook(scope, { style: found.style, logo: logo ?? null }) : null;
  return { look: { ...(found && { style: found.style }), ...(logo && { logo }) }, problem };
}

/** Back to the confirmation page, which then shows how many codes match now. */
function confirmAgain(requested: URLSearchParams): Promise<Response> {
  const notice = { type: 'warning', key: 'match_changed', persistent: true } as const;
  return redirectWithFlash(`${LIST}/selection?${requested}`, notice);
}

/**
 * An action without a confirmation page cannot show an error there, so its refusal becomes a flash notice.
 */
async function refusalOf(thrown: unknown, list: string): Promise<Response | null> {
  if (!(thrown instanceof HostError)) return null;
  return thrown.code === 'subscription_required'
    ? redirectToSubscription()
    : redirectWithFlash(list, { type: 'error', key: 'bulk_refused', persistent: true });
}

function formErrorsOf(refusal: HostError): FormErrors {
  const { tag, style, ...errors } = refusal.errors;
  const named = new HostError(refusal.status, {
    status: 'error',
    message: refusal.message,
    code: refusal.code,
    errors: { ...errors, ...(tag && { withTag: tag }), ...(style && { readyMade: style }) },
  });
  return errorsOf(named, ['withTag', 'readyMade', 'logo']);
}

/** The account's recent jobs, newest first. */
export async function loadJobs(scope: UserScope) {
  const { data: jobs } = await callHost(scope, listJobs);
  return { jobs };
}

/** A job's progress and, once it has ended, a page of the codes it could not process. */
export async function loadJobPage(scope: UserScope, id: string | undefined) {
  const params = { id: id ?? '' };
  const { locale } = scope;
  const { data: job } = await orNotFound(callHost(scope, getJob, { params }));
  const report = `${LIST}/import/${job.importId}`;
  const files = {
    mistakes: job.mistakes > 0 ? `${report}/problems.csv` : null,
    duplicates: job.duplicates > 0 ? `${report}/duplicates.csv` : null,
  };
  const hasProblems = job.status !== 'running' && job.failed > 0;
  if (!hasProblems) return { job, files, problems: [], meta: null };
  const page = await readPageNumber(scope);
  const query = { page, limit: PROBLEMS_PER_PAGE };
  const { data: problems, meta } = await callHost(scope, listJobProblems, { params, query });
  await requireRows(scope, page, problems);
  return { job, files, problems: problems.map((problem) => problemView(problem, locale)), meta };
}

function problemView({ codeId, code, row, reason }: JobProblem, locale: Locale) {
  return {
    id: `${codeId ?? ''}${row ?? ''}`,
    codeId: code && codeId,
    name: code ? nameOf(code) : null,
    row,
    reason: errorText(locale, ['design'], reason) ?? reason,
  };
}

export async function handleJobStop(scope: UserScope, id: string | undefined) {
  await orNotFound(callHost(scope, stopJob, { params: { id: id ?? '' } }));
  return redirect(`${LIST}/jobs/${id}`, 303);
}
