import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CodeFields, checkContent } from '#contract/contents';
import { composeWifi, parseWifi, type WifiNetwork } from '#contract/wifi';

function wifi(fields: Partial<CodeFields>): CodeFields {
  return { type: 'wifi', content: '', ssid: 'Cafe', passphrase: 'espresso', security: 'WPA', ...fields };
}

const network: fc.Arbitrary<WifiNetwork> = fc
  .record({
    ssid: fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 32 }),
      fc.string({ unit: fc.constantFrom(...'\\;,":SPTH'), maxLength: 32 }),
    ),
    passphrase: fc.string({ unit: fc.constantFrom(...'\\;,":ab P'), maxLength: 63 }),
    security: fc.constantFrom('WPA', 'WEP', 'nopass'),
    hidden: fc.boolean(),
  })
  .map((made) => (made.security === 'nopass' ? { ...made, passphrase: '' } : made));

test('a network can be read back from its string', () => {
  fc.assert(
    fc.property(network, (made) => {
      expect(parseWifi(composeWifi(made))).toEqual(made);
    }),
    { numRuns: 1000 },
  );
});

test('separators are escaped, hex passwords are not quoted, and the hidden flag comes last', () => {
  expect(composeWifi({ ssid: 'a;b:c', passphrase: 'x\\y,"z"', security: 'WPA', hidden: true })).toBe(
    'WIFI:T:WPA;S:a\\;b\\:c;P:x\\\\y\\,\\"z\\";H:true;;',
  );
  expect(composeWifi({ ssid: 'abcd', passphrase: '0123456789', security: 'WEP', hidden: false })).toBe(
    'WIFI:T:WEP;S:abcd;P:0123456789;;',
  );
  expect(composeWifi({ ssid: 'open', passphrase: 'unused', security: 'nopass', hidden: true })).toBe(
    'WIFI:T:nopass;S:open;H:true;;',
  );
});

test('fields may come in any order and case', () => {
  const expected = { ssid: 'a', passphrase: 'b', security: 'WPA', hidden: true };
  expect(parseWifi('wifi:P:b;H:TRUE;S:a;T:wpa;;')).toEqual(expected);
  expect(parseWifi('WIFI:S:a;;')).toEqual({ ssid: 'a', passphrase: '', security: 'nopass', hidden: false });
});

test.each([
  '',
  'WIFI:',
  'WIFI:;;',
  'WIFI:S:a;',
  'WIFI:T:WPA;P:b;;',
  'WIFI:S:a\\;;',
  'WIFI:T:XYZ;S:a;;',
  'S:a;;',
])('refuses %j as a network', (text) => {
  expect(parseWifi(text)).toBeNull();
});

test.each([
  [{}, []],
  [{ ssid: '' }, ['ssid_required']],
  [{ ssid: 'é'.repeat(16) }, []],
  [{ ssid: `${'é'.repeat(16)}x` }, ['ssid_too_long']],
  [{ passphrase: '' }, ['passphrase_required']],
  [{ passphrase: '1234567' }, ['passphrase_length']],
  [{ passphrase: 'x'.repeat(63) }, []],
  [{ passphrase: 'x'.repeat(64) }, ['passphrase_length']],
  [{ passphrase: 'aF09'.repeat(16) }, []],
  [{ passphrase: 'mot de passé' }, ['passphrase_length']],
  [{ security: 'WEP', passphrase: 'abcde' }, []],
  [{ security: 'WEP', passphrase: '0123456789' }, []],
  [{ security: 'WEP', passphrase: 'abcdef' }, ['passphrase_length']],
  [{ security: 'nopass', passphrase: 'short\\' }, []],
  [{ ssid: 'Cafe\\' }, ['trailing_backslash']],
  [{ passphrase: 'espresso\\' }, ['trailing_backslash']],
  [{ ssid: 'Ca\nfe' }, ['not_readable']],
  [{ ssid: 'Ca\ud800fe' }, ['not_readable']],
] satisfies [Partial<CodeFields>, string[]][])('checks %j: %j', (fields, problems) => {
  expect(checkContent(wifi(fields)).map(({ code }) => code)).toEqual(problems);
});

test('a valid network is read back as typed', () => {
  fc.assert(
    fc.property(network, (made) => {
      if (checkContent(wifi(made)).length > 0) return;
      expect(parseWifi(composeWifi(made))).toEqual(made);
    }),
  );
});
