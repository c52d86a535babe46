import { randomUUID } from 'node:crypto';
import type { Database } from '#host/db/client';

/** Gives a new account public links with these slugs, each to its own address below `destination`. */
export async function insertLinkCodes(
  db: Database,
  slugs: string[],
  destination: string,
  { isCounted = true } = {},
): Promise<void> {
  const run = (text: string, values: unknown[]) => db.query({ name: '', text, values });
  const account = randomUUID();
  await run('insert into accounts (id, email, created_at) values ($1, $2, now())', [
    account,
    `${account}@b.example`,
  ]);
  await run(
    `insert into codes
       (id, account_id, slug, number, type, content, visibility, is_counted, use_white_background, created_at, updated_at)
     select gen_random_uuid(), $1, slug, n, 'link', $3 || slug, 'public', $4, false, now(), now()
     from unnest($2::text[]) with ordinality as given (slug, n)`,
    [account, slugs, destination, isCounted],
  );
}
