import type { SubmissionResult } from '@conform-to/react';
import { parseWithZod } from '@conform-to/zod/v4';
import { parseFormData } from '@remix-run/form-data-parser';
import { data } from '@remix-run/node';
import type { z } from 'zod';
import { formBytesLimit } from '#contract/form-sizes';
import { getLocale } from '~/i18n/locale.server';
import { DEFAULT_LOCALE, isLocale } from '~/i18n/locales';
import { errorTexts } from '~/i18n/messages.server';
import { namespacesOf } from '~/i18n/namespaces';
import type { HostError } from './host-error.server';
import { type RequestContext, type Scope, scopeOf } from './scope.server';
import { findTheme } from './theme.server';

const SECRET_FIELDS = ['password', 'currentPassword', 'newPassword', 'confirmPassword', 'code'];
const TEXT_ONLY: FormLimits = { maxParts: 60, maxFiles: 0 };

/** Beside the bytes, which the path decides. */
interface FormLimits {
  maxParts: number;
  maxFiles: number;
}

/**
 * Reads a posted form of known fields and nothing else: a name such as `a[99999999]` would otherwise keep the form
 * library busy for seconds. Too much of anything is a 413, an unreadable body a 400.
 */
export async function readForm(
  requestContext: RequestContext,
  fields: string[],
  limits: FormLimits = TEXT_ONLY,
): Promise<FormData> {
  const form = new FormData();
  const scope = scopeOf(requestContext);
  try {
    for (const [name, value] of await parseWithin(requestContext.request, limits)) {
      if (fields.includes(name)) form.append(name, value);
      else noteSwitch(scope, name, value);
      if (value instanceof File && value.size > 0) scope.lostFile = true;
    }
  } catch (error) {
    const isTooLarge = error instanceof Error && error.name.includes('Exceeded');
    throw data(null, { status: isTooLarge ? 413 : 400 });
  }
  // A slow upload takes nothing of the host's time.
  delete scope.deadline;
  scope.locale = await getLocale(requestContext.request);
  scope.submitted = textsOf(form);
  return form;
}

function parseWithin(request: Request, limits: FormLimits): Promise<FormData> {
  const bytes = formBytesLimit(new URL(request.url).pathname);
  return parseFormData(request, { ...limits, maxTotalSize: bytes, maxFileSize: bytes });
}

function noteSwitch(scope: Scope, name: string, value: FormDataEntryValue): void {
  const theme = name === 'theme' && findTheme(value);
  if (theme) scope.switched = { ...scope.switched, theme };
  if (name === 'lng' && isLocale(value)) scope.switched = { ...scope.switched, locale: value };
}

/** Text fields of a posted form that nobody has read yet, without secrets; none when it cannot be read. */
export async function readUnreadTexts(request: Request): Promise<[name: string, value: string][]> {
  if (request.method !== 'POST' || request.bodyUsed) return [];
  try {
    return textsOf(await parseWithin(request, TEXT_ONLY));
  } catch {
    return [];
  }
}

function textsOf(form: FormData): [name: string, value: string][] {
  return [...form].flatMap(([name, value]) =>
    typeof value === 'string' && !SECRET_FIELDS.includes(name) ? [[name, value] as [string, string]] : [],
  );
}

/** Conform's result, with the sentences of its message codes. */
export type FormResult = SubmissionResult<string[]> & {
  texts?: Record<string, string>;
  /** True where nothing was asked for but the page in another language or theme. */
  switched?: true;
};
export type FormErrors = { formErrors?: string[]; fieldErrors?: Record<string, string[]> };

/**
 * The form's value, or its errors; nothing but what was typed when a switch of the page sent it. Schemas carry
 * message codes, never sentences.
 */
export function checkForm<S extends z.ZodType>(requestContext: RequestContext, form: FormData, schema: S) {
  const submission = parseWithZod(form, { schema });
  /** Refuses the form: everything typed but the secrets, with these errors. */
  const reject = (errors: FormErrors): FormResult => {
    const scope = scopeOf(requestContext);
    scope.failed = true;
    const lastResult = submission.reply({ ...errors, hideFields: SECRET_FIELDS as never[] });
    const codes = Object.values(lastResult.error ?? {}).flatMap((found) => found ?? []);
    // The form that is shown again gets another one.
    if (codes.includes('form_expired'))
      scope.submitted = scope.submitted?.filter(([name]) => name !== 'formToken');
    const namespaces = namespacesOf(new URL(requestContext.request.url).pathname);
    return { ...lastResult, texts: errorTexts(scope.locale ?? DEFAULT_LOCALE, namespaces, codes) };
  };
  if (scopeOf(requestContext).switched) {
    const { initialValue = null } = submission.reply({ hideFields: SECRET_FIELDS as never[] });
    const lastResult: FormResult = { initialValue, switched: true };
    return { ok: false as const, lastResult };
  }
  if (submission.status !== 'success') return { ok: false as const, lastResult: reject({}) };
  return { ok: true as const, value: submission.value as z.output<S>, kept: submission.reply(), reject };
}

/** Answers the page with the form again. */
export function invalid(lastResult: FormResult, status = 422) {
  return data({ lastResult }, { status: lastResult.switched ? 200 : status });
}

/** The host's refusal as errors of the form; fields it does not have become errors of the whole. */
export function errorsOf(error: HostError, fields: string[]): FormErrors {
  const entries = Object.entries(error.errors);
  const known = entries.filter(([field]) => fields.includes(field));
  const others = entries.filter(([field]) => !fields.includes(field)).flatMap(([, codes]) => codes);
  return {
    fieldErrors: Object.fromEntries(known),
    ...((others.length > 0 || known.length === 0) && {
      formErrors: others.length > 0 ? others : [error.code],
    }),
  };
}
