import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestHost, type TestHost } from '../../support/host';

interface Schema {
  type?: string;
  enum?: string[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  description?: string;
}

interface Operation {
  operationId: string;
  description: string;
  security: Record<string, string[]>[];
  parameters: { name: string; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; headers?: object }>;
}

let host: TestHost;
let document: {
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: Record<string, object>; schemas: Record<string, object> };
};

beforeAll(async () => {
  host = await createTestHost();
  document = await (await host.request('/api/v1/openapi.json')).json();
});
afterAll(() => host.close());

const operations = () => Object.values(document.paths).flatMap((byMethod) => Object.values(byMethod));
const operation = (name: string) => operations().find(({ operationId }) => operationId === name);
const parameter = (name: string, of: string) => operation(of)?.parameters.find((one) => one.name === name);
const field = (name: string, of: string): Schema | undefined =>
  Object.values(operation(of)?.requestBody?.content ?? {})[0]?.schema.properties?.[name];

describe('versions', () => {
  test.each([
    'updateCode',
    'deleteCode',
    'addRule',
    'changeRule',
    'moveRule',
    'keepVariant',
    'deleteRule',
    'updateWebhook',
    'deleteWebhook',
  ])('%s takes If-Match, and may answer 412', (name) => {
    expect(parameter('If-Match', name)).toBeDefined();
    expect(operation(name)?.responses[412]?.description).toBe('precondition_failed');
  });

  test('every call with If-Match declares 412, and no other one', () => {
    const taking = operations().filter(({ parameters }) =>
      parameters.some(({ name }) => name === 'If-Match'),
    );
    expect(operations().filter(({ responses }) => 412 in responses)).toEqual(taking);
  });

  test('a file takes If-None-Match, and may answer 304 with its ETag', () => {
    expect(parameter('If-None-Match', 'readCodeFile')).toBeDefined();
    expect(operation('readCodeFile')?.responses[304]?.headers).toHaveProperty('ETag');
  });
});

test('answers may have more fields than those that are described', () => {
  const described = operations().flatMap(({ responses }) => Object.values(responses));
  // A style is only sent: answers describe theirs in full.
  const { Style: sent, ...received } = document.components.schemas;
  expect(JSON.stringify([described, received])).not.toContain('"additionalProperties":false');
  expect(JSON.stringify(described)).not.toContain('#/components/schemas/Style"');
  expect(sent).toMatchObject({ additionalProperties: false });
});

describe('bounds', () => {
  test.each([
    ['createCode', 'name', { maxLength: 80 }],
    ['createCode', 'tags', { maxItems: 10, items: { maxLength: 30 } }],
    ['createCode', 'content', { maxLength: 255 }],
    ['updateCode', 'name', { maxLength: 80 }],
    ['saveStyle', 'name', { maxLength: 80 }],
    ['startBulkAct', 'tag', { maxLength: 30 }],
    ['addRule', 'languages', { maxItems: 20, items: { maxLength: 3 } }],
    ['addRule', 'countries', { maxItems: 50, items: { maxLength: 2 } }],
    ['addRule', 'systems', { maxItems: 3 }],
    ['addRule', 'weekdays', { maxItems: 7 }],
  ])('%s says what %s may be', (name, of, bounds) => {
    const described = field(of, name);
    // Null is accepted beside the first.
    expect(described?.anyOf?.[0] ?? described).toMatchObject(bounds);
  });

  test('a share of visits is a whole percentage', () => {
    expect(field('variants', 'addRule')?.items?.properties?.percent).toMatchObject({
      type: 'integer',
      minimum: 1,
      maximum: 100,
    });
  });

  test('dry_run is true or false', () => {
    expect(parameter('dry_run', 'createCode')?.schema).toMatchObject({
      enum: ['true', 'false'],
      description: expect.any(String),
    });
  });

  test.each(['order 4711', '"order-4711"', 'a'.repeat(255)])('%s is an idempotency key', (key) => {
    const { pattern = '', maxLength = 0 } = parameter('Idempotency-Key', 'createCode')?.schema ?? {};
    expect(key).toMatch(new RegExp(pattern));
    expect(key.length).toBeLessThanOrEqual(maxLength);
  });

  test('what only forms send is not described', () => {
    const sent = operations().flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}));
    expect(sent.filter(({ schema }) => schema.properties && 'key' in schema.properties)).toEqual([]);
  });
});

describe('access', () => {
  test('the document names the address of the service', () => {
    expect(document.servers.map(({ url }) => url)).toEqual(['https://www.quadrille.example']);
    expect(document.components.securitySchemes.oauth).toMatchObject({
      flows: { authorizationCode: { scopes: { read: expect.any(String), change: expect.any(String) } } },
    });
  });

  test('every call says which permission it needs', () => {
    for (const { security, description } of operations()) {
      const [, { oauth: [scope] = [] } = {}] = security;
      expect(['read', 'change']).toContain(scope);
      expect(description).toContain(`Needs the permission \`${scope}\`.`);
    }
    expect(operation('listCodes')?.security[1]).toEqual({ oauth: ['read'] });
    expect(operation('updateCode')?.security[1]).toEqual({ oauth: ['change'] });
    expect(operation('saveStyle')?.description).toContain('limited to a tag');
  });
});
