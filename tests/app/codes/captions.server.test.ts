import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({ '/captions/outline': 'codes/look/caption-route.ts' });
});
afterAll(() => website.close());

function ask(text: string): Promise<Response> {
  return website.browse(`/captions/outline?${new URLSearchParams({ text })}`, {});
}

test('the outlines of a caption are public and cacheable', async () => {
  const answer = await ask('  Scan   me ');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  const outline = (await answer.json()) as { words: { path: string }[] };
  expect(outline.words).toHaveLength(2);
  expect(outline.words[0]?.path).toMatch(/^M/);
});

test.each([
  ['', 'caption_required'],
  ['x'.repeat(31), 'caption_too_long'],
  ['x'.repeat(5_000), 'caption_too_long'],
  ['a\u202eb', 'caption_invalid'],
  ['Scan 🎉', 'caption_letters'],
])('the caption %j is refused as %s', async (text, problem) => {
  const answer = await ask(text);
  expect([answer.status, await answer.json()]).toEqual([422, { problem }]);
  expect(answer.headers.get('cache-control') ?? '').not.toContain('immutable');
});
