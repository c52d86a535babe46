import { getProfile } from '#contract/accounts';
import { LOCALES } from '#contract/locales';
import { callHost } from './host.server';
import { isSignedIn, type Scope } from './scope.server';

/**
 * The zone for displayed times, and for statistics unless the address names another: that of the signed-in account,
 * or the usual one of the language while none is known.
 */
export async function readZone(scope: Scope): Promise<string> {
  const account = isSignedIn(scope) ? (await callHost(scope, getProfile)).data : null;
  return account?.timeZone ?? LOCALES[scope.locale].zone;
}

/**
 * Marks the request as failed if its query is invalid in this zone, for a page title that starts with “Error”. Must be
 * called as soon as a loader has the scope, because another loader makes the title at the same time.
 */
export function markInvalid(scope: Scope, isInvalid: (timeZone: string) => boolean): void {
  // Without an answer there is no page either.
  scope.failed = readZone(scope).then(isInvalid, () => false);
}
