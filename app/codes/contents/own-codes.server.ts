import { scanLinkOf } from '#contract/contents/contents';
import { createOwnCodeFinder } from '#contract/own-codes';
import { env } from '~/http/env.server';

const findOwnCode = createOwnCodeFinder([env.PUBLIC_URL, ...(env.SHORT_URL ? [env.SHORT_URL] : [])]);

/** A stand-in for scan links that are not known yet: same length and same alphabet as every printed one. */
export const SCAN_LINK_EXAMPLE = scanLinkOf(env.SHORT_URL ?? env.PUBLIC_URL, '7K2M9QXW');

/** Whether a link opens a code of ours. The host, which knows all URLs of ours, checks again. */
export function opensOwnCode(link: string): boolean {
  return findOwnCode(link) !== null;
}
