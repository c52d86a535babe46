import { listCodes } from '#contract/codes';
import { getOverview } from '#contract/dashboard';
import { callHost, isUnavailable } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { Scope } from '~/http/scope.server';

/**
 * Where a new account begins: at the code that the design from before the purchase became, or, without any design, at
 * the list of codes. The dashboard says why a design did not become a code.
 */
export async function findFirstPage(scope: Scope, token: string): Promise<string> {
  try {
    const { data: overview } = await callHost(scope, getOverview, { token });
    if (overview.unfinishedDesign) return '/user/dashboard';
    const newest = await callHost(scope, listCodes, { token, query: { page: 1, limit: 1 } });
    const [code] = newest.data;
    return code ? `/user/qrcodes/${code.id}/ready` : '/user/qrcodes';
  } catch (thrown) {
    // Go on regardless: the link is used up, and without this session the user would have to sign in again.
    if (!(thrown instanceof HostError) && !isUnavailable(thrown)) throw thrown;
    return '/user/dashboard';
  }
}
