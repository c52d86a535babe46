import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestHost, type TestHost } from '../../support/host';

let host: TestHost;
let token: string;

beforeAll(async () => {
  host = await createTestHost();
  token = (await host.account()).token;
});
afterAll(() => host.close());

test.each([
  ['JSON', '/api/plans'],
  ['a refusal', '/api/no-such-call'],
  ['a file streamed row by row', '/api/qrcodes/codes.csv'],
  ['a file streamed in chunks', '/api/account/export'],
  ['a picture', '/api/logos_presets/heart.svg'],
  ['a page', '/mailbox'],
])('%s has nosniff, a cache policy and the request id', async (_, path) => {
  const { headers } = await host.request(path, { token, headers: { 'x-request-id': 'request-of-a-test' } });
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-request-id')).toBe('request-of-a-test');
  expect(headers.get('cache-control')).toMatch(/no-store|max-age/);
});
