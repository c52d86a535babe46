import { expect, test } from 'vitest';
import { readImport } from '#host/codes/import/report';
import { importOf, RULES } from './read-import';

/** What the rows become: type and content, or the problems' fields and reasons. */
function outcomeOf(lines: string[]) {
  const { imported, problems } = importOf(lines);
  return [
    ...imported.map(({ row, design }) => [row, design.type, design.content]),
    ...problems.map(({ row, field, reason }) => [row, field, reason]),
  ];
}

test.each([
  ['link', 'example.com', ['Link', 'URL', 'Website', 'Lien', 'Enlace', 'Web']],
  ['text', 'example.com', ['Text', 'Texte', 'Texto', 'Testo']],
  ['email', 'ada@example.com', ['E-Mail', 'email', 'Correo', 'Courriel']],
  ['wifi', '', ['Wi-Fi', 'WLAN', 'wifi']],
])('the type %s is recognised in five languages', (type, content, words) => {
  const rows = words.map((word) => `${word},${content},Café,password1`);
  const { imported, problems } = importOf(['type,content,ssid,passphrase', ...rows]);
  expect(problems).toEqual([]);
  expect(imported.map(({ design }) => design.type)).toEqual(words.map(() => type));
});

test('without a type, the content decides', () => {
  expect(
    outcomeOf([
      'content,ssid,passphrase,security',
      'ada@example.com,,,',
      'MailTo:ada@example.com,,,',
      'example.com,Café,password1,',
      ',Café,password1,',
      'WIFI:T:WEP;S:Old;P:abcde;H:true;;,,,',
      ',   ,password1,',
      'https://a.example/?to=mailto:ada@example.com,,,',
      'hello,,,',
    ]),
  ).toEqual([
    [2, 'email', 'ada@example.com'],
    [3, 'email', 'ada@example.com'],
    [4, 'link', 'https://example.com'],
    [5, 'wifi', 'WIFI:T:WPA;S:Café;P:password1;;'],
    [6, 'wifi', 'WIFI:T:WEP;S:Old;P:abcde;H:true;;'],
    [8, 'link', 'https://a.example/?to=mailto:ada@example.com'],
    [7, 'content', 'content_required'],
    [9, 'content', 'link_invalid'],
  ]);
});

test('addresses and networks of other generators are read, and mistyped ones are offered put right', () => {
  expect(
    outcomeOf([
      'content',
      'mailto:info@müller.de',
      '"info@müller,de"',
      'https://https://a.example/menu',
      'https://a.example/menu\u200b',
      'wifi:S:Café;T:WPA3;P:password1;H:1',
      'WIFI:T:WPA2-EAP;S:Office;E:PEAP;I:ada;P:password1;;',
      'WIFI:S:Café;T:WPA;P:short;;',
    ]),
  ).toEqual([
    [2, 'email', 'info@müller.de'],
    [5, 'link', 'https://a.example/menu'],
    [6, 'wifi', 'WIFI:T:WPA;S:Café;P:password1;H:true;;'],
    [3, 'content', 'address_meant:info@müller.de'],
    [4, 'content', 'address_meant:https://a.example/menu'],
    [7, 'content', 'wifi_enterprise'],
    [8, 'content', 'passphrase_length'],
  ]);
});

test('every code of another service that redirects is a link, whatever it calls the type', () => {
  expect(
    outcomeOf(['Name,Type,Short URL,Target URL,Scans', 'One,PDF,https://qrco.de/x,https://a.example/,3']),
  ).toEqual([[2, 'link', 'https://a.example/']]);
});

test('the security of a network and whether it is hidden are read in five languages', () => {
  expect(
    outcomeOf([
      'ssid,passphrase,security,hidden',
      'Open,,Aucune,',
      'Open,,Ninguna,',
      'Open,,Keine,',
      'Open,,Nessuna,no',
      'Old,abcde,WEP,Sì',
      'New,password1,WPA2,Ja',
      'New,password1,WPA/WPA2/WPA3,oui',
      'New,password1,WPA9,',
    ]),
  ).toEqual([
    [2, 'wifi', 'WIFI:T:nopass;S:Open;;'],
    [3, 'wifi', 'WIFI:T:nopass;S:Open;;'],
    [4, 'wifi', 'WIFI:T:nopass;S:Open;;'],
    [5, 'wifi', 'WIFI:T:nopass;S:Open;;'],
    [6, 'wifi', 'WIFI:T:WEP;S:Old;P:abcde;H:true;;'],
    [7, 'wifi', 'WIFI:T:WPA;S:New;P:password1;H:true;;'],
    [8, 'wifi', 'WIFI:T:WPA;S:New;P:password1;H:true;;'],
    [9, 'security', 'security_invalid'],
  ]);
});

