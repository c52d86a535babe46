import { createHash } from 'node:crypto';
import type { Deps } from '#host/http/deps';

const ANSWER_MS = 1_500;

/**
 * Whether a password is known from a data breach (haveibeenpwned.com/API/v3, "Searching by range"): only the first five
 * of the 40 digits of its SHA-1 leave this machine, and padding hides how many others begin like them. False where no
 * list is configured, and also, with a line in the log, where it does not answer in time: nobody is kept from setting a
 * password by that.
 */
export async function isBreachedPassword(
  { fetch, log, settings }: Pick<Deps, 'fetch' | 'log' | 'settings'>,
  password: string,
): Promise<boolean> {
  const { breachedPasswordsUrl } = settings;
  if (!breachedPasswordsUrl) return false;
  const digits = createHash('sha1').update(password.normalize('NFC')).digest('hex').toUpperCase();
  try {
    const answer = await fetch(`${breachedPasswordsUrl}/${digits.slice(0, 5)}`, {
      headers: { 'Add-Padding': 'true' },
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: 'error',
    });
    if (!answer.ok) throw new Error(`the list of breached passwords answered ${answer.status}`);
    return isListed(await answer.text(), digits.slice(5));
  } catch (error) {
    log.warn({ err: error }, 'a password could not be looked up among the breached ones');
    return false;
  }
}

/** Lines are `the other 35 digits:how often`; those made up for padding were seen zero times. */
function isListed(list: string, digits: string): boolean {
  return list.split(/\r?\n/).some((line) => {
    const [listed = '', times] = line.split(':');
    return listed.toUpperCase() === digits && Number(times) > 0;
  });
}
