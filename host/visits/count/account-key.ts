/**
 * The first 32 bits of an account's id, as a signed integer. Stored with each visit, so that those of an account are next
 * to each other in an index; the ids of its codes are spread over all of it. Accounts may have the same key.
 */
export function accountKeyOf(accountId: string): number {
  return Number.parseInt(accountId.slice(0, 8), 16) | 0;
}
