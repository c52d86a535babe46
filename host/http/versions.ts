import { createHash } from 'node:crypto';

/** An `ETag` for a state of something. */
export function versionTag(state: unknown): string {
  return `"${createHash('sha256').update(JSON.stringify(state)).digest('base64url').slice(0, 22)}"`;
}

/** Whether an `If-Match` header, if there is one, names this version (RFC 9110, section 13.1.1). */
export function isExpected(ifMatch: string | undefined, version: string): boolean {
  const accepted = ifMatch?.split(',').map((tag) => tag.trim());
  return !accepted || accepted.includes('*') || accepted.includes(version);
}
