import type { SubmissionResult } from '@conform-to/react';
import { parseWithZod } from '@conform-to/zod/v4';
import { parseFormData } from '@remix-run/form-data-parser';
import { data } from '@remix-run/node';
import { z } from 'zod';
import { isLocale } from '#contract/locales';
import { formBytesLimit, isCompressed } from '#runtime/request-bodies';
import { errorTexts, namespacesOf } from '~/i18n/messages.server';
import { splitCode } from '~/i18n/text-keys';
import { HostError } from './host-error.server';
import type { Scope } from './scope.server';
import { findTheme } from './theme.server';

const SECRET_FIELDS = ['password', 'currentPassword', 'newPassword', 'confirmPassword', 'code'];
/** Posted by forms that show errors. */
const POSTED_ERRORS = 'shownErrors';
const PostedErrors = z.record(z.string(), z.array(z.string().max(300)).max(20));
/** Posted by every form that has an id. */
const POSTED_FORM_ID = 'formId';
/** Posted along with the errors: what a switch submits has no button with an `intent`. */
const POSTED_INTENT = 'shownIntent';
const NOT_TYPED = [...SECRET_FIELDS, POSTED_ERRORS, POSTED_INTENT, POSTED_FORM_ID];
const FormId = z.string().regex(/^[\w-]{1,80}$/);
const TEXT_ONLY: FormLimits = { maxParts: 120, maxFiles: 0 };

/** Limits besides the bytes, which depend on the path. */
interface FormLimits {
  maxParts: number;
  maxFiles: number;
}

/**
 * Reads only the known fields of a posted form: a name such as `a[99999999]` would otherwise keep the form
 * library busy for seconds. Throws a 415 for a compressed body, a 413 over any limit, and a 400 for an unreadable one.
 */
export async function readForm(
  scope: Scope,
  fields: string[],
  limits: FormLimits = TEXT_ONLY,
): Promise<FormData> {
  if (isCompressed(scope.request.headers.get('content-encoding')))
    throw data(null, { status: 415, headers: { 'Accept-Encoding': 'identity' } });
  const form = new FormData();
  try {
    const posted = await parseWithin(scope, limits);
    for (const [name, value] of posted) {
      if (fields.includes(name)) form.append(name, value);
      else noteSwitch(scope, fields, name, value);
      if (value instanceof File && value.size > 0) scope.lostFile = true;
    }
    const intent = posted.get(POSTED_INTENT);
    if (scope.switched && intent && fields.includes('intent') && !form.has('intent'))
      form.set('intent', intent);
  } catch (error) {
    const isTooLarge = error instanceof Error && error.name.includes('Exceeded');
    throw data(null, { status: isTooLarge ? 413 : 400 });
  }
  // The time of a slow upload does not count against the host's.
  delete scope.deadline;
  scope.submitted = textsOf(form);
  return form;
}

function parseWithin({ request, url }: Scope, limits: FormLimits): Promise<FormData> {
  const bytes = formBytesLimit(url.pathname);
  return parseFormData(request, { ...limits, maxTotalSize: bytes, maxFileSize: bytes });
}

function noteSwitch(scope: Scope, fields: string[], name: string, value: FormDataEntryValue): void {
  const theme = name === 'theme' && findTheme(value);
  if (theme) scope.switched = { ...scope.switched, theme };
  if (name === 'lng' && isLocale(value)) scope.switched = { ...scope.switched, locale: value };
  if (name === POSTED_FORM_ID) scope.formId = FormId.safeParse(value).data;
  if (name === POSTED_ERRORS) scope.shownErrors = readPostedErrors(scope, fields, value);
}

/** Only errors of these fields or of the whole form, and codes for which the page has a text; undefined without any. */
function readPostedErrors({ locale, url }: Scope, fields: string[], value: FormDataEntryValue) {
  const shown = Object.entries(parsePostedErrors(String(value)));
  const known = shown.flatMap(([name, codes]): [string, string[]][] => {
    if (name !== '' && !fields.includes(name)) return [];
    const texts = errorTexts(locale, namespacesOf(url.pathname), codes);
    const worded = codes.filter((code) => Object.hasOwn(texts, splitCode(code)[0]));
    return worded.length > 0 ? [[name, worded]] : [];
  });
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}

function parsePostedErrors(text: string): z.infer<typeof PostedErrors> {
  try {
    return PostedErrors.parse(JSON.parse(text));
  } catch {
    return {};
  }
}

/** A copy of a form with these values and without the removed fields. */
export function withFields(form: FormData, values: Record<string, string>, removed: string[] = []): FormData {
  const copy = new FormData();
  for (const [name, value] of form) if (!removed.includes(name)) copy.append(name, value);
  for (const [name, value] of Object.entries(values)) copy.set(name, value);
  return copy;
}

