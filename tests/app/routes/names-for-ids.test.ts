import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/qrcodes/:id': 'codes/code/page.tsx',
    '/user/qrcodes/:id/delete': 'codes/code/delete-page.tsx',
    '/user/qrcodes/:id/logo': 'codes/code/logo-route.ts',
    '/user/settings/addresses/:id': 'account/addresses/page.tsx',
  });
});
afterAll(async () => website.close());

test.each([
  '/user/qrcodes/codes.csv',
  '/user/qrcodes/codes.csv/delete',
  '/user/qrcodes/codes.csv/logo',
  '/user/qrcodes/..%2Fplans',
  '/user/qrcodes/%20',
  '/user/settings/addresses/x',
])('%s is not found, although the host has a call with that path', async (path) => {
  const account = await website.host.account();
  expect((await website.browse(path, { as: account })).status).toBe(404);
});
