import { expect, test } from 'vitest';
import { errorTexts, messagesFile, messagesOf, messagesPath } from '~/i18n/messages.server';

const fileOf = (path: string) => path.split('/').at(-1) ?? '';

test('a page names the file of its texts, whose URL changes with its content', () => {
  const path = messagesPath('de', ['common', 'design']);
  expect(path).toMatch(/^\/messages\/de\/common\+design\.[0-9a-f]{12}\.json$/);
  const file = messagesFile('de', fileOf(path));
  expect(file?.isCurrent).toBe(true);
  expect(JSON.parse(file?.json ?? '')).toEqual(messagesOf('de', ['common', 'design']));
  expect(messagesFile('de', 'common+design.000000000000.json')?.isCurrent).toBe(false);
});

test.each([
  'nothing.000000000000.json',
  '../common.000000000000.json',
  'common.json',
  '__proto__.000000000000.json',
  'common+common.000000000000.json',
  '',
])('there is no file %j', (file) => {
  expect(messagesFile('gb', file)).toBeNull();
});

test('error messages stay on the server until one is needed', () => {
  expect(messagesOf('fr', ['design']).design).not.toHaveProperty('errors');
  const texts = errorTexts('fr', ['common', 'design'], ['content_required', 'rate_limited', 'no_such_code']);
  expect(Object.keys(texts).sort()).toEqual(['content_required', 'invalid', 'rate_limited']);
  expect(texts.content_required).toMatch(/\S/);
});
