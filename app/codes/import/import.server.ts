import { data, redirect } from '@remix-run/node';
import { z } from 'zod';
import {
  createImport,
  exportImportedCodes,
  getImport,
  IMPORT_FIELDS,
  type ImportReport,
  listImportDuplicates,
  listImportProblems,
  REPORT_ENTRIES_PER_PAGE,
  startImport,
} from '#contract/imports';
import type { Locale } from '#contract/locales';
import type { LogoChoice } from '#contract/logo-choice';
import { shortContent } from '~/codes/code/codes.server';
import { IMPORT_EXAMPLES } from '~/codes/contents/import-examples.server';
import {
  LOGO_FIELDS,
  LOGO_SHAPE,
  logoChoiceOf,
  offeredLogos,
  storeChosenLogo,
} from '~/codes/look/logo-input.server';
import { findLook, offeredLooks, PLAIN_LOOK, problemOfLook } from '~/codes/look/offered-looks.server';
import { findStyles } from '~/codes/look/saved-styles.server';
import { redirectWithFlash } from '~/http/flash.server';
import {
  checkForm,
  errorsOf,
  type FormErrors,
  invalid,
  readForm,
  withFields,
  withFormErrors,
} from '~/http/form.server';
import { callHost, streamHost } from '~/http/host.server';
import { HostError, orNotFound } from '~/http/host-error.server';
import type { Scope, UserScope } from '~/http/scope.server';
import { wordDuplicates, wordProblems } from './files.server';

const PAGE = '/user/qrcodes/import';
const LIMITS = {
  maxParts: 10,
  maxFiles: 1,
};

/** A CSV file to fill in, with three rows that show how. */
export async function importTemplate(scope: Scope): Promise<Response> {
  const rows = IMPORT_EXAMPLES[scope.locale].map((row) => IMPORT_FIELDS.map((field) => row[field] ?? ''));
  const lines = [[...IMPORT_FIELDS], ...rows].map((cells) => cells.map(quoted).join(','));
  // The byte order mark tells spreadsheets that the text is UTF-8.
  return new Response(`\ufeff${lines.join('\r\n')}\r\n`, {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': 'attachment; filename="qr-codes.csv"',
      'Cache-Control': 'private, no-store',
    },
  });
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Uploads a file to the host and redirects to its report; errors in the file are shown in the form. */
export async function handleUpload(scope: UserScope) {
  const form = await readForm(scope, ['file'], LIMITS);
  const file = form.get('file');
  const checked = checkForm(scope, withFields(form, {}, ['file']), z.object({}));
  if (!checked.ok) return data({ lastResult: checked.lastResult }, { status: 200 });
  return withFormErrors(checked.reject, ['file'], async () => {
    const sent = new FormData();
    if (file instanceof File && file.name !== '') sent.set('file', file);
    const { data: report } = await callHost(scope, createImport, { form: sent });
    return redirect(`${PAGE}/${report.id}`, 303);
  });
}

/**
 * The report on an uploaded file, with the pages of its problems and duplicates that the query names, worded for the
 * reader; once the import is started, redirects to its job.
 */
export async function loadReport(scope: UserScope, id: string | undefined) {
  const { locale } = scope;
  const params = { id: id ?? '' };
  const found = await orNotFound(callHost(scope, getImport, { params }));
  const { report, job } = found.data;
  if (job) throw redirect(`/user/qrcodes/jobs/${job.id}`, 303);
  const pages = {
    problems: pageIn(scope, 'page', report.problemCount),
    duplicates: pageIn(scope, 'duplicates', report.duplicateCount),
  };
  const ask = (page: number) => ({ params, query: { page } });
  const [problems, duplicates, offered, logos] = await Promise.all([
    pages.problems === 1
      ? { data: report.problems }
      : callHost(scope, listImportProblems, ask(pages.problems)),
    pages.duplicates === 1
      ? { data: report.duplicates }
      : callHost(scope, listImportDuplicates, ask(pages.duplicates)),
    offeredLooks(scope, { isPlainOnly: true }),
    offeredLogos(scope),
  ]);
  const shown = { ...report, problems: problems.data, duplicates: duplicates.data };
  return { report: viewOf(shown, pages, locale), offered, logos };
}

