import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import routes from '~/routes';
import { send } from '../../support/json-calls';
import { createTestWebsite, startClocks, type TestWebsite } from '../../support/website';

const ADDRESS = { street: '1 rue du Papier', postal_code: '75011', city: 'Paris', country: 'FR' };
/** Every page needs the profile to show who is signed in. */
const PROFILE = 'GET /api/account/profile';
const pages = routes.filter(({ file, path }) => file.endsWith('.tsx') && path !== '*');
let website: TestWebsite;
let calls: string[] = [];

beforeAll(async () => {
  const files = Object.fromEntries(pages.map((page) => [pathOf(page), page.file]));
  website = await createTestWebsite(files, (request, pass) => {
    calls.push(`${request.method} ${new URL(request.url).pathname}`);
    return pass();
  });
});
afterAll(async () => website.close());

const pathOf = ({ path = '' }: { path?: string }) => `/${path}`;

test('a page calls the host once for the profile and at most twice otherwise', async () => {
  // What is cached must not expire between the two requests for a page.
  startClocks(website);
  const tooMany: Record<string, string[]> = {};
  for (const as of [undefined, await website.host.account(), await website.host.account({ access: false })]) {
    const code = as && (await website.host.code(as.id));
    const address =
      as && (await send(website.host, 'POST', '/api/account/billing-addresses', ADDRESS, as)).body.data;
    for (const page of pages) {
      const { id = randomUUID() } = ((page.file.includes('addresses') ? address : code) ?? {}) as {
        id?: string;
      };
      const path = pathOf(page).replace(':slug', 'basic_monthly').replace(':id', id).replace(':rule', 'new');
      // Only the second request counts, when everything that the website shares is cached.
      for (const _ of ['first', 'second']) {
        calls = [];
        await website.browse(path, as ? { as } : {});
      }
      const others = calls.filter((call) => call !== PROFILE);
      expect(calls.length - others.length, `${path} asks for the profile`).toBe(as ? 1 : 0);
      if (others.length > 2) tooMany[`${path} as ${as?.id}`] = others;
    }
  }
  expect(tooMany).toEqual({});
});
