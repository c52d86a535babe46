import { expect, test } from 'vitest';
import { breakingChanges } from '../../support/breaking-changes';

interface Fields {
  properties: Record<string, object>;
  required: string[];
}

/** A document with a call of each kind, to be changed. */
function documentOf() {
  const sent: Fields = {
    properties: {
      name: { type: 'string', maxLength: 80 },
      kind: { enum: ['a', 'b'] },
      count: { type: ['integer', 'null'], minimum: 1, maximum: 9 },
    },
    required: ['name'],
  };
  const thing: Fields = {
    properties: { id: { type: 'string' }, state: { enum: ['new', 'done'] }, note: { type: 'string' } },
    required: ['id', 'state'],
  };
  const parameters: { name: string; required: boolean; schema: object }[] = [
    { name: 'limit', required: false, schema: { type: 'integer', maximum: 100 } },
  ];
  const list = { type: 'array', items: { $ref: '#/components/schemas/Thing' } };
  const responses: Record<string, object> = {
    200: { content: { 'application/json': { schema: list } }, headers: { ETag: {} } },
    404: { content: {} },
  };
  const operations: Record<string, object> = {
    get: { operationId: 'list', parameters, responses },
    post: {
      operationId: 'make',
      requestBody: { required: true, content: { 'application/json': { schema: sent } } },
      responses: {},
    },
    put: { operationId: 'replace', requestBody: { content: {} } },
  };
  const paths: Record<string, object> = {
    '/things': operations,
    '/others': { get: { operationId: 'others' } },
  };
  const message = { properties: { type: { const: 'made' } }, required: ['type'] };
  const webhooks: Record<string, object> = {
    made: { post: { requestBody: { content: { 'application/json': { schema: message } } } } },
    gone: { post: { requestBody: { content: {} } } },
  };
  return {
    document: { paths, webhooks, components: { schemas: { Thing: thing } } },
    sent,
    thing,
    message,
    webhooks,
    parameters,
    responses,
    operations,
    paths,
  };
}

type Parts = ReturnType<typeof documentOf>;

function changed(change: (parts: Parts) => void): string[] {
  const parts = documentOf();
  change(parts);
  return breakingChanges(documentOf().document, parts.document);
}

test.each<[string, (parts: Parts) => void]>([
  ['a path', ({ paths }) => delete paths['/others']],
  ['a method', ({ operations }) => delete operations.post],
  [
    'a name of a generated method',
    ({ operations }) => Object.assign(operations.get ?? {}, { operationId: 'all' }),
  ],
  ['a parameter', ({ parameters }) => parameters.pop()],
  ['a status', ({ responses }) => delete responses[404]],
  ['a media type', ({ responses }) => Object.assign(responses[200] ?? {}, { content: { 'text/csv': {} } })],
  ['a header', ({ responses }) => Object.assign(responses[200] ?? {}, { headers: {} })],
  ['a field of a response', ({ thing }) => delete thing.properties.note],
  ['a promise that a field is there', ({ thing }) => thing.required.pop()],
  ['a value of a response', ({ thing }) => Object.assign(thing.properties, { state: { enum: ['new'] } })],
  [
    'a type of a response',
    ({ thing }) => Object.assign(thing.properties, { id: { type: ['string', 'null'] } }),
  ],
  ['a field of a request', ({ sent }) => delete sent.properties.kind],
  ['a value of a request', ({ sent }) => Object.assign(sent.properties, { kind: { enum: ['a'] } })],
  ['that any value may be sent', ({ sent }) => Object.assign(sent.properties, { name: { enum: ['a'] } })],
  ['a type of a request', ({ sent }) => Object.assign(sent.properties.count ?? {}, { type: 'integer' })],
  ['that a field may be left out', ({ sent }) => sent.required.push('kind')],
  ['that a new field may be left out', ({ sent }) => sent.required.push('unheard')],
  [
    'that a parameter may be left out',
    ({ parameters }) => Object.assign(parameters[0] ?? {}, { required: true }),
  ],
  [
    'that there is no other parameter',
    ({ parameters }) => parameters.push({ name: 'x', required: true, schema: {} }),
  ],
  ['the length of a text', ({ sent }) => Object.assign(sent.properties.name ?? {}, { maxLength: 79 })],
  [
    'that a number has no lower bound',
    ({ parameters }) => Object.assign(parameters[0]?.schema ?? {}, { minimum: 1 }),
  ],
  ['that a text may be any', ({ sent }) => Object.assign(sent.properties.name ?? {}, { pattern: '^a' })],
  ['the range of a number', ({ sent }) => Object.assign(sent.properties.count ?? {}, { minimum: 2 })],
  [
    'the range of a parameter',
    ({ parameters }) => Object.assign(parameters[0]?.schema ?? {}, { maximum: 50 }),
  ],
  ['a message', ({ webhooks }) => delete webhooks.gone],
  ['a promise of a message', ({ message }) => message.required.pop()],
  [
    'that the body may be left out',
    ({ operations }) => Object.assign(operations.put ?? {}, { requestBody: { required: true, content: {} } }),
  ],
  [
    'the body as it was',
    ({ operations }) => Object.assign(operations.get ?? {}, { requestBody: { required: true } }),
  ],
])('a document that takes away %s is noticed', (_, change) => {
  expect(changed(change)).toHaveLength(1);
});

test.each<[string, (parts: Parts) => void]>([
  ['nothing', () => {}],
  ['a path', ({ paths }) => Object.assign(paths, { '/new': { get: {} } })],
  ['a method', ({ operations }) => Object.assign(operations, { delete: {} })],
  ['a field of a response', ({ thing }) => Object.assign(thing.properties, { more: {} })],
  ['a promise', ({ thing }) => thing.required.push('note')],
  ['a field of a request', ({ sent }) => Object.assign(sent.properties, { more: { type: 'string' } })],
  ['a value of a request', ({ sent }) => Object.assign(sent.properties, { kind: { enum: ['a', 'b', 'c'] } })],
  [
    'a value of a response',
    ({ thing }) => Object.assign(thing.properties, { state: { enum: ['new', 'done', 'lost'] } }),
  ],
  ['a length', ({ sent }) => Object.assign(sent.properties.name ?? {}, { maxLength: 81 })],
  [
    'a type of a request',
    ({ sent }) => Object.assign(sent.properties, { name: { type: ['string', 'null'], maxLength: 80 } }),
  ],
  ['a parameter', ({ parameters }) => parameters.push({ name: 'x', required: false, schema: {} })],
  ['a status', ({ responses }) => Object.assign(responses, { 409: {} })],
  ['a message', ({ webhooks }) => Object.assign(webhooks, { changed: { post: {} } })],
])('a document that adds %s is harmless', (_, change) => {
  expect(changed(change)).toEqual([]);
});
