import { stringify } from 'csv-stringify/sync';
import { type ImportProblem, listImportProblems } from '#contract/imports';
import { callHost } from '~/http/host.server';
import { passBody } from '~/http/pass-body.server';
import { type RequestContext, scopeOf } from '~/http/scope.server';
import { getLocale } from '~/i18n/locale.server';
import type { Locale } from '~/i18n/locales';
import { errorTexts, i18nOf } from '~/i18n/messages.server';
import { orNotFound } from './codes.server';
import { CSV_FORMAT } from './csv-format.server';
import { renewDeadline } from './selection.server';

const HEADS = ['row', 'column', 'value', 'reason'] as const;

/** Problems as the page and the file show them, in the reader's language. */
export function wordProblems(problems: ImportProblem[], locale: Locale) {
  const texts = errorTexts(locale, ['design'], [...new Set(problems.map(({ reason }) => reason))]);
  const t = i18nOf(locale).getFixedT(null, 'codes');
  return problems.map(({ row, column, field, value, reason }) => ({
    row,
    column: column ?? t(`import.fields.${field}`),
    value,
    reason: texts[reason] ?? reason,
  }));
}

/** CSV of all problems of a file in the reader's language, read page by page as it is sent. */
export async function downloadProblems(
  requestContext: RequestContext,
  id: string | undefined,
  token: string,
): Promise<Response> {
  const { request } = requestContext;
  const locale = await getLocale(request);
  const params = { id: id ?? '' };
  const first = await callHost(requestContext, listImportProblems, { params, token }).catch(
    (thrown: unknown) => {
      throw orNotFound(thrown);
    },
  );
  const t = i18nOf(locale).getFixedT(null, 'codes');
  const columns = HEADS.map((key) => ({ key, header: t(`importReport.heads.${key}`) }));
  const { limit, total } = first.meta;
  const encoder = new TextEncoder();

  async function* write() {
    const options = { ...CSV_FORMAT, columns };
    const head = stringify(wordProblems(first.data, locale), { ...options, bom: true, header: true });
    yield encoder.encode(head);
    for (let page = 2; page <= Math.ceil(total / limit); page += 1) {
      renewDeadline(requestContext);
      const { data } = await callHost(requestContext, listImportProblems, { params, query: { page }, token });
      // Otherwise every page would stay in memory until the end.
      scopeOf(requestContext).reads = undefined;
      yield encoder.encode(stringify(wordProblems(data, locale), options));
    }
  }

  const body = passBody(request, streamOf(write()), request.signal, () => undefined);
  return new Response(body, {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': 'attachment; filename="import-problems.csv"',
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
