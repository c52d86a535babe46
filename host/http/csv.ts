import { stringify } from 'csv-stringify/sync';
import type { Logger } from 'pino';
import { streamText } from '#host/http/streamed-text';

type Row<Column extends string> = Record<Column, string | number | null>;

const FORMAT = {
  record_delimiter: 'windows',
  // The standard wants quotes around every line break, not only around its own.
  quoted_match: /[\r\n]/,
  // A text that a spreadsheet would take for a formula gets a ' (OWASP, CSV Injection).
  escape_formulas: true,
} as const;
const HEADERS = { 'Content-Type': 'text/csv; charset=utf-8; header=present', 'Cache-Control': 'no-store' };

/**
 * Answers rows as CSV (RFC 4180) under their column names. A page is read when the one before was taken, so that a
 * file of any length needs the memory of one page. Rejects when the first page cannot be read; when a later one
 * cannot, the connection breaks, and nobody takes half a file for the whole.
 */
export async function answerCsv<const Column extends string>(
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
          ...FORMAT,
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
