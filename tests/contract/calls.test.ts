import { expect, test } from 'vitest';
import { DEFAULT_STYLE } from '#contract/style-rules';
import type { openApiDocument } from '#host/http/openapi';
import { createTestHost } from '../support/host';

/** Calls that other programs have relied on since the first version. */
const STABLE = [
  'POST /api/login_check',
  'POST /api/account/logout',
  'POST /api/account/onboarding',
  'POST /api/account/forgot-password',
  'POST /api/account/reset-password',
  'POST /api/account/confirm-email',
  'POST /api/qrcodes/stats',
  'GET /api/dashboard/overview',
  'GET /api/qrcodes',
  'POST /api/qrcodes',
  'DELETE /api/qrcodes/{id}',
  'GET /api/validation/profile',
  'GET /api/validation/billing-address',
  'GET /api/validation/ticket',
  'GET /api/account/profile',
  'PUT /api/account/profile',
  'POST /api/account/change-password',
  'GET /api/account/billing-addresses',
  'POST /api/account/billing-addresses',
  'PUT /api/account/billing-addresses/{id}',
  'DELETE /api/account/billing-addresses/{id}',
  'DELETE /api/account',
  'GET /api/plans',
  'GET /api/plans/{slug}',
  'POST /api/subscriptions',
  'GET /api/account/subscriptions',
  'POST /api/account/billing-portal',
  'POST /api/tickets',
  'POST /api/transactions/check_pi_status',
  'GET /api/logos_presets',
  'GET /api/logos_presets/{file}',
];

test('the OpenAPI document has every call that other programs rely on', async () => {
  const host = await createTestHost();
  const response = await host.request('/openapi.json');
  const document = (await response.json()) as Awaited<ReturnType<typeof openApiDocument>>;
  const operations = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(operations).toEqual(expect.arrayContaining(STABLE));
  await host.close();
});

test('the OpenAPI document states who may make a call and which errors it returns', async () => {
  const host = await createTestHost();
  const response = await host.request('/openapi.json');
  const document = (await response.json()) as Awaited<ReturnType<typeof openApiDocument>>;
  expect(document.paths['/api/qrcodes']?.post).toMatchObject({
    security: [{ bearer: [] }],
    responses: { 201: {}, 401: {}, 402: {}, 422: {} },
  });
  await host.close();
});

test('other work gets a turn after each call while the OpenAPI document is made, once', async () => {
  const host = await createTestHost();
  const turnsDuring = async () => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await host.request('/openapi.json');
    isOver = true;
    return turns;
  };
  expect(await turnsDuring()).toBeGreaterThan(STABLE.length);
  expect(await turnsDuring()).toBeLessThan(STABLE.length);
  await host.close();
});

test('every property of a style is described, wherever a call takes or returns one', async () => {
  const host = await createTestHost();
  const response = await host.request('/openapi.json');
  const styles: Record<string, { description?: string }>[] = [];
  const collect = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    if ('moduleShape' in schema && 'version' in schema) styles.push(schema as (typeof styles)[number]);
    for (const part of Object.values(schema)) collect(part);
  };
  collect(await response.json());
  // Those without a version are form fields as typed, of a draft.
  expect(styles.length).toBeGreaterThan(6);
  for (const properties of styles) {
    expect(Object.keys(properties)).toEqual(Object.keys(DEFAULT_STYLE));
    for (const [name, { description }] of Object.entries(properties)) expect(description, name).toBeTruthy();
  }
  await host.close();
});
