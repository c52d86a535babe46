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

test('no cookie is created that is not in the list', () => {
  const made = readdirSync('app', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.server.ts'))
    .flatMap((path) => [
      ...readFileSync(join('app', path), 'utf8').matchAll(/(?:create|signed)Cookie\('([\w-]+)'/g),
    ])
    .map(([, name]) => name);
  expect(made.length).toBeGreaterThan(3);
  expect(COOKIES).toEqual(expect.arrayContaining(made));
});
