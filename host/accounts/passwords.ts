import { createHash } from 'node:crypto';
import type { Deps, Passwords } from '#host/http/deps';
import { invalidField, type MessageCode, refusedByPool } from '#host/http/errors';
import { type Client, ProcessPool, type TaskOptions } from '#runtime/processes/process-pool';
import { isCommonPassword } from './common-passwords';
import type { HashingTasks, Strength } from './hashing';

const MEGABYTE = 1024 * 1024;
/** OWASP password storage: argon2id, 19 MiB, two passes, one lane. */
const OWASP: Strength = { memoryCost: 19_456, timeCost: 2 };
/** Argon2 takes 15 to 60 ms of these. */
const CPU_MS = 2_000;
const TIMEOUT_MS = 4_000;

/** One process, so that a flood of sign-ins leaves the other processor to visits. */
const pool = new ProcessPool<HashingTasks>({
  built: 'build/host/accounts/hashing-process.js',
  source: 'host/accounts/hashing-process.ts',
  processes: 1,
  memoryBytes: 400 * MEGABYTE,
  retireBytes: 200 * MEGABYTE,
  // A class or an office behind one address may sign in at once.
  queue: { perOwner: 32, perNetwork: 32, total: 128 },
  // As long as a full queue takes.
  waitMs: 8_000,
  idleMs: 10 * 60_000,
});

/** How busy the process is that hashes passwords. */
export const hashingLoad = () => pool.load();

/** The tasks, each on behalf of a client. */
type Hashing = {
  [Name in keyof HashingTasks]: (
    input: Parameters<HashingTasks[Name]>[0],
    client: Client,
  ) => ReturnType<HashingTasks[Name]>;
};

const inPool: Hashing = {
  hash: (input, client) => orRefused(pool.run('hash', input, optionsOf(client))),
  verify: (input, client) => orRefused(pool.run('verify', input, optionsOf(client))),
  digest: (input, client) => orRefused(pool.run('digest', input, optionsOf(client))),
};

function optionsOf(client: Client): TaskOptions {
  return { client, cpuMs: CPU_MS, timeoutMs: TIMEOUT_MS };
}

async function orRefused<Result>(hashing: Promise<Result>): Promise<Result> {
  try {
    return await hashing;
  } catch (thrown) {
    throw refusedByPool(thrown) ?? thrown;
  }
}

export function createPasswords(strength = OWASP, hashing = inPool): Passwords {
  let decoy: string | undefined;
  const hashOf = (password: string, client: Client) =>
    hashing.hash({ text: password.normalize('NFC'), strength }, client);
  return {
    hash: hashOf,
    async matches(password, passwordHash, client) {
      decoy ??= await hashOf('a password nobody has', client);
      const expected = passwordHash ?? decoy;
      const matches = await hashing.verify({ text: password.normalize('NFC'), expected }, client);
      return matches && Boolean(passwordHash);
    },
    digest: (text, salt, client) => hashing.digest({ text, salt, strength }, client),
  };
}

interface Owner {
  email: string;
  appName: string;
}

/** Shorter words inside a password do not make it weak. */
const MIN_WORD_LENGTH = 4;

/**
 * Message code of what is wrong with a new password apart from its length, or null: it is common, or can be guessed
 * from the address or the name of the service (OWASP ASVS 5.0, 6.2.4 and 6.2.11).
 */
export function passwordProblem(password: string, { email, appName }: Owner): MessageCode | null {
  const plain = fold(password);
  const [local = ''] = fold(email).split('@');
  if (plain === fold(email) || plain === local || contains(plain, local)) return 'password_like_email';
  if (contains(plain, fold(appName)) || isCommonPassword(password)) return 'password_common';
  return null;
}

/** Refuses `field` if the password is not allowed: by the rules above, or because it is known from a data breach. */
export async function requireGoodPassword(
  deps: Pick<Deps, 'fetch' | 'log' | 'settings'>,
  field: string,
  password: string,
  email: string,
): Promise<void> {
  const { appName } = deps.settings;
  const problem = passwordProblem(password, { email, appName });
  if (problem) throw invalidField(field, problem);
  if (await isBreachedPassword(deps, password)) throw invalidField(field, 'password_breached');
}

function contains(password: string, word: string): boolean {
  return word.length >= MIN_WORD_LENGTH && password.includes(word);
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

const LOOKUP_MS = 1_500;

/**
 * Whether a password is known from a data breach (haveibeenpwned.com/API/v3, "Searching by range"): only the first five
 * of the 40 digits of its SHA-1 leave this machine, and padding hides how many others share them. False if no list is
 * configured, and also, with a line in the log, if it does not respond in time: that must not keep anyone from setting
 * a password.
 */
async function isBreachedPassword(
  { fetch, log, settings }: Pick<Deps, 'fetch' | 'log' | 'settings'>,
  password: string,
): Promise<boolean> {
  const { breachedPasswordsUrl } = settings;
  if (!breachedPasswordsUrl) return false;
  const digits = createHash('sha1').update(password.normalize('NFC')).digest('hex').toUpperCase();
  try {
    const response = await fetch(`${breachedPasswordsUrl}/${digits.slice(0, 5)}`, {
      headers: { 'Add-Padding': 'true' },
      signal: AbortSignal.timeout(LOOKUP_MS),
      redirect: 'error',
    });
    if (!response.ok) throw new Error(`the list of breached passwords answered ${response.status}`);
    return isListed(await response.text(), digits.slice(5));
  } catch (error) {
    log.warn({ err: error }, 'a password could not be looked up among the breached ones');
    return false;
  }
}

/** Lines are `the other 35 digits:count`; padding entries have a count of zero. */
function isListed(list: string, digits: string): boolean {
  return list.split(/\r?\n/).some((line) => {
    const [listed = '', times] = line.split(':');
    return listed.toUpperCase() === digits && Number(times) > 0;
  });
}
