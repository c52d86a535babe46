import { targetOf } from '#contract/contents';
import type { Database } from '#host/db/client';
import type { KnownCode } from './packed-code';

export type CodeRow = KnownCode & { slug: string };

interface Row {
  slug: string;
  id: string;
  account_id: string;
  type: KnownCode['type'];
  content: string;
  subject: string;
  body: string;
  visibility: string;
  deleted_at: Date | null;
}

const PAGE = 500;
const COLUMNS = 'slug, id, account_id, type, content, subject, body, visibility, deleted_at';
const ONE = `select ${COLUMNS} from codes where slug = $1`;
const SOME = `select ${COLUMNS} from codes where slug = any ($1::text[])`;
const PUBLIC = `select ${COLUMNS} from codes
  where slug > $1 and visibility = 'public' and type <> 'wifi' and deleted_at is null order by slug limit ${PAGE}`;

export async function readCode(db: Database, slug: string): Promise<CodeRow | null> {
  const [row] = await db.query<Row>({ name: 'code_by_slug', text: ONE, values: [slug] });
  return row ? codeOf(row) : null;
}

export async function readCodes(db: Database, slugs: string[]): Promise<CodeRow[]> {
  return (await db.query<Row>({ name: 'codes_by_slug', text: SOME, values: [slugs] })).map(codeOf);
}

/** The next 500 codes that anybody is led to, by slug. */
export async function readPublicCodes(db: Database, after: string): Promise<CodeRow[]> {
  return (await db.query<Row>({ name: 'public_codes', text: PUBLIC, values: [after] })).map(codeOf);
}

function codeOf({ account_id, visibility, deleted_at, ...row }: Row): CodeRow {
  return {
    ...row,
    // Worked out once for all visits.
    content: row.type === 'link' ? targetOf(row.content) : row.content,
    accountId: account_id,
    isPrivate: visibility === 'private',
    isDeleted: deleted_at !== null,
  };
}
