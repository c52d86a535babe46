import { expect, test } from 'vitest';
import { codeSearchView, readCodeSearch } from '~/statistics/code-search.server';

const QUESTION = { period: 7, code: 'shown', tag: null, timeZone: 'Asia/Tokyo' } as const;
const code = (id: string) => ({ id, type: 'link' as const, name: null, content: id });

test('a search is trimmed, truncated and cleaned of invalid characters', () => {
  const read = (query: Record<string, string>) => readCodeSearch(new URLSearchParams(query));
  expect(read({ find: '  a\u0000b ' })).toEqual({ text: 'ab', before: undefined });
  expect(read({ find: 'x'.repeat(300) }).text).toHaveLength(255);
  expect(read({ find: 'a', before: '42' }).before).toBe(42);
  expect(read({ find: 'x'.repeat(255) }).text).toHaveLength(255);
  expect(read({ before: '1' }).before).toBe(1);
  expect(read({ before: '2147483647' }).before).toBe(2_147_483_647);
  expect(read({ before: '2147483648' }).before).toBeUndefined();
  for (const before of ['-1', '0', '1.5', 'x', '99999999999'])
    expect(read({ before }).before).toBeUndefined();
});

test('a found code links to its figures with the same filter but without the search', () => {
  const found = { codes: [code('shown'), code('other')], next: null };
  const view = codeSearchView({ text: 'a', before: undefined }, found, QUESTION, ({ content }) => content);
  expect(view.codes).toEqual([
    {
      id: 'shown',
      name: 'shown',
      isShown: true,
      to: '/user/analytics?period=7&code=shown&timeZone=Asia%2FTokyo',
    },
    {
      id: 'other',
      name: 'other',
      isShown: false,
      to: '/user/analytics?period=7&code=other&timeZone=Asia%2FTokyo',
    },
  ]);
  expect(view.older).toBeNull();
  expect(view.kept).toEqual([
    ['period', '7'],
    ['code', 'shown'],
    ['timeZone', 'Asia/Tokyo'],
  ]);
});

test('the link of a found code drops the tag, and searching again keeps it', () => {
  const found = { codes: [code('other')], next: 5 };
  const tagged = { ...QUESTION, code: null, tag: 'Summer' };
  const view = codeSearchView({ text: 'a', before: undefined }, found, tagged, () => '');
  expect(view.codes[0]?.to).toBe('/user/analytics?period=7&timeZone=Asia%2FTokyo&code=other');
  expect(view.older).toContain('&tag=Summer&');
  expect(view.kept).toContainEqual(['tag', 'Summer']);
});

test('if there are more results, a link continues with the same search and filter', () => {
  const view = codeSearchView({ text: 'a&b', before: 9 }, { codes: [], next: 5 }, QUESTION, () => '');
  expect(view.older).toBe(
    '/user/analytics?period=7&code=shown&timeZone=Asia%2FTokyo&find=a%26b&before=5#found',
  );
  expect(view.isContinued).toBe(true);
});
