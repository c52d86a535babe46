import type { EntryContext } from '@remix-run/node';
import { expect, test } from 'vitest';
import { cachePage, fillPage, findCachedPage, pageCacheKey } from '~/http/page-cache.server';

interface Answered {
  pathname?: string;
  locale?: string;
  root?: Record<string, unknown> | undefined;
  leaf?: unknown;
  statusCode?: number;
  actionData?: unknown;
  errors?: unknown;
}

const ROOT = { user: null, notices: [], unsent: null, theme: 'system' };

function keyOf(
  { pathname = '/', locale = 'gb', root = ROOT, leaf = { key: 'form-1' }, ...rest }: Answered,
  once = ['nonce-1', 'form-1'],
) {
  const entry = {
    staticHandlerContext: {
      loaderData: { root, leaf },
      statusCode: 200,
      actionData: null,
      errors: null,
      ...rest,
    },
  } as unknown as EntryContext;
  return pageCacheKey({ pathname, locale, entry, once });
}

test('single-use values do not make otherwise equal pages differ', () => {
  expect(keyOf({ leaf: { key: 'form-1' } }, ['nonce-1', 'form-1'])).toBe(
    keyOf({ leaf: { key: 'form-2' } }, ['nonce-2', 'form-2']),
  );
});

test('the path, the language and any other difference in loader data make pages differ', () => {
  const keys = [
    keyOf({}),
    keyOf({ pathname: '/faq' }),
    keyOf({ locale: 'fr' }),
    keyOf({ leaf: { key: 'form-1', draft: 'mine' } }),
    keyOf({ root: { ...ROOT, theme: 'dark' } }),
  ];
  expect(new Set(keys).size).toBe(5);
});

test.each<[string, Answered]>([
  ['somebody is signed in', { root: { ...ROOT, user: { label: 'Ada' } } }],
  ['there is a message', { root: { ...ROOT, notices: [{ id: '1' }] } }],
  ['input is returned', { root: { ...ROOT, unsent: [['email', 'a']] } }],
  ['an action was run', { actionData: { lastResult: {} } }],
  ['something failed', { errors: { root: {} } }],
  ['it is not a plain page', { statusCode: 404 }],
  ['it has no frame', { root: null as never }],
])('a page is not cached if %s', (_, answered) => {
  expect(keyOf(answered)).toBeNull();
});

test('a page without any messages is cached', () => {
  expect(keyOf({ root: { user: null, unsent: null } })).toEqual(expect.any(String));
});

test('a cached page gets the single-use values of its own response', () => {
  const html = '<script nonce="nonce-1"></script><input value="form-1"><style nonce="nonce-1">';
  cachePage('page', html, ['nonce-1', 'form-1']);
  const filled = (...values: string[]) =>
    Buffer.concat(
      fillPage(
        findCachedPage('page') ?? [],
        values.map((value) => Buffer.from(value)),
      ),
    ).toString();
  expect(filled('nonce-2', 'form-2')).toBe(html.replaceAll('nonce-1', 'nonce-2').replace('form-1', 'form-2'));
  expect(filled('nonce-2')).toBe(html.replaceAll('nonce-1', 'nonce-2').replace('form-1', ''));
  expect(findCachedPage('another')).toBeUndefined();
});