/** Text fields of a posted form that has not been read yet, without secrets; none if it cannot be read. */
export async function readUnreadTexts(scope: Scope): Promise<[name: string, value: string][]> {
  try {
    return textsOf(await parseWithin(scope, TEXT_ONLY));
  } catch {
    return [];
  }
}

function textsOf(form: FormData): [name: string, value: string][] {
  return [...form].flatMap(([name, value]) =>
    typeof value === 'string' && !NOT_TYPED.includes(name) ? [[name, value] as [string, string]] : [],
  );
}

/** Conform's result, with the texts of its message codes. */
export type FormResult = SubmissionResult<string[]> & {
  texts?: Record<string, string>;
  /** True if the form was only submitted to switch the language or the theme. */
  switched?: true;
};
export type FormErrors = { formErrors?: string[]; fieldErrors?: Record<string, string[]> };

/**
 * The form's value, or its errors; what was typed and the errors it showed if a switch of language or theme submitted
 * it. Schemas contain message codes, never texts.
 */
export function checkForm<S extends z.ZodType>(scope: Scope, form: FormData, schema: S) {
  const submission = parseWithZod(form, { schema });
  const textsFor = (codes: string[]) => errorTexts(scope.locale, namespacesOf(scope.url.pathname), codes);
  /** The result of a refused form: what was typed, without secrets, and these errors. */
  const reject = (errors: FormErrors): FormResult => {
    scope.failed = true;
    const lastResult = submission.reply({ ...errors, hideFields: SECRET_FIELDS as never[] });
    const codes = Object.values(lastResult.error ?? {}).flatMap((found) => found ?? []);
    // The form that is shown again gets a new token.
    if (codes.includes('form_expired'))
      scope.submitted = scope.submitted?.filter(([name]) => name !== 'formToken');
    return { ...lastResult, texts: textsFor(codes) };
  };
  if (scope.switched) {
    const { initialValue = null } = submission.reply({ hideFields: SECRET_FIELDS as never[] });
    const lastResult: FormResult = { initialValue, switched: true };
    const { shownErrors: error } = scope;
    if (!error) return { ok: false as const, lastResult };
    scope.failed = true;
    const texts = textsFor(Object.values(error).flat());
    return { ok: false as const, lastResult: { ...lastResult, error, texts } };
  }
  if (submission.status !== 'success') return { ok: false as const, lastResult: reject({}) };
  return { ok: true as const, value: submission.value as z.output<S>, kept: submission.reply(), reject };
}

/** Responds with the form again. */
export function invalid(lastResult: FormResult, status = 422) {
  return data({ lastResult }, { status: lastResult.switched ? 200 : status });
}

/** The last name of a path such as `routing/end/at`, if the form has a field of that name; none within a list. */
function fieldOf(path: string, fields: string[]): string {
  const name = path.split('/').at(-1) ?? path;
  return fields.includes(name) && !/\/\d/.test(path) ? name : path;
}

/** The host's refusal as errors of the form; errors on fields that it does not have become form errors. */
export function errorsOf(error: HostError, fields: string[]): FormErrors {
  const entries = Object.entries(error.errors).map(
    ([path, codes]) => [fieldOf(path, fields), codes] as const,
  );
  const known = entries.filter(([field]) => fields.includes(field));
  const others = entries.filter(([field]) => !fields.includes(field)).flatMap(([, codes]) => codes);
  return {
    fieldErrors: Object.fromEntries(known),
    ...((others.length > 0 || known.length === 0) && {
      formErrors: others.length > 0 ? others : [error.code],
    }),
  };
}

/** What a posted form is for: checks it and, if it is valid, runs its action with what was entered. */
export async function handleForm<S extends z.ZodType, T>(
  scope: Scope,
  form: FormData,
  schema: S,
  fields: string[] | ((refusal: HostError) => FormErrors),
  act: (entered: z.output<S>, reject: (errors: FormErrors) => FormResult) => Promise<T>,
) {
  const checked = checkForm(scope, form, schema);
  if (!checked.ok) return invalid(checked.lastResult);
  return withFormErrors(checked.reject, fields, () => act(checked.value, checked.reject));
}

/** Errors at `fields`, except that a conflict is one of the whole form, with this code. */
export function orConflict(code: string, fields: string[]) {
  return (refusal: HostError): FormErrors =>
    refusal.status === 409 ? { formErrors: [code] } : errorsOf(refusal, fields);
}

/**
 * Runs the action of a valid form. If the host refuses it, responds with the form and the host's status: 422,
 * or 429 after too many attempts. Errors appear at `fields`, those of the form, or as a function maps them.
 */
export async function withFormErrors<T>(
  reject: (errors: FormErrors) => FormResult,
  fields: string[] | ((refusal: HostError) => FormErrors),
  act: () => Promise<T>,
) {
  try {
    return await act();
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    const errors = typeof fields === 'function' ? fields(thrown) : errorsOf(thrown, fields);
    return invalid(reject(errors), thrown.status);
  }
}
