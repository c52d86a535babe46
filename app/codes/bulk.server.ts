import { randomUUID } from 'node:crypto';
import { redirect } from '@remix-run/node';
import { z } from 'zod';
import { listCodes, listTags, StrictCodeFilter } from '#contract/codes';
import {
  BULK_IDS,
  BulkAct,
  getJob,
  type JobProblem,
  listJobProblems,
  startBulkAct,
  stopJob,
} from '#contract/jobs';
import { redirectWithFlash } from '~/http/flash.server';
import { checkForm, errorsOf, type FormErrors, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { type RequestContext, scopeOf } from '~/http/scope.server';
import { withFormErrors } from '~/http/with-form-errors.server';
import { getLocale } from '~/i18n/locale.server';
import type { Locale } from '~/i18n/locales';
import { errorTexts } from '~/i18n/messages.server';
import { nameOf, orNotFound } from './codes.server';
import { findLook, offeredLooks } from './look/offered-looks.server';
import { CHOICE_FIELDS, readIds } from './selection.server';

const LIST = '/user/qrcodes';
const FILTER_FIELDS = Object.keys(StrictCodeFilter.shape);
const TARGET_FIELDS = [...CHOICE_FIELDS, ...FILTER_FIELDS];

/** The ticked codes, or all that a list's filter finds. */
type Target = { ids: string[] } | { filter: z.input<typeof StrictCodeFilter> };

function readTarget(fields: FormData | URLSearchParams): Target {
  if (fields.get('all') !== '1') return { ids: readIds(fields).slice(0, BULK_IDS) };
  const given = FILTER_FIELDS.flatMap((name) => {
    const value = fields.get(name);
    return typeof value === 'string' && value !== '' ? [[name, value]] : [];
  });
  const filter = Object.fromEntries(given);
  // One that cannot be read would stand for all codes in the list.
  return StrictCodeFilter.safeParse(filter).success ? { filter } : { ids: [] };
}

/** Its address, with what it is to be done to. */
function addressOf(target: Target): string {
  const named =
    'ids' in target
      ? [['ids', target.ids.join()]]
      : [['all', '1'], ...Object.entries(target.filter).map(([name, value]) => [name, String(value)])];
  return new URLSearchParams(named).toString();
}

/** What the page asks before something is done to many codes; without an act or a code the list opens. */
export async function loadBulkPage(requestContext: RequestContext, token: string) {
  const { searchParams } = new URL(requestContext.request.url);
  const act = BulkAct.safeParse(searchParams.get('act')).data;
  if (!act) throw redirect(LIST);
  const target = readTarget(searchParams);
  const count = 'ids' in target ? target.ids.length : await countListed(requestContext, token, target.filter);
  if (count === 0) throw await refuseNone();
  const asksForTag = act === 'tag' || act === 'untag';
  const tags = asksForTag ? (await callHost(requestContext, listTags, { token })).data : [];
  const offered = act === 'style' ? await offeredLooks(requestContext, token) : null;
  const key = randomUUID();
  scopeOf(requestContext).once = [key];
  const address = `${LIST}/selection?act=${act}&${addressOf(target)}`;
  return { act, count, address, key, tags: tags.map(({ tag }) => tag), offered };
}

async function countListed(
  requestContext: RequestContext,
  token: string,
  filter: z.input<typeof StrictCodeFilter>,
): Promise<number> {
  const { meta } = await callHost(requestContext, listCodes, {
    query: { ...filter, page: 1, limit: 1 },
    token,
  });
  return meta.total;
}

function refuseNone(): Promise<Response> {
  return redirectWithFlash(LIST, { type: 'error', key: 'none_chosen' });
}

const BulkForm = z.object({
  withTag: z.string().max(200, 'tag_too_long').default(''),
  readyMade: z.string().max(100, 'style_required').default(''),
  key: z.string().max(100).optional(),
});

/** Does it: at once for ticked codes, and in the background, with a page that follows it, for all that match. */
export async function handleBulkAct(requestContext: RequestContext, token: string) {
  const { searchParams } = new URL(requestContext.request.url);
  const form = await readForm(requestContext, ['act', 'withTag', 'readyMade', 'key', ...TARGET_FIELDS]);
  const target = readTarget(searchParams.has('act') ? searchParams : form);
  const act = BulkAct.safeParse(searchParams.get('act') ?? form.get('act')).data;
  if (!act) throw redirect(LIST, 303);
  if ('ids' in target && target.ids.length === 0) return refuseNone();
  for (const name of ['act', ...TARGET_FIELDS]) form.delete(name);
  const checked = checkForm(requestContext, form, BulkForm);
  if (!checked.ok) return { lastResult: checked.lastResult };
  const { withTag, readyMade, key } = checked.value;
  const asksForTag = act === 'tag' || act === 'untag';
  const isAsked = searchParams.has('act');
  return withFormErrors(checked.reject, formErrorsOf, async () => {
    const style = act === 'style' ? await findLook(requestContext, token, readyMade) : undefined;
    const body = {
      act,
      ...target,
      ...(asksForTag && { tag: withTag }),
      ...(style && { style }),
      ...(key && { key }),
    };
    const { data: job } = await callHost(requestContext, startBulkAct, { body, token }).catch(
      async (thrown: unknown) => {
        throw isAsked ? thrown : ((await refusalOf(thrown)) ?? thrown);
      },
    );
    // What is done in the background may be done by now: it has its page all the same.
    const isFollowed = 'filter' in target || job.status !== 'done' || job.failed > 0;
    if (isFollowed) return redirect(`${LIST}/jobs/${job.id}`, 303);
    const values = { count: String(job.succeeded) };
    return redirectWithFlash(listOf(target), { type: 'success', key: 'bulk_done', values });
  });
}

/** An act that asked nothing has no page of its own to say why it was refused. */
async function refusalOf(thrown: unknown): Promise<Response | null> {
  if (!(thrown instanceof HostError)) return null;
  return thrown.code === 'subscription_required'
    ? redirectWithFlash('/user/subscription', { type: 'info', key: 'subscription_needed', persistent: true })
    : redirectWithFlash(LIST, { type: 'error', key: 'bulk_refused', persistent: true });
}

function formErrorsOf(refusal: HostError): FormErrors {
  const { tag, style, ...errors } = refusal.errors;
  const named = new HostError(refusal.status, {
    ...{ status: 'error', message: refusal.message, code: refusal.code },
    errors: { ...errors, ...(tag && { withTag: tag }), ...(style && { readyMade: style }) },
  });
  return errorsOf(named, ['withTag', 'readyMade']);
}

/** The list as it was when all that it shows were chosen. */
function listOf(target: Target): string {
  if ('ids' in target) return LIST;
  const search = new URLSearchParams(
    Object.entries(target.filter).map(([name, value]) => [name, String(value)]),
  );
  return search.size > 0 ? `${LIST}?${search}` : LIST;
}

/** How far a job is and, once it has ended, which codes it could not do. */
export async function loadJobPage(requestContext: RequestContext, id: string | undefined, token: string) {
  const params = { id: id ?? '' };
  const locale = await getLocale(requestContext.request);
  const { data: job } = await callHost(requestContext, getJob, { params, token }).catch((thrown) => {
    throw orNotFound(thrown);
  });
  const hasProblems = job.status !== 'running' && job.failed > 0;
  const problems = hasProblems
    ? await callHost(requestContext, listJobProblems, { params, query: { page: 1, limit: 100 }, token })
    : null;
  return {
    job,
    problems: (problems?.data ?? []).map((problem) => problemView(problem, locale)),
    moreProblems: (problems?.meta.total ?? 0) - (problems?.data.length ?? 0),
  };
}

function problemView({ codeId, code, row, reason }: JobProblem, locale: Locale) {
  return {
    id: `${codeId ?? ''}${row ?? ''}`,
    codeId: code && codeId,
    name: code ? nameOf(code) : null,
    row,
    reason: errorTexts(locale, ['design'], [reason])[reason] ?? reason,
  };
}

export async function handleJobStop(requestContext: RequestContext, id: string | undefined, token: string) {
  await callHost(requestContext, stopJob, { params: { id: id ?? '' }, token }).catch((thrown) => {
    throw orNotFound(thrown);
  });
  return redirect(`${LIST}/jobs/${id}`, 303);
}
