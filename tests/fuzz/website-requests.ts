import fc from 'fast-check';
import { mutatedFields, percent, toText } from './bodies';

/** What follows the path of a page: other representations of it, and broken searches. */
export const endings = fc.constantFrom(
  ...[
    '.data',
    '/',
    '//',
    '?index',
    '?_data=root',
    '?_data=',
    '?_data=site%2Fhome-page',
    '.data?_routes=x',
    '.data?_routes=',
    '?%',
    '?%ff',
  ],
);
export const searches = mutatedFields(
  fc.record(
    {
      page: fc.constantFrom('1', '2'),
      period: fc.constantFrom('7', 'range'),
      from: fc.constant('2026-01-01'),
      to: fc.constant('2026-02-01'),
      code: fc.constantFrom('a', 'b'),
      token: fc.constant('x'.repeat(43)),
      locale: fc.constant('de'),
      billing: fc.constant('yearly'),
      q: fc.constant('code'),
      size: fc.constant('64'),
      format: fc.constantFrom('png', 'jpeg', 'svg', 'pdf'),
      redirectTo: fc.constant('/user/qrcodes'),
      find: fc.constant('a'),
      order: fc.constant('x'),
      payment_intent: fc.constant('x'),
    },
    { requiredKeys: [], noNullPrototype: true },
  ),
).map(
  (fields) => `?${fields.map(([name, value]) => `${percent(name)}=${percent(toText(value))}`).join('&')}`,
);

export const oddHeaders = fc
  .array(
    fc.constantFrom<[string, string]>(
      ...[
        'session',
        'locale',
        'theme',
        'notice',
        'order',
        'consent',
        'draft',
        'visitor',
        '__proto__',
      ].flatMap((name) =>
        [
          '',
          '%',
          '%ff',
          'eyJhIjoxfQ==',
          'eyJ0b2tlbiI6eyJ0b1N0cmluZyI6MX19.x',
          '"',
          '{}',
          'x'.repeat(3_000),
        ].map((value): [string, string] => ['cookie', `${name}=${value}`]),
      ),
      ...['https://evil.example', 'null', 'nonsense', 'http://', 'http://[::1'].map(
        (value): [string, string] => ['origin', value],
      ),
      ...['x:99999999', 'a b', '', 'evil.example', '[::1', 'user:secret@localhost'].map(
        (value): [string, string] => ['x-forwarded-host', value],
      ),
      ['x-forwarded-for', "1.1.1.1, '"],
      ['x-forwarded-proto', 'javascript'],
      ['sec-fetch-site', 'cross-site'],
      ['accept', 'nonsense;q=x'],
      ['accept-language', '*;q=9, \u00ff, zz-ZZ-x-1'],
      ['referer', 'http://['],
      ['range', 'bytes=9-1'],
      ['if-none-match', '"'],
      ['user-agent', ''],
      ['x-host-unavailable', '1'],
      ['x-accept-internal-redirect', '1'],
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((pairs) => Object.fromEntries(pairs));
