import { randomBytes, randomUUID } from 'node:crypto';
import { insertCodes } from '#host/codes/code/create';
import { makeSlug } from '#host/codes/code/slugs';
import type { TestHost } from './host';

/** Adds codes all at once, newest last, with their numbers at the end of their addresses. */
export async function insertManyCodes(
  host: TestHost,
  accountId: string,
  count: number,
  first = 0,
): Promise<{ id: string; slug: string; content: string }[]> {
  const createdAt = host.clock.now();
  const codes = Array.from({ length: count }, (_, n) => ({
    id: randomUUID(),
    accountId,
    type: 'link' as const,
    visibility: 'public' as const,
    slug: makeSlug(randomBytes),
    content: `https://made.example/${first + n}`,
    useWhiteBackground: false,
    createdAt,
    updatedAt: createdAt,
  }));
  await insertCodes(host.db.orm, accountId, codes);
  return codes.map(({ id, slug, content }) => ({ id, slug, content }));
}
