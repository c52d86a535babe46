import { expect, test } from 'vitest';
import type { openApiDocument } from '#host/http/openapi';
import { createTestHost } from '../support/host';

/** Section 7 of the specification, as far as it is served. */
const SPECIFIED = [
  'POST /api/login_check',
  'POST /api/account/logout',
  'GET /api/qrcodes',
  'POST /api/qrcodes',
  'DELETE /api/qrcodes/{id}',
  'GET /api/account/profile',
  'GET /api/logos_presets',
  'GET /api/logos_presets/{file}',
];

test('the OpenAPI document names every specified call, with its errors', async () => {
  const host = await createTestHost();
  const response = await host.request('/openapi.json');
  const document = (await response.json()) as ReturnType<typeof openApiDocument>;
  const calls = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(calls).toEqual(expect.arrayContaining(SPECIFIED));
  expect(document.paths['/api/qrcodes']?.post).toMatchObject({
    security: [{ bearer: [] }],
    responses: { 201: {}, 401: {}, 402: {}, 422: {} },
  });
  await host.close();
});
