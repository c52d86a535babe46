import { z } from 'zod';
import { isVatNumber, normalizeNumber } from '#contract/business-numbers';
import type { Deps } from '#host/http/deps';
import type { VatCheck } from './tax';

const TIMEOUT_MS = 3_000;

/** What the answer must contain; `userError` says why there is no verdict, such as MS_UNAVAILABLE. */
const Answer = z.object({
  isValid: z.boolean(),
  userError: z.string().optional(),
  requestIdentifier: z.string().optional(),
});

type Outcome = Pick<VatCheck, 'result' | 'consultation'> | { result: 'invalid' };

/**
 * Looks up a VAT number of another member state in VIES, the Commission's register (REST API, `/ms/{country}/vat/{number}`).
 * `unchecked` if no register is configured, and also, with a line in the log, if it gives no verdict in time: that must
 * not keep anyone from ordering. `invalid` only if the register says so.
 */
export async function checkVatNumber(
  deps: Pick<Deps, 'fetch' | 'log' | 'settings'>,
  number: string,
  now: Date,
): Promise<VatCheck | { result: 'invalid' }> {
  const outcome = await lookUp(deps, number);
  if (outcome.result === 'invalid') return outcome;
  return { number, checkedAt: now.toISOString(), ...outcome };
}

async function lookUp(
  { fetch, log, settings }: Pick<Deps, 'fetch' | 'log' | 'settings'>,
  number: string,
): Promise<Outcome> {
  if (!settings.viesUrl) return { result: 'unchecked', consultation: '' };
  try {
    const response = await fetch(lookUpUrl(settings.viesUrl, number, settings.identity.seller.vat), {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    });
    if (!response.ok) throw new Error(`VIES answered ${response.status}`);
    const { isValid, userError, requestIdentifier } = Answer.parse(await response.json());
    if (isValid) return { result: 'valid', consultation: requestIdentifier ?? '' };
    if (userError === undefined || userError === 'INVALID') return { result: 'invalid' };
    throw new Error(`VIES answered ${userError.slice(0, 40)}`);
  } catch (error) {
    log.warn({ err: error }, 'a VAT number could not be looked up in VIES');
    return { result: 'unchecked', consultation: '' };
  }
}

/** Only who asks with a number of its own gets a consultation number, which proves the answer. */
function lookUpUrl(viesUrl: string, number: string, sellerVat: string): URL {
  const url = new URL(`${viesUrl}/ms/${number.slice(0, 2)}/vat/${encodeURIComponent(number.slice(2))}`);
  const own = normalizeNumber(sellerVat);
  if (isVatNumber(own)) {
    url.searchParams.set('requesterMemberStateCode', own.slice(0, 2));
    url.searchParams.set('requesterNumber', own.slice(2));
  }
  return url;
}
