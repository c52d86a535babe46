import type { CodeOwner } from '#contract/visits';
import { readStyle } from '#host/codes/looks/store';
import { withTimeout } from '#host/db/timeout';
import type { Deps } from '#host/http/deps';

interface Row {
  name: string;
  style: unknown;
  hasLogo: boolean;
}

const NOBODY: CodeOwner = { name: '', colour: null, hasLogo: false };
/** The content of a page is cached and must not wait for what is merely shown beside it. */
const TIMEOUT_MS = 500;
const SELECT = `select public_name as name, style, logo_id is not null as "hasLogo"
  from codes join accounts on accounts.id = account_id where codes.id = $1`;

/** What the page of a code shows of its owner; nothing if the database does not answer in time. */
export async function readOwner({ db, log }: Pick<Deps, 'db' | 'log'>, codeId: string): Promise<CodeOwner> {
  try {
    const statement = { name: 'code_owner', text: SELECT, values: [codeId] };
    const [row] = await withTimeout(db.query<Row>(statement), TIMEOUT_MS);
    if (!row) return NOBODY;
    const { name, hasLogo, style } = row;
    return { name, hasLogo, colour: readStyle(style, log)?.moduleColour ?? null };
  } catch (error) {
    log.warn({ err: error }, 'a page is shown without its owner');
    return NOBODY;
  }
}
