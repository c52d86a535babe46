import { createHash } from 'node:crypto';
import pino from 'pino';
import { expect, test } from 'vitest';
import { createPasswords, passwordProblem, requireGoodPassword } from '#host/accounts/passwords';

const passwords = createPasswords({ memoryCost: 8, timeCost: 1 });
const OWNER = { email: 'Lamp@test.example', appName: 'Quadrille' };
const BREACHED = 'seven green boats at dawn';
const DIGITS = createHash('sha1').update(BREACHED).digest('hex').toUpperCase();
const NOBODY_HAS = 'a password nobody has';

test('passwords are hashed with argon2id as OWASP recommends', async () => {
  expect(await createPasswords().hash('three quiet lamps')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test('a password matches its hash alone, however its accents are encoded', async () => {
  const hash = await passwords.hash('caf\u00e9 au lait');
  expect(await passwords.matches('cafe\u0301 au lait', hash)).toBe(true);
  expect(await passwords.matches('cafe au lait', hash)).toBe(false);
  expect(await passwords.matches('caf\u00e9 au lait', await passwords.hash('cafe\u0301 au lait'))).toBe(true);
});

test('no password matches an account that has none', async () => {
  for (const password of [NOBODY_HAS, '', 'three quiet lamps'])
    expect(await passwords.matches(password, null)).toBe(false);
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
  const asked: [url: string, init: RequestInit | undefined][] = [];
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const settings = { appName: 'Quadrille', breachedPasswordsUrl };
  const fetch = async (url: unknown, init?: RequestInit) => {
    asked.push([String(url), init]);
    return answer();
  };
  const deps = { fetch, log, settings } as Parameters<typeof requireGoodPassword>[0];
  const refused = await requireGoodPassword(deps, 'newPassword', password, OWNER.email).catch(
    (error: unknown) => (error as { fields?: unknown }).fields,
  );
  return { refused, asked, lines };
}

const REFUSED = { newPassword: ['password_breached'] };

test('only five digits of the hash of a password leave the machine, without following redirects', async () => {
  const { asked } = await look(BREACHED, () => new Response(''));
  expect(asked).toHaveLength(1);
  const [url, init] = asked[0] ?? [];
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
  expect(await look(BREACHED, never, null)).toMatchObject({ refused: undefined, asked: [] });
  const common = await look('password123', never);
  expect(common).toMatchObject({ refused: { newPassword: ['password_common'] }, asked: [] });
});
