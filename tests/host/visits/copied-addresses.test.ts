import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { readCode } from './stored-visits';

const JSON_CALLER = { headers: { accept: 'application/json' } };
let host: TestHost;
let owner: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
  owner = await host.account();
});

afterAll(() => host.close());

test.each([
  '.',
  ')',
  ',',
  ';',
  ':',
  '!',
  "'",
  '"',
  '%22',
  '*',
  '_',
  '-',
  '>',
  '%3E',
  ']',
  '](x)',
  '&',
  '&amp;',
  '&quot;',
  '%20',
  '%2520',
  '%C2%A0',
  '+',
  '%0A',
  '%E2%80%9C',
  '%E2%80%9D',
  '%E2%80%99',
  '%C2%BB',
  '%E3%80%82',
  '%EF%BC%89',
  '%E2%80%8B',
  '%E2%80%8D',
  '%E2%81%A0',
  '%EF%BB%BF',
  '%C2%AD',
  '%E2%80%8E',
  '%E2%80%AC',
  '.%E2%80%9D',
  '%20).',
  '&utm_source=x',
  '%3Futm_source=x',
  '/',
  '%2F',
])('%j copied behind an address does not keep its code from opening', async (copied) => {
  const code = await host.code(owner.id);
  for (const path of [`/r/${code.slug}${copied}`, `/L/${code.slug.toLowerCase()}${copied}`]) {
    const answer = await host.request(path);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, code.content]);
  }
  expect((await readCode(host.db, code.id)).totals).toEqual([{ scans: 1, clicks: 1, others: 0 }]);
});

test('a code opens with what was copied before its slug, within it or in wide letters', async () => {
  const code = await host.code(owner.id, { slug: '7K3M9Q02' });
  for (const entered of [
    '(7K3M9Q02)',
    '%207K3M9Q02',
    '%C2%AB7K3M9Q02%C2%BB',
    '7K3M%C2%AD9Q02',
    '７Ｋ３Ｍ９Ｑ０２',
  ])
    expect([entered, (await host.request(`/r/${entered}`)).headers.get('location')]).toEqual([
      entered,
      code.content,
    ]);
});

test('a browser at an address with a copied full stop is sent to the page of the code', async () => {
  const code = await host.code(owner.id, { type: 'text', content: 'Hello' });
  const sent = await host.request(`/r/${code.slug}.`);
  expect(sent.headers.get('location')).toMatch(
    new RegExp(`^https://www.quadrille.example/r/${code.slug}\\?counted=`),
  );
});

test('anything else with a slug in it opens no code', async () => {
  await host.code(owner.id, { slug: '7K3M9Q03' });
  for (const entered of [
    '7K3M9Q0',
    '7K3M9Q033',
    '7K3M9Q0.3',
    '7K3M9Q03x',
    '7K3M9Q03ß',
    'x7K3M9Q03',
    '7K3M9QU3.',
  ])
    expect((await (await host.request(`/r/${entered}`, JSON_CALLER)).json()).code).toBe('code_unknown');
});