/** The last page for a number beyond it, the first for anything else than a number. */
function pageIn(scope: Scope, parameter: string, total: number): number {
  const requested = Number(scope.url.searchParams.get(parameter));
  const last = Math.max(1, Math.ceil(total / REPORT_ENTRIES_PER_PAGE));
  return Number.isInteger(requested) ? Math.min(Math.max(requested, 1), last) : 1;
}

const DELIMITER_NAMES = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' } as const;

export type ReportView = ReturnType<typeof viewOf>;

function viewOf(report: ImportReport, pages: { problems: number; duplicates: number }, locale: Locale) {
  const { source, encoding, delimiter, ...facts } = report;
  return {
    ...facts,
    source,
    encoding,
    delimiter: DELIMITER_NAMES[delimiter],
    // Several columns may have the same header.
    columns: report.columns.map((column, place) => ({ key: `${place}`, ...column })),
    preview: report.preview.map((code) => ({ ...code, content: shortContent(code) })),
    problems: wordProblems(report.problems, locale).map((problem, place) => ({
      key: `${place}`,
      ...problem,
    })),
    problemPages: { page: pages.problems, limit: REPORT_ENTRIES_PER_PAGE, total: report.problemCount },
    duplicates: wordDuplicates(report.duplicates, locale),
    duplicatePages: { page: pages.duplicates, limit: REPORT_ENTRIES_PER_PAGE, total: report.duplicateCount },
  };
}

const StartForm = z.object({
  skipDuplicates: z.boolean().default(false),
  readyMade: z.string().max(100, 'style_unknown').default(''),
  ...LOGO_SHAPE,
});

/** Starts the import job in the chosen look; submitting twice opens the same job. */
export async function handleStart(scope: UserScope, id: string | undefined) {
  const posted = await readForm(scope, ['skipDuplicates', 'readyMade', ...LOGO_FIELDS], LIMITS);
  const { form, refusal: refusedLogo } = await storeChosenLogo(scope, posted);
  const checked = checkForm(scope, form, StartForm);
  if (!checked.ok) return invalid(checked.lastResult);
  if (refusedLogo) return invalid(checked.reject(startErrorsOf(refusedLogo)), refusedLogo.status);
  const logo = logoChoiceOf(checked.value);
  const { skipDuplicates, readyMade } = checked.value;
  return withFormErrors(checked.reject, startErrorsOf, async () => {
    const refusal = await refusalOfLook(scope, readyMade, logo);
    if (refusal) return invalid(checked.reject(refusal.errors), refusal.status);
    const isPlain = readyMade === '' || readyMade === PLAIN_LOOK;
    const { data: job } = await callHost(scope, startImport, {
      params: { id: id ?? '' },
      body: { skipDuplicates, style: isPlain ? 'none' : readyMade, logo },
    });
    return redirect(`/user/qrcodes/jobs/${job.id}`, 303);
  });
}

/** A page without saved looks asks for none. Whether a look still exists is for the host to say. */
async function refusalOfLook(scope: UserScope, value: string, logo: LogoChoice | undefined) {
  if (value === '') {
    const isRequested = (await findStyles(scope)).length > 0;
    return isRequested ? { errors: { fieldErrors: { readyMade: ['style_required'] } }, status: 422 } : null;
  }
  const look = await findLook(scope, value);
  return look ? problemOfLook(scope, { ...look, logo: logo ?? look.logo }) : null;
}

function startErrorsOf(refusal: HostError): FormErrors {
  const { fieldErrors: { style, ...others } = {}, ...errors } = errorsOf(refusal, ['style', 'logo']);
  return { ...errors, fieldErrors: { ...others, ...(style && { readyMade: style }) } };
}

/** CSV with the names and URLs of the codes that an import created. */
export async function downloadImported(scope: UserScope, id: string | undefined): Promise<Response> {
  try {
    const asking = streamHost(scope, exportImportedCodes, { params: { id: id ?? '' } });
    const { body } = await orNotFound(asking);
    return new Response(body, {
      headers: {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': 'attachment; filename="imported-codes.csv"',
        'Cache-Control': 'private, no-store',
      },
    });
  } catch (thrown) {
    if (thrown instanceof HostError && thrown.status === 429) {
      scope.failed = true;
      return redirectWithFlash(`/user/qrcodes/jobs/${id}`, { type: 'error', key: 'bulk_refused' });
    }
    throw thrown;
  }
}
