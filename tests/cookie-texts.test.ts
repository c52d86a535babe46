import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Policy {
  cookie: { sections: { id: string; table?: { rows: string[][] } }[] };
}

const COOKIES = [
  'session',
  'device',
  'lng',
  'theme',
  'consent',
  'quadrille.consent.v1',
  'notice',
  'visitor',
  'unsent',
  'oauth-request, oauth-resume',
  'declaration',
  'order',
  'google',
  'google-link',
  'sign-in',
];

test.each(['gb', 'fr', 'es', 'de', 'it'])('every cookie of the website is listed (%s)', (locale) => {
  const policy = JSON.parse(readFileSync(join('locales', locale, 'legal.json'), 'utf8')) as Policy;
  const names = (id: string) =>
    policy.cookie.sections.find((section) => section.id === id)?.table?.rows.map(([name]) => name);
  expect(names('technical')).toEqual(COOKIES);
  expect(names('analytics')).toEqual(['_ga', '_ga_*']);
});

test('cookies are created only by the functions that add the prefix', () => {
  const made = readdirSync('app', { recursive: true, encoding: 'utf8' })
    .filter(
      (path) =>
        /\.tsx?$/.test(path) && !['cookies', 'session'].some((own) => path === `http/${own}.server.ts`),
    )
    .filter((path) => /createCookie|document\.cookie\s*=[^=]/.test(readFileSync(join('app', path), 'utf8')));
  expect(made).toEqual([]);
});

/** What stands between the parentheses of every call that creates a cookie, after its name. */
const MADE = readdirSync('app', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.server.ts'))
  .flatMap((path) => [
    ...readFileSync(join('app', path), 'utf8').matchAll(
      /(?:create|signed)Cookie\('([\w-]+)'(?:, ([\d *]+))?/g,
    ),
  ])
  .map(([, name = '', seconds]) => ({ name, seconds }));

test('no cookie is created that is not in the list', () => {
  expect(MADE.length).toBeGreaterThan(3);
  expect(COOKIES).toEqual(expect.arrayContaining(MADE.map(({ name }) => name)));
});

const UNITS: Record<string, number> = { minute: 60, hour: 3600, day: 24 * 3600 };

test('the listed time of a cookie is the one it is created with', () => {
  const policy = JSON.parse(readFileSync('locales/gb/legal.json', 'utf8')) as Policy;
  const listed = policy.cookie.sections.find(({ id }) => id === 'technical')?.table?.rows ?? [];
  const timed = MADE.flatMap(({ name, seconds }) => (seconds ? [{ name, seconds }] : []));
  expect(timed.length).toBeGreaterThan(6);
  for (const { name, seconds } of timed) {
    const [count, unit = ''] = listed.find((row) => row[0] === name)?.[2]?.split(' ') ?? [];
    const created = seconds.split('*').reduce((product, factor) => product * Number(factor), 1);
    expect(Number(count) * (UNITS[unit.replace(/s$/, '')] ?? 0), name).toBe(created);
  }
});
