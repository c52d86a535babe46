import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CodeFields, checkContent } from '#contract/contents/contents';
import { composeWifi, isEnterpriseWifi, parseWifi, type WifiNetwork } from '#contract/contents/wifi-string';

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
  'WIFI:T:WPA;P:b;;',
  'WIFI:S:a\\',
  'WIFI:S:a;T:WPA;P:pass;word;;',
  'WIFI:T:XYZ;S:a;;',
  'WIFI:T:密码;S:a;P:password;;',
  'WIFI:S:a;;WIFI:S:b;;',
  'S:a;;',
])('refuses %j as a network', (text) => {
  expect(parseWifi(text)).toBeNull();
});

test.each([
  'WIFI:T:WPA;S:Café;P:espresso;;',
  'WIFI:T:WPA;S:Café;P:espresso;',
  'WIFI:T:WPA;S:Café;P:espresso',
  'wifi:t:wpa;s:Café;p:espresso;;;',
  ' WIFI:P:espresso; S:Café; T:WPA ;; ',
  'WIFI:S:Café;P:espresso;;',
  'WIFI:T:;S:Café;P:espresso;H:;;',
  'WIFI:T:WPA;R:1;S:Café;P:espresso;H:false;;',
  'WIFI:T:WPA;S:"Café";P:"espresso";;',
  'WIFI:T:WPA;H:0;S:Ca\\fé;P:espresso;K:bWVudQ==;;',
])('%j is read like a string of ours', (text) => {
  expect(parseWifi(text)).toEqual({ ssid: 'Café', passphrase: 'espresso', security: 'WPA', hidden: false });
});

test.each(['true', 'True', 'TRUE', '1', 'yes'])('H:%s is a hidden network', (word) => {
  const text = `WIFI:S:MyNetWork;T:WPA;P:example-pass-1;H:${word};;`;
  const expected = { ssid: 'MyNetWork', passphrase: 'example-pass-1', security: 'WPA', hidden: true };
  expect(parseWifi(text)).toEqual(expected);
});

test.each([
  ['WIFI:S:"ABCD";P:"0123456789";T:WEP;;', 'ABCD', '0123456789'],
  ['WIFI:S:ABCD;P:0123456789;T:WEP;;', 'ABCD', '0123456789'],
  ['WIFI:S:\\"ABCD\\";P:\\"abc;T:WEP;;', '"ABCD"', '"abc'],
  ['WIFI:S:"AB\\"CD\\;";P:"";T:nopass;;', 'AB"CD;', ''],
  ['WIFI:S:";P:abcde;T:WEP;;', '"', 'abcde'],
])('%j has the name %j and the password %j', (text, ssid, passphrase) => {
  expect(parseWifi(text)).toMatchObject({ ssid, passphrase });
});

test.each([
  ['WPA', 'WPA'],
  ['wpa2', 'WPA'],
  ['WPA3', 'WPA'],
  ['SAE', 'WPA'],
  ['WPA/WPA2', 'WPA'],
  ['WPA2-PSK', 'WPA'],
  ['WPA-PSK/WPA2-PSK', 'WPA'],
  ['WPA2/WPA3 Personal (AES)', 'WPA'],
  ['WPA3-SAE transition mode', 'WPA'],
  ['WPA2PSK', 'WPA'],
  ['RSN', 'WPA'],
  ['WEP', 'WEP'],
  ['wep-128', 'WEP'],
  ['nopass', 'nopass'],
  ['No password', 'nopass'],
  ['NONE', 'nopass'],
  ['open', 'nopass'],
  ['OWE', 'nopass'],
  ['WPA2-EAP', 'enterprise'],
  ['WPA2 Enterprise', 'enterprise'],
  ['802.1X', 'enterprise'],
  // Without a word, the passphrase says that it is protected.
  ['', 'WPA'],
  ['密码', null],
  ['WPS', null],
  ['WPA4', null],
])('the word %j stands for %s', (word, kind) => {
  const text = `WIFI:T:${word};S:a;P:password;;`;
  expect(parseWifi(text)?.security ?? (isEnterpriseWifi(text) ? 'enterprise' : null)).toBe(kind);
});

test.each([
  'WIFI:T:WPA2-EAP;S:a;E:PEAP;PH2:MSCHAPV2;I:ada;P:password;;',
  'WIFI:T:WPA;S:a;E:TTLS;P:password;;',
])('%j asks for a user name, so it cannot become a code', (text) => {
  expect(parseWifi(text)).toBeNull();
  expect(isEnterpriseWifi(text)).toBe(true);
});

test('other strings ask for no user name', () => {
  for (const text of ['WIFI:T:WPA;S:EAP;P:password;;', 'WIFI:T:XYZ;S:a;;', 'EAP', ''])
    expect(isEnterpriseWifi(text)).toBe(false);
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
