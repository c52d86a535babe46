import { createHash } from 'node:crypto';
import pino from 'pino';
import { expect, test } from 'vitest';
import { hashingTasks } from '#host/accounts/hashing';
import { createPasswords, hashingLoad, passwordProblem, requireGoodPassword } from '#host/accounts/passwords';
import { ApiError } from '#host/http/errors';

const CHEAP = { memoryCost: 8, timeCost: 1 };
const passwords = createPasswords(CHEAP, hashingTasks);
const CLIENT = { networks: ['192.0.2.1'] };
const OWNER = { email: 'Lamp@test.example', appName: 'Quadrille' };
const BREACHED = 'seven green boats at dawn';
const DIGITS = createHash('sha1').update(BREACHED).digest('hex').toUpperCase();
const NOBODY_HAS = 'a password nobody has';

test('passwords are hashed with argon2id as OWASP recommends, in a process of their own', async () => {
  const hashed = createPasswords();
  const hash = await hashed.hash('three quiet lamps', CLIENT);
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await hashed.matches('three quiet lamps', hash, CLIENT)).toBe(true);
  expect(await hashed.matches('three quiet lamp', hash, CLIENT)).toBe(false);
  const salt = Buffer.alloc(16, 1);
  const digest = await hashed.digest('1234', salt, CLIENT);
  expect(digest).toMatch(/^[\w-]{43}$/);
  expect(await hashed.digest('1234', salt, CLIENT)).toBe(digest);
  expect(await hashed.digest('1234', Buffer.alloc(16, 2), CLIENT)).not.toBe(digest);
  expect(hashingLoad()).toMatchObject({ processes: 1, waiting: 0 });
});

test('a flood of sign-ins is refused in part, and does not delay accounts', async () => {
  const hashed = createPasswords(CHEAP);
  const hash = await hashed.hash('three quiet lamps', CLIENT);
  let judged = 0;
  const guess = async (n: number) => {
    const answer = await hashed.matches('a guess', hash, { networks: [`198.51.100.${n}`] });
    judged += 1;
    return answer;
  };
  const flood = Array.from({ length: 200 }, (_, n) => guess(n).catch((error: unknown) => error));
  const account = { networks: ['192.0.2.1'], account: 'ann' };
  const isOwner = await hashed.matches('three quiet lamps', hash, account);
  const before = judged;
  expect(isOwner).toBe(true);
  const answers = await Promise.all(flood);
  expect(judged - before).toBeGreaterThan(100);
  const refused = answers.filter((answer) => answer instanceof ApiError);
  expect(refused.length).toBeGreaterThanOrEqual(200 - 128 - 1);
  for (const error of refused) expect(error).toMatchObject({ code: 'unavailable', retryAfterSeconds: 10 });
  expect(answers.filter((answer) => answer === true)).toEqual([]);
});

test('more passwords than a network may have waiting are refused, as too many of its own', async () => {
  const hashed = createPasswords(CHEAP);
  const guesses = Array.from({ length: 40 }, () =>
    hashed.hash('three quiet lamps', CLIENT).catch((error: unknown) => error),
  );
  const refused = (await Promise.all(guesses)).filter(
    (answer) => answer instanceof ApiError && answer.code === 'rate_limited',
  );
  expect(refused.length).toBeGreaterThanOrEqual(40 - 32 - 1);
  for (const error of refused) expect(error).toMatchObject({ retryAfterSeconds: 5 });
});

test('a password matches its hash alone, however its accents are encoded', async () => {
  const hash = await passwords.hash('caf\u00e9 au lait', CLIENT);
  expect(await passwords.matches('cafe\u0301 au lait', hash, CLIENT)).toBe(true);
  expect(await passwords.matches('cafe au lait', hash, CLIENT)).toBe(false);
  expect(
    await passwords.matches('caf\u00e9 au lait', await passwords.hash('cafe\u0301 au lait', CLIENT), CLIENT),
  ).toBe(true);
});

test('no password matches an account that has none', async () => {
  for (const password of [NOBODY_HAS, '', 'three quiet lamps'])
    expect(await passwords.matches(password, null, CLIENT)).toBe(false);
});

