import { expect, test } from 'vitest';
import { isNarrowed, nameOf, readCodeQuery, searchOf } from '~/codes/code/codes.server';

const queryOf = (search: string) => readCodeQuery(new URLSearchParams(search));

test('a name is shown as it is, and a content of up to sixty characters, too', () => {
  const code = { name: null, type: 'text' as const };
  const sixty = `${'a'.repeat(30)}${'z'.repeat(30)}`;
  expect(nameOf({ ...code, content: sixty })).toBe(sixty);
  expect(nameOf({ ...code, name: 'n'.repeat(80), content: sixty })).toBe('n'.repeat(80));
});

test('a longer content loses its middle, and has sixty characters at most', () => {
  const shown = nameOf({ name: null, type: 'text', content: `${'a'.repeat(31)}${'z'.repeat(30)}` });
  expect(shown).toBe(`${'a'.repeat(24)}…${'a'.repeat(5)}${'z'.repeat(30)}`);
  expect([...shown]).toHaveLength(60);
  // Characters, not UTF-16 units.
  expect([...nameOf({ name: null, type: 'text', content: '👍'.repeat(60) })]).toHaveLength(60);
  expect(nameOf({ name: null, type: 'text', content: `${'a'.repeat(23)} ${'b'.repeat(60)}` })).toContain(
    'a…b',
  );
});

test.each([
  ['', ''],
  ['page=3&limit=7', ''],
  ['search=wine&tag=Menu&type=link&visibility=private&show=archived&order=name&size=50', null],
  ['order=newest&size=10&show=in_use', ''],
  ['size=11&order=nonsense&type=nonsense', ''],
])('the query %j of a list is written as %j', (search, written) => {
  expect(searchOf(queryOf(search))).toBe(written ?? search);
});

test('only what leaves codes out narrows a list', () => {
  for (const search of ['', 'order=name', 'size=50', 'page=2'])
    expect(isNarrowed(queryOf(search))).toBe(false);
  for (const search of ['search=a', 'tag=b', 'type=text', 'visibility=public', 'show=all'])
    expect(isNarrowed(queryOf(search))).toBe(true);
});
