import { expect, test } from 'vitest';
import { isDataRequest } from '~/http/data-request.server';

test("a request of the router for data is told from the browser's for a document", () => {
  const request = (headers: HeadersInit) => new Request('http://localhost/faq', { headers });
  expect(isDataRequest(request({ 'x-data-request': '1' }))).toBe(true);
  expect([isDataRequest(request({ 'x-data-request': '' })), isDataRequest(request({}))]).toEqual([
    false,
    false,
  ]);
});
