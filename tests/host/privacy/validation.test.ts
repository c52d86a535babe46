import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestHost, type TestHost } from '../../support/host';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});

afterAll(() => host.close());

test('the rules of a ticket are public as JSON Schema', async () => {
  const answer = await host.request('/api/validation/ticket');
  const { data } = await answer.json();
  expect(answer.status).toBe(200);
  expect(data).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    required: ['email', 'firstname', 'lastname', 'subject', 'message'],
    properties: {
      email: { type: 'string', format: 'email', minLength: 1, maxLength: 254 },
      firstname: { type: 'string', minLength: 1, maxLength: 100 },
      lastname: { type: 'string', minLength: 1, maxLength: 100 },
      subject: {
        enum: ['question', 'technical', 'billing', 'subscription', 'withdrawal', 'report', 'other'],
      },
      message: { type: 'string', minLength: 10, maxLength: 5000 },
    },
  });
});

test('the published pattern of an e-mail address compiles in browsers', async () => {
  const { data } = await (await host.request('/api/validation/ticket')).json();
  const pattern = new RegExp(data.properties.email.pattern, 'v');
  expect(pattern.test('ada@test.example')).toBe(true);
  expect(pattern.test('a@test.example,b@test.example')).toBe(false);
});

test('unknown rules are not found', async () => {
  expect((await host.request('/api/validation/nothing')).status).toBe(404);
});

test('the rules of account forms are available to accounts only', async () => {
  const { token } = await host.account();
  const profile = await (await host.request('/api/validation/profile', { token })).json();
  const address = await (await host.request('/api/validation/billing-address', { token })).json();
  expect(profile.data.properties.firstName).toMatchObject({ type: 'string', minLength: 1, maxLength: 100 });
  expect(address.data.properties.street).toMatchObject({ type: 'string', minLength: 1, maxLength: 200 });
  expect(address.data.required).toEqual(['street', 'city', 'country']);
  for (const form of ['profile', 'billing-address'])
    expect((await host.request(`/api/validation/${form}`)).status, form).toBe(401);
});

test('each set of rules has its own name in the OpenAPI document', async () => {
  const { paths } = await (await host.request('/openapi.json')).json();
  const names = ['ticket', 'profile', 'billing-address'].map(
    (form) => paths[`/api/validation/${form}`].get.operationId,
  );
  expect(names).toEqual(['getTicketValidation', 'getProfileValidation', 'getBillingAddressValidation']);
});
