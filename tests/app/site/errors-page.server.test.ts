import { afterAll, beforeAll, expect, test } from 'vitest';
import { ERROR_STATUS } from '#contract/errors';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({ '/developers/errors': 'site/errors-page.tsx' });
});
afterAll(() => website.close());

test('the page that problem documents name has each error of the API, with its status', async () => {
  const html = await (await website.browse('/developers/errors')).text();
  const rows = [...html.matchAll(/<tr id="(\w+)">.*?<td class="number">(\d+)<\/td>/gs)];
  const shown = Object.fromEntries(rows.map(([, code, status]) => [code, Number(status)]));
  const { code_private, code_unknown, code_blocked, code_circular, ...expected } = ERROR_STATUS;
  expect(shown).toEqual(expected);
});
