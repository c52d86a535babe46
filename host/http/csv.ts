import { stringify } from 'csv-stringify/sync';
import type { Logger } from 'pino';
import { CSV_FORMAT } from '#contract/exports';
import { streamText } from '#host/http/streamed-text';

type Row<Column extends string> = Record<Column, string | number | null>;

const HEADERS = { 'Content-Type': 'text/csv; charset=utf-8; header=present', 'Cache-Control': 'no-store' };

/**
 * Responds with rows as CSV (RFC 4180) below a header row. A page is read when the previous one has been consumed, so
 * that a file of any length needs the memory of one page. Rejects if the first page cannot be read; if a later one
 * cannot, the connection is aborted, so that a partial file is not taken for the whole.
 */
export async function respondCsv<const Column extends string>(
  columns: readonly Column[],
  pages: AsyncGenerator<Row<Column>[]>,
  log: Logger,
): Promise<Response> {
  const first = await pages.next();

  async function* write(): AsyncGenerator<string> {
    try {
      for (let page = first; !page.done; page = await pages.next()) {
        const isFirst = page === first;
        const text = stringify(page.value, {
          ...CSV_FORMAT,
          columns: [...columns],
          bom: isFirst,
          header: isFirst,
        });
        if (text) yield text;
      }
    } finally {
      await pages.return(undefined);
    }
  }

  return new Response(streamText(write(), log, 'csv'), { headers: HEADERS });
}