test('the columns of networks do not matter to other codes', () => {
  expect(outcomeOf(['content,security,hidden', 'https://a.example/,WPA9,x'])).toEqual([
    [2, 'link', 'https://a.example/'],
  ]);
});

test('a private code is private in any of five languages, a network never, and no other word is guessed', () => {
  const words = ['Private', 'Privé', 'privado', 'Privat', 'privata'];
  const open = ['', 'Public', 'Público', 'Öffentlich', 'pubblica'];
  const rows = [...words, ...open].map((word, index) => `https://a.example/${index},,${word}`);
  const { imported, problems } = importOf([
    'content,ssid,visibility',
    ...rows,
    ',Café,private',
    'https://a.example/,,secret',
  ]);
  expect(imported.map(({ design }) => design.visibility)).toEqual([
    ...words.map(() => 'private'),
    ...open.map(() => 'public'),
  ]);
  expect(problems.map(({ row, field, reason }) => [row, field, reason])).toEqual(
    expect.arrayContaining([
      [12, 'visibility', 'wifi_public'],
      [13, 'visibility', 'visibility_invalid'],
    ]),
  );
});

test('an unknown type is one problem of its row, whatever its content', () => {
  expect(outcomeOf(['type,content', 'Bild,nowhere:'])).toEqual([[2, 'type', 'type_unavailable']]);
});

test('tags are separated by commas, semicolons or bars, and those of the account count', () => {
  const tagKeys = Array.from({ length: 199 }, (_, index) => `tag ${index}`);
  const { imported, problems } = importOf(
    ['url,tags', 'https://a.example/,Tag 1;new|tag 2', 'https://b.example/,NEW', 'https://c.example/,other'],
    tagKeys,
  );
  expect(imported.map(({ design }) => design.tags)).toEqual([['Tag 1', 'new', 'tag 2'], ['NEW']]);
  expect(problems.map(({ row, reason }) => [row, reason])).toEqual([[4, 'account_tags_too_many']]);
});

test('rows without new tags are imported even if the account has too many', () => {
  const tagKeys = Array.from({ length: 201 }, (_, index) => `tag ${index}`);
  const { imported, problems } = importOf(
    ['url,tags', 'https://a.example/,', 'https://b.example/,TAG 7'],
    tagKeys,
  );
  expect([imported.length, problems]).toEqual([2, []]);
});

test('e-mails to one address are duplicates only with the same subject and text', () => {
  const rows = ['Hello,Dear Ada', 'Goodbye,Dear Ada', 'Hello,Dear Bob', 'Hello,Dear Ada'];
  const { imported, repeated } = importOf([
    'content,subject,body',
    ...rows.map((row) => `ada@example.com,${row}`),
  ]);
  expect(repeated).toEqual([{ row: 5, of: 2 }]);
  expect(imported.map(({ isDuplicate }) => isDuplicate)).toEqual([false, false, false, true]);
});

test('a report shows the first five codes, and all rows are kept in parts of a hundred', () => {
  const lines = ['url', ...Array.from({ length: 201 }, () => 'a.example')];
  const { report, parts, repeated } = readImport({
    bytes: Buffer.from(lines.join('\n')),
    rules: RULES,
    tagKeys: [],
  });
  expect(report).toMatchObject({ valid: 201, problemCount: 0 });
  expect(report.preview.map(({ row }) => row)).toEqual([2, 3, 4, 5, 6]);
  expect(parts.map((part) => JSON.parse(part).length)).toEqual([100, 100, 1]);
  expect(repeated).toHaveLength(200);
});

test('the value of a problem is as it was written, in whole characters and without nulls', () => {
  const emoji = '👩'.repeat(150);
  const { problems } = importOf(['name,url', `${emoji},a.example`, "a\0b,'=nowhere:"]);
  expect(problems.map(({ column, value }) => [column, value])).toEqual([
    ['name', '👩'.repeat(100)],
    ['name', 'a\ufffdb'],
    ['url', "'=nowhere:"],
  ]);
});
