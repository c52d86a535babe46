import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isCommonPassword } from '#host/accounts/common-passwords';
import { passwordProblem } from '#host/accounts/passwords';
import { processorTime } from '../../support/processor-time';

const OWNER = { email: 'ada.byron@test.example', appName: 'Quadrille' };

test.each([
  'password',
  'Password1',
  'password123',
  'P@ssw0rd',
  'p4ssw0rd!',
  'Passw0rd2024!',
  '123password',
  'passwords1',
  '12345678',
  '123456789',
  '1234567890',
  '87654321',
  '11111111',
  '00000000',
  '12341234',
  '123123123',
  'abcabcabc',
  'qwertyui',
  'qwerty123',
  'qwertyuiop',
  'azertyuiop',
  'qwertz123',
  'asdfghjkl',
  '1q2w3e4r',
  '1qaz2wsx',
  'zaq12wsx',
  'qazwsxedc',
  'asdfqwer',
  'abcd1234',
  'abc12345',
  'a1b2c3d4',
  'q1w2e3r4',
  '1234qwer',
  'qwer1234',
  '147258369',
  'iloveyou',
  'iloveyou1',
  'sunshine',
  'princess1',
  'football',
  'baseball1',
  'superman',
  'Michael1',
  'jennifer',
  'liverpool1',
  'trustno1',
  'welcome1',
  'Welcome123!',
  'letmein1',
  'changeme',
  'starwars',
  'computer',
  'whatever',
  'pokemon1',
  'charlie123',
  'motdepasse',
  'doudou12',
  'bonjour1',
  'marseille13',
  'jetaime1',
  'soleil123',
  'contraseña',
  'tequiero1',
  'barcelona',
  'realmadrid',
  'passwort1',
  'schalke04',
  'Hallo123',
  'ichliebedich',
  'Sommer2024',
  'juventus1',
  'ciaociao',
  'francesca',
  'Napoli1926',
  'aaaaaaaa',
  'passwordpassword',
  '01011990',
  '19900101',
  '31/12/1999',
  '12-05-1985',
  '31122019',
  '20193112',
  'xkzxkzxkz',
  'xkzxkzxkz7',
  'qweasdzxc',
  '$unshine99',
  'dr@g0n2020',
])('%s is refused as a common password', (password) => {
  expect(isCommonPassword(password)).toBe(true);
});

test.each([
  'correct horse battery staple',
  'three quiet lamps over water',
  'Tr7#kQm2',
  'sunshine on the river bank',
  'kxqvbzjw',
  'mein hund frisst nur abends',
  'le-chat-boit-du-cidre',
  'piano & violoncello',
  '9f2c61ab7e',
  'Ωμέγα κύμα 7',
  '83920174',
  '31122055',
  '20553112',
  'kxqvb31121999',
  '31121999kxqvb',
  'correct lamplamp',
  'lamplamp over water',
  'wersdfxcvtyu',
])('%s is accepted', (password) => {
  expect(passwordProblem(password, OWNER)).toBeNull();
});

test.each([
  ['ada.byron', 'password_like_email'],
  ['ADA.BYRON@test.example', 'password_like_email'],
  ['xx-Ada.Byron-17', 'password_like_email'],
  ['quadrille-7719', 'password_common'],
])('%s is refused as %s', (password, problem) => {
  expect(passwordProblem(password, OWNER)).toBe(problem);
});

test('a mailbox name of three letters is not compared', () => {
  expect(passwordProblem('jo and the lighthouse', { ...OWNER, email: 'jo@test.example' })).toBeNull();
});

test('a common word is recognised however it is decorated', () => {
  const words = fc.constantFrom('dragon', 'monkey', 'princesse', 'fussball', 'amore', 'shadow', 'master');
  const ends = fc.constantFrom('', '1', '123', '2024', '!', '007', '99!', '12345', '#1', '.', '2001?');
  const cases = fc.constantFrom('lower', 'upper', 'first');
  fc.assert(
    fc.property(words, ends, cases, (word, end, written) => {
      const entered = {
        lower: word,
        upper: word.toUpperCase(),
        first: word[0]?.toUpperCase() + word.slice(1),
      }[written];
      return isCommonPassword(entered + end);
    }),
  );
});

test('random passwords of twelve letters and digits are accepted', () => {
  const letters = [...'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...letters), { minLength: 12, maxLength: 12 }).map((list) => list.join('')),
      (password) => new Set(password).size < 7 || !isCommonPassword(password),
    ),
    { numRuns: 500 },
  );
});

test('any 128 characters are checked quickly', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ maxLength: 128, unit: 'binary' }),
      async (password) => (await processorTime(() => passwordProblem(password, OWNER))) < 200,
    ),
  );
  for (const worst of [
    'a'.repeat(128),
    '12'.repeat(64),
    'qwertyuiop'.repeat(13).slice(0, 128),
    '!'.repeat(128),
  ]) {
    expect(await processorTime(() => passwordProblem(worst, OWNER))).toBeLessThan(200);
  }
});
