import fc from 'fast-check';
import { mutatedFields } from './bodies';

/** The JSON of a code's design. */
export const designs = fc.option(
  mutatedFields(
    fc.record({
      type: fc.constantFrom('link', 'text', 'email', 'wifi'),
      content: fc.constantFrom('https://example.org/', 'a@b.example', 'text', 'WIFI:T:WPA;S:a;P:b;;'),
      ssid: fc.constant('Guests'),
      passphrase: fc.constant('welcome-2026'),
      useWhiteBackground: fc.boolean(),
      subject: fc.constant('Hello'),
      body: fc.constant('Bye'),
    }),
  ).map((fields) => JSON.stringify(Object.fromEntries(fields.map(([name, value]) => [name, value])))),
  { nil: '{"type":"link","content":"https://example.org/"}' },
);

export const oddHeaders = fc
  .array(
    fc.constantFrom<[string, string]>(
      ['x-client-ip', '203.0.113.7'],
      ['x-internal-key', 'a guessed key'],
      ['x-client-ip', "1.1.1.1, '; --"],
      ['x-client-country', 'ZZ'],
      ['x-forwarded-for', '::ffff:127.0.0.1'],
      ['x-forwarded-host', 'x:99999999'],
      ['x-request-id', '../../etc'],
      ['accept', 'application/xml;q=nonsense'],
      ['accept-language', '\u00ff;q=2,*'],
      ['accept-encoding', 'zstd;q=x'],
      ['cookie', 'session=%ff; a=b; =; __proto__=1'],
      ['user-agent', '\u0080\u00ff'],
      ['user-agent', ''],
      ['referer', 'nonsense'],
      ['origin', 'null'],
      ['range', 'bytes=9-1'],
      ['if-none-match', '"'],
      ['if-modified-since', 'yesterday'],
      ['expect', 'x'],
      ['x-http-method-override', 'DELETE'],
      ['x-accept-internal-redirect', '1'],
      ['a'.repeat(300), 'b'.repeat(4_000)],
    ),
    { maxLength: 2 },
  )
  .map((pairs) => Object.fromEntries(pairs));