test.each([
  ['lamp', 'password_like_email'],
  ['LAMP@TEST.EXAMPLE', 'password_like_email'],
  ['three LAMPs over water', 'password_like_email'],
  ['my QUADRILLE of horses', 'password_common'],
  ['password123', 'password_common'],
  ['test.example of water', null],
  ['lam over water', null],
])('%s has the problem %s for lamp@test.example', (password, problem) => {
  expect(passwordProblem(password, OWNER)).toBe(problem);
});

test('a short mailbox name is refused as the whole password, but not within one', () => {
  const owner = { ...OWNER, email: 'jo@test.example' };
  for (const password of ['JO', 'Jo@Test.example'])
    expect(passwordProblem(password, owner)).toBe('password_like_email');
  expect(passwordProblem('jo and three lamps', owner)).toBeNull();
});

/** Checks a password against a list of breached ones that answers like this; returns what was asked and logged. */
async function look(
  password: string,
  answer: () => Response | Promise<Response>,
  breachedPasswordsUrl: string | null = 'https://breached.example/range',
) {
  const requested: [url: string, init: RequestInit | undefined][] = [];
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const settings = { appName: 'Quadrille', breachedPasswordsUrl };
  const fetch = async (url: unknown, init?: RequestInit) => {
    requested.push([String(url), init]);
    return answer();
  };
  const deps = { fetch, log, settings } as Parameters<typeof requireGoodPassword>[0];
  const refused = await requireGoodPassword(deps, 'newPassword', password, OWNER.email).catch(
    (error: unknown) => (error as { fields?: unknown }).fields,
  );
  return { refused, requested, lines };
}

const REFUSED = { newPassword: ['password_breached'] };

test('only five digits of the hash of a password leave the machine, without following redirects', async () => {
  const { requested } = await look(BREACHED, () => new Response(''));
  expect(requested).toHaveLength(1);
  const [url, init] = requested[0] ?? [];
  expect(url).toBe(`https://breached.example/range/${DIGITS.slice(0, 5)}`);
  expect(init).toMatchObject({ headers: { 'Add-Padding': 'true' }, redirect: 'error' });
  expect(init?.signal).toBeInstanceOf(AbortSignal);
});

test.each([
  ['alone', `${DIGITS.slice(5)}:3`, REFUSED],
  ['among others', `${'0'.repeat(35)}:9\r\n${DIGITS.slice(5)}:1\r\n${'F'.repeat(35)}:2`, REFUSED],
  ['with plain line ends', `${'0'.repeat(35)}:9\n${DIGITS.slice(5)}:1\n`, REFUSED],
  ['in lower case', `${DIGITS.slice(5).toLowerCase()}:3`, REFUSED],
  ['as padding', `${DIGITS.slice(5)}:0`, undefined],
  ['without a count', DIGITS.slice(5), undefined],
  ['not at all', `${'0'.repeat(35)}:9\r\n${'F'.repeat(35)}:2`, undefined],
  ['on an empty list', '', undefined],
])('a password listed %s counts as breached only with a count', async (_, list, fields) => {
  const { refused, lines } = await look(BREACHED, () => new Response(list));
  expect(refused).toEqual(fields);
  expect(lines).toEqual([]);
});

test.each([
  ['fails', () => new Response(`${DIGITS.slice(5)}:3`, { status: 503 })],
  ['cannot be reached', () => Promise.reject(new Error('no route'))],
])('a list that %s keeps nobody from setting a password, and is logged', async (_, answer) => {
  const { refused, lines } = await look(BREACHED, answer);
  expect(refused).toBeUndefined();
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain(BREACHED);
});

test('without a list, and for a password that is refused anyway, nothing is asked', async () => {
  const never = () => new Response(`${DIGITS.slice(5)}:3`);
  expect(await look(BREACHED, never, null)).toMatchObject({ refused: undefined, requested: [] });
  const common = await look('password123', never);
  expect(common).toMatchObject({ refused: { newPassword: ['password_common'] }, requested: [] });
});
