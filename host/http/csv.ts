import { setImmediate as nextTurn } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';
import type { Logger } from 'pino';
import { CSV_FORMAT, CSV_SEPARATORS, type CsvSeparator } from '#contract/exports';
import { streamText } from '#host/http/streamed-text';

type Row<Column extends string> = Record<Column, string | number | null>;

/** Rows written before other work gets a turn. */
const ROWS_AT_ONCE = 100;
const HEADERS = { 'Content-Type': 'text/csv; charset=utf-8; header=present', 'Cache-Control': 'no-store' };

/**
 * Responds with rows as CSV (RFC 4180) below a header row. A page is read when the previous one has been consumed, so
 * that a file of any length needs the memory of one page. Rejects if the first page cannot be read; if a later one
 * cannot, the connection is aborted, so that a partial file is not taken for the whole.
 */
export async function respondCsv<const Column extends string>(
  columns: readonly Column[],
  pages: AsyncGenerator<Row<Column>[]>,
  { log, separator = 'comma' }: { log: Logger; separator?: CsvSeparator },
): Promise<Response> {
  const first = await pages.next();

  async function* write(): AsyncGenerator<string> {
    try {
      for (let page = first; !page.done; page = await pages.next()) {
        for (let from = 0; from === 0 || from < page.value.length; from += ROWS_AT_ONCE) {
          const isFirst = page === first && from === 0;
          const text = stringify(page.value.slice(from, from + ROWS_AT_ONCE), {
            ...CSV_FORMAT,
            delimiter: CSV_SEPARATORS[separator],
            columns: [...columns],
            bom: isFirst,
            header: isFirst,
          });
          if (text) yield text;
          await nextTurn();
        }
      }
    } finally {
      await pages.return(undefined);
    }
  }

  return new Response(streamText(write(), log, 'csv'), { headers: HEADERS });
}
