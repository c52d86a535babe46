import { stringify } from 'csv-stringify/sync';
import { CSV_FORMAT } from '#contract/exports';
import {
  type ImportDuplicate,
  type ImportProblem,
  listImportDuplicates,
  listImportProblems,
} from '#contract/imports';
import type { Locale } from '#contract/locales';
import { renewDeadline } from '~/codes/list/selection.server';
import { callHost } from '~/http/host.server';
import { orNotFound } from '~/http/host-error.server';
import { passBody } from '~/http/pass-body.server';
import type { Scope, UserScope } from '~/http/scope.server';
import { errorText, i18nOf } from '~/i18n/messages.server';

type Head = 'row' | 'column' | 'value' | 'reason' | 'same';

interface Page {
  rows: Partial<Record<Head, string | number>>[];
  meta: { limit: number; total: number };
}

/** CSV of all problems of a file in the reader's language. */
export async function downloadProblems(scope: UserScope, id: string | undefined): Promise<Response> {
  const { locale } = scope;
  const params = { id: id ?? '' };
  return sendPages(scope, 'import-problems.csv', ['row', 'column', 'value', 'reason'], async (page) => {
    const found = await callHost(scope, listImportProblems, { params, query: { page } });
    return { rows: wordProblems(found.data, locale), meta: found.meta };
  });
}

/** CSV of all duplicates in a file in the reader's language. */
export async function downloadDuplicates(scope: UserScope, id: string | undefined): Promise<Response> {
  const { locale } = scope;
  const params = { id: id ?? '' };
  return sendPages(scope, 'import-duplicates.csv', ['row', 'same'], async (page) => {
    const found = await callHost(scope, listImportDuplicates, { params, query: { page } });
    return { rows: wordDuplicates(found.data, locale), meta: found.meta };
  });
}

/** Reads page by page as the file is sent. */
async function sendPages(
  scope: Scope,
  fileName: string,
  heads: Head[],
  read: (page: number) => Promise<Page>,
): Promise<Response> {
  const first = await orNotFound(read(1));
  const t = i18nOf(scope.locale).getFixedT(null, 'codes');
  const columns = heads.map((key) => ({ key, header: t(`importReport.heads.${key}`) }));
  const { limit, total } = first.meta;
  const encoder = new TextEncoder();

  async function* write() {
    const options = { ...CSV_FORMAT, columns };
    yield encoder.encode(stringify(first.rows, { ...options, bom: true, header: true }));
    for (let page = 2; page <= Math.ceil(total / limit); page += 1) {
      renewDeadline(scope);
      const { rows } = await read(page);
      // Otherwise every page would stay in memory until the end.
      scope.reads = undefined;
      yield encoder.encode(stringify(rows, options));
    }
  }

  const body = passBody(scope.request, streamOf(write()), scope.signal);
  return new Response(body, {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${fileName}"`,
      'Cache-Control': 'private, no-store',
    },
  });
}

function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await chunks.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Problems as the page and the file show them, in the reader's language. */
export function wordProblems(problems: ImportProblem[], locale: Locale) {
  const t = i18nOf(locale).getFixedT(null, 'codes');
  return problems.map(({ row, column, field, value, reason }) => ({
    row,
    column:
      column ??
      t(`import.fields.${field}`, { defaultValue: t(`design:form.${field}`, { defaultValue: field }) }),
    value,
    reason: errorText(locale, ['design'], reason) ?? reason,
  }));
}

/** Duplicates as the page and the file show them, in the reader's language. */
export function wordDuplicates(duplicates: ImportDuplicate[], locale: Locale) {
  const t = i18nOf(locale).getFixedT(null, 'codes');
  return duplicates.map(({ row, of }) => ({ row, same: of ?? t('importReport.ownCode') }));
}
