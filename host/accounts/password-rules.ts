import type { Deps } from '#host/http/deps';
import { invalidField } from '#host/http/errors';
import type { MessageCode } from '#host/http/message-codes';
import { isBreachedPassword } from './breached-passwords';
import { isCommonPassword } from './common-passwords';

interface Owner {
  email: string;
  appName: string;
}

/** A shorter word inside a password says nothing about it. */
const TELLING_LENGTH = 4;

/**
 * Message code of what is wrong with a new password beyond its length, or null: one of the passwords everybody uses,
 * or one that anybody can guess who knows the address or the name of the service (OWASP ASVS 5.0, 6.2.4 and 6.2.11).
 */
export function passwordProblem(password: string, { email, appName }: Owner): MessageCode | null {
  const plain = fold(password);
  const [local = ''] = fold(email).split('@');
  if (plain === fold(email) || plain === local || contains(plain, local)) return 'password_like_email';
  if (contains(plain, fold(appName)) || isCommonPassword(password)) return 'password_common';
  return null;
}

/** Refuses `field` when the password may not be set: by the rules above, or known from a data breach. */
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
  return word.length >= TELLING_LENGTH && password.includes(word);
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
