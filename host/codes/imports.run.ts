import type { Style } from '#contract/style-rules';
import { StoredStyle } from '#contract/styles';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { ApiError, refusalOf } from '#host/http/errors';
import { createCodes, type NewDesign } from './codes.create';
import type { ImportedRow } from './import-report';
import { importKey, readPart } from './imports.store';
import type { JobRow, Problem } from './jobs.store';
import { storedStyle } from './stored-styles';

/** Turns one part of a file into codes. If the batch is refused, its rows are tried one by one. */
export async function importPart(
  orm: Orm,
  deps: Pick<Deps, 'random'>,
  { accountId, importId, position, style: chosen }: JobRow,
  now: Date,
) {
  const part = importId && (await readPart(orm, importId, position));
  if (!part) return { position, succeeded: 0, problems: [], isLast: true };
  // A style from a later version waits for a host that understands it.
  const style = storedStyle(chosen === null ? null : StoredStyle.parse(chosen));
  const create = (rows: ImportedRow[]) =>
    createCodes(
      orm,
      deps,
      accountId,
      rows.map((row) => designOf(row, importId, style)),
      { now, isRecorded: false },
    );
  const problems: Problem[] = [];
  try {
    if (part.rows.length > 0) await create(part.rows);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    for (const row of part.rows) {
      const reason = await refusalOf(() => create([row]));
      if (reason) problems.push({ position: row.row, codeId: null, reason });
    }
  }
  const succeeded = part.rows.length - problems.length;
  return { position: position + 1, succeeded, problems, isLast: part.isLast };
}

function designOf({ row, design }: ImportedRow, importId: string, style: Style | null): NewDesign {
  return {
    ...design,
    useWhiteBackground: false,
    logoId: null,
    logoPreset: null,
    style,
    formKey: importKey(importId, row),
  };
}
