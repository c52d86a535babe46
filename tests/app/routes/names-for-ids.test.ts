import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/qrcodes/:id': 'user.qrcodes.$id._index.tsx',
    '/user/qrcodes/:id/delete': 'user.qrcodes.$id.delete.tsx',
    '/user/qrcodes/:id/logo': 'user.qrcodes.$id.logo.ts',
    '/user/settings/addresses/:id': 'user.settings_.addresses.$id.tsx',
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
