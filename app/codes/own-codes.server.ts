import { createOwnCodeFinder } from '#contract/own-codes';
import { env } from '~/http/env.server';

const findOwnCode = createOwnCodeFinder([env.PUBLIC_URL, ...(env.SHORT_URL ? [env.SHORT_URL] : [])]);

/** As long as every address that a code is printed with, and of the same letters. */
export const SCAN_LINK_EXAMPLE = `${env.SHORT_URL ?? env.PUBLIC_URL}/r/7K2M9QXW`.toUpperCase();

/** Whether a link opens a code of ours; the host, which knows every address of ours, asks again. */
export function opensOwnCode(link: string): boolean {
  return findOwnCode(link) !== null;
}
