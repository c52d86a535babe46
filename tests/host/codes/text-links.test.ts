import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutInvisible } from '#contract/invisible';
import { listTextLinks, TEXT_LINKS } from '#host/codes/contents/text-links';

test.each([
  ['Nothing here. http: //broken or https:/one-slash', []],
  ['See https://a.example.', ['https://a.example']],
  ['See https://a.example/x, or (http://b.example/y)!', ['https://a.example/x', 'http://b.example/y']],
  ['https://a.example/wiki/Paper_(print)', ['https://a.example/wiki/Paper_(print)']],
  ['[https://a.example/[x]]', ['https://a.example/[x]']],
  ['HTTPS://A.EXAMPLE/B', ['HTTPS://A.EXAMPLE/B']],
  ['https://a.example/?q=1&r=2#s…', ['https://a.example/?q=1&r=2#s']],
  ['« https://a.example/é » et “https://b.example”', ['https://a.example/é', 'https://b.example']],
  ['<https://a.example/x>"https://b.example/y"', ['https://a.example/x', 'https://b.example/y']],
  ['https://a.example https://a.example', ['https://a.example']],
  ['line\nhttps://a.example\r\nline', ['https://a.example']],
  ['https://bank.example@evil.example https://u:p@evil.example', []],
  ['javascript:alert(1) data:text/html,x ftp://a.example', []],
  ['https://good.example\\@evil.example', ['https://good.example']],
  ['https://', []],
  ['https://%00.example https://a b', ['https://a']],
  [
    'https://fr.example/L’Équipe, https://a.example/l·l·',
    ['https://fr.example/L’Équipe', 'https://a.example/l·l'],
  ],
  ['https://fa.example/می\u200cخواهم', ['https://fa.example/می\u200cخواهم']],
  [
    'https://a.example/karte\u200b \u2060https://b.example/\ufeff',
    ['https://a.example/karte', 'https://b.example/'],
  ],
  ['https://a.exam\u00adple/', ['https://a.example/']],
  [
    '请看https://a.example/菜单。谢谢，https://b.example/茶、',
    ['https://a.example/菜单', 'https://b.example/茶'],
  ],
  [
    '（https://a.example/x）を見て、https://b.example/紙（素材）',
    ['https://a.example/x', 'https://b.example/紙（素材）'],
  ],
  ['［https://a.example/［x］］', ['https://a.example/［x］']],
  ['यहाँ https://a.example/मेनू। هنا https://b.example/x؟', ['https://a.example/मेनू', 'https://b.example/x']],
])('reads %j as %j', (text, links) => {
  expect(listTextLinks(text)).toEqual(links);
});

test.each([
  '„“',
  '“”',
  '””',
  '»«',
  '«»',
  '« »',
  '›‹',
  '‹›',
  '‚‘',
  '‘’',
  '’’',
  '「」',
  '『』',
  '（）',
  '［］',
  '【】',
  '《》',
  '〈〉',
  '〔〕',
  '｢｣',
  '‟”',
  '*_',
  '´´',
  '—–',
])('a link between %s ends before the closing sign', (signs) => {
  const [opening = '', closing = ''] = [signs.slice(0, -1), signs.slice(-1)];
  for (const after of ['', '.', ' and', '),', closing])
    expect(listTextLinks(`Karte: ${opening}https://a.example/karte${closing}${after}`)).toEqual([
      'https://a.example/karte',
    ]);
});

test('a text with many links offers only the first ones', () => {
  const addresses = Array.from({ length: 9 }, (_, n) => `https://a.example/${n}`);
  for (const count of [TEXT_LINKS - 1, TEXT_LINKS, TEXT_LINKS + 1, 9])
    expect(listTextLinks(addresses.slice(0, count).join(' '))).toEqual(
      addresses.slice(0, Math.min(count, TEXT_LINKS)),
    );
  // A blocked one makes room for the next.
  const [blocked = '', ...others] = addresses;
  expect(listTextLinks(addresses.join(' '), [blocked])).toEqual(others.slice(0, TEXT_LINKS));
});

test('every link is literally part of its text and is a web address', () => {
  const piece = fc.oneof(
    fc.constantFrom('https://', 'http://', 'a.example', '/x', '@', ':', '(', ')', ' ', '\n', '\\', '.', '//'),
    fc.string({ unit: 'binary', maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const text = pieces.join('');
      for (const link of listTextLinks(text)) {
        expect(withoutInvisible(text)).toContain(link);
        const { protocol, username, password, href } = new URL(link);
        expect(['http:', 'https:']).toContain(protocol);
        expect(username + password).toBe('');
        expect(new Headers({ Location: href }).get('location')).toBe(href);
        expect(href).toMatch(/^[\x21-\x7e]+$/);
      }
    }),
    { numRuns: 2000 },
  );
});
