import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { ApiError, refusalOf } from '#host/http/errors';
import { createCodes, type NewDesign } from './codes.create';
import type { ImportedRow } from './import-report';
import { importKey, readPart } from './imports.store';
import type { JobRow, Problem } from './jobs.store';

/** Turns one part of a file into codes. If the batch is refused, its rows are tried one by one. */
export async function importPart(
  orm: Orm,
  deps: Pick<Deps, 'random'>,
  { accountId, importId, position }: JobRow,
  now: Date,
) {
  const part = importId && (await readPart(orm, importId, position));
  if (!part) return { position, succeeded: 0, problems: [], isLast: true };
  const create = (rows: ImportedRow[]) =>
    createCodes(
      orm,
      deps,
      accountId,
      rows.map((row) => designOf(row, importId)),
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

function designOf({ row, design }: ImportedRow, importId: string): NewDesign {
  return {
    ...design,
    useWhiteBackground: false,
    logoId: null,
    logoPreset: null,
    formKey: importKey(importId, row),
  };
}
