import { createOwnCodeFinder } from '#contract/own-codes';
import { env } from '~/http/env.server';

const findOwnCode = createOwnCodeFinder([env.PUBLIC_URL, ...(env.SHORT_URL ? [env.SHORT_URL] : [])]);

/** Whether a link opens a code of ours; the host, which knows every address of ours, asks again. */
export function opensOwnCode(link: string): boolean {
  return findOwnCode(link) !== null;
}
