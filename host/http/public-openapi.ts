import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { type Call, FormKey } from '#contract/call';
import { Code } from '#contract/codes';
import { ERROR_STATUS, type ErrorCode, PROBLEM_TYPE, Problem } from '#contract/errors';
import { Job } from '#contract/jobs';
import { OwnLogo } from '#contract/logo-choice';
import { strictly } from '#contract/strictly';
import { SavedStyle, StyleInput } from '#contract/styles';
import { WEBHOOK_MESSAGES } from '#contract/webhook-messages';
import { Delivery, Webhook } from '#contract/webhooks';
import { DEFAULT_MAX_BYTES } from '#host/http/request-body';
import { IDEMPOTENCY_KEY } from './idempotency';
import { isOptional } from './openapi';
import { boundedSchema } from './openapi-bounds';
import { permissionText, securityOf, securitySchemes } from './openapi-security';
import { isCreation, isDoneOnce, isPublicPath } from './published';

/** Schemas that several calls share, by the name that generated clients give them. */
const SHARED: Record<string, { schema: z.ZodType; io: 'input' | 'output' }> = {
  Code: { schema: Code, io: 'output' },
  Job: { schema: Job, io: 'output' },
  Logo: { schema: OwnLogo, io: 'output' },
  Look: { schema: SavedStyle, io: 'output' },
  Problem: { schema: Problem, io: 'output' },
  Style: { schema: strictly(StyleInput), io: 'input' },
  Webhook: { schema: Webhook, io: 'output' },
  WebhookDelivery: { schema: Delivery, io: 'output' },
};
const NAMES = new Map(Object.entries(SHARED).map(([name, { schema }]) => [schema as unknown, name]));

/** What the calls are about, by the first part of their path. */
const TAGS: Record<string, string> = {
  codes: 'QR codes: find, make, read, change and delete them.',
  statistics: 'Figures of visits, as JSON and as CSV.',
  looks: 'Saved looks of codes.',
  logos: 'Logos of your own, to be given to codes.',
  'logo-presets': 'Logos that every account may use.',
  tags: 'The tags of your codes.',
  jobs: 'Work on many codes, which goes on after the answer.',
  imports: 'Codes from a CSV file.',
  webhooks: 'Addresses of your programs that are told of events.',
  key: 'The key itself.',
};
/** Every call may end like this, in addition to what it declares. */
const ALWAYS: ErrorCode[] = ['malformed', 'rate_limited', 'internal', 'unavailable'];
const OF_BODIES: ErrorCode[] = ['request_timeout', 'too_large', 'unsupported_type'];
/** Node's limit of a request's head, which bounds each parameter. */
const HEAD_LIMIT = 16_384;
/** No response is longer. */
const RESPONSE_LIMIT = 100_000_000;

const HEADERS = {
  'Access-Control-Allow-Origin': header(
    'The origin of the page that called, if the key names it. Absent otherwise.',
    'https://shop.example',
  ),
  RateLimit: header(
    'What is left of the limit, and in how many seconds it is whole again.',
    '"default";r=299;t=60',
  ),
  'RateLimit-Policy': header(
    'The limit: calls, and the seconds in which they may be made.',
    '"default";q=300;w=60',
  ),
  'Retry-After': header('Seconds to wait before the next call.', '12'),
  ETag: header(
    'Of a webhook, a look, or a code without its visits: its state, for If-Match of a change. Of a file: what it is drawn from, for If-None-Match.',
    '"5f1c0a"',
  ),
  'Scan-Grade': header(
    'Of a look: how well decoders read it, and how many of their readings succeeded. Absent for dark squares on white, which need none.',
    'A;read=36;of=36',
  ),
  'Idempotent-Replayed': header(
    '`true` if this is the response of an earlier request with the same key.',
    'true',
  ),
  Link: header('The address of the next part of a list, with `rel="next"`.', '<?cursor=YzI>; rel="next"'),
};

function header(description: string, example: string) {
  return { description, schema: boundedSchema({ type: 'string' }, HEAD_LIMIT), example };
}

/** OpenAPI 3.1 of the calls for programs, for generated clients and the reference on the website. */
export async function publicDocument(calls: readonly Call[], title: string, publicUrl: string) {
  const published = calls.filter(({ path }) => isPublicPath(path));
  const paths: Record<string, Record<string, unknown>> = {};
  for (const call of published) {
    paths[call.path] = { ...paths[call.path], [call.method.toLowerCase()]: operation(call) };
    await nextTurn();
  }
  const used = new Set(published.map(tagOf));
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: '1',
      description: 'Make, change and count QR codes. Guide and reference: /developers',
      contact: { name: 'Support', url: '/contact' },
      license: { name: 'Terms of sale', url: '/terms-of-sales' },
    },
    servers: [{ url: publicUrl, description: 'The production service', 'x-internal': false }],
    security: [{ key: [] }, { oauth: [] }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    paths,
    webhooks: messages(),
    components: {
      securitySchemes: securitySchemes(publicUrl),
      headers: HEADERS,
      schemas: Object.fromEntries(
        Object.entries(SHARED).map(([name, { schema, io }]) => [name, schemaOf(schema, io)]),
      ),
    },
  };
}

function tagOf({ path }: Call): string {
  return path.split('/')[3]?.replace(/\.csv$/, '') ?? '';
}

function operation(call: Call) {
  const bodyLimit = call.maxBodyBytes ?? DEFAULT_MAX_BYTES;
  return {
    operationId: operationId(call),
    summary: call.summary,
    description: permissionText(call),
    tags: [tagOf(call)],
    security: securityOf(call),
    parameters: [
      ...parameters(call.params, 'path'),
      ...parameters(call.query, 'query'),
      ...(isDoneOnce(call) ? [KEY_OF_REQUEST] : []),
      ...(call.versions?.includes('If-Match') ? [IF_MATCH] : []),
      ...(call.answeredBy ? [IF_NONE_MATCH] : []),
    ],
    ...(call.body && { requestBody: content('application/json', schemaOf(call.body, 'input', bodyLimit)) }),
    ...(call.form && {
      requestBody: content('multipart/form-data', schemaOf(call.form, 'input', bodyLimit)),
    }),
    responses: { ...successes(call), ...refusals(call) },
  };
}

/** What a program of a customer is sent, with the headers of Standard Webhooks. */
function messages() {
  const described = Object.entries(WEBHOOK_MESSAGES).map(([type, { when, schema }]) => {
    const post = {
      operationId: `on ${type}`.replace(/[ ._](\w)/g, (_, letter: string) => letter.toUpperCase()),
      summary: when,
      tags: ['webhooks'],
      security: [],
      parameters: MESSAGE_HEADERS,
      requestBody: content('application/json', schemaOf(schema, 'output')),
      responses: MESSAGE_ANSWERS,
    };
    return [type, { post }];
  });
  return Object.fromEntries(described);
}

const MESSAGE_HEADERS = [
  ['webhook-id', 'The same each time a message is sent.', 'msg_5b0f3c1e7f0a4c609d8e0a4f3f1c2b11'],
  ['webhook-timestamp', 'When it was sent, in seconds since 1970.', '1796083200'],
  [
    'webhook-signature',
    'One signature for each secret, by Standard Webhooks.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
].map(([name, description, example]) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: boundedSchema({ type: 'string' }, HEAD_LIMIT),
  example,
}));
const MESSAGE_ANSWERS = {
  '2XX': { description: 'Accepted, within 15 seconds' },
  '4XX': { description: 'Not accepted: it is sent again later, and after 410 the webhook is switched off' },
};

/** `listJobsWithKey` is `listJobs` to programs, which know no other. */
function operationId({ name }: Call): string {
  return name.replace(/WithKey$/, '').replace(/Public(?=Code|Deliver|Job)/, '');
}

function content(mediaType: string, schema: object) {
  return { required: true, content: { [mediaType]: { schema } } };
}

const KEY_OF_REQUEST = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Any ASCII text of your own without quotes and backslashes, bare or between two quotes: the same request with it takes effect once within 24 hours. Keys count for each path and each API key apart.',
  schema: { type: 'string', minLength: 1, maxLength: 257, pattern: IDEMPOTENCY_KEY.source },
  example: 'order-4711',
};
const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  description: 'The ETag as it was read: if it was changed since, the answer is 412.',
  schema: boundedSchema({ type: 'string' }, HEAD_LIMIT),
  example: '"5f1c0a"',
};

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  description:
    'The ETag of the file as it was read: if it would be drawn the same, the answer is 304 without it.',
  schema: boundedSchema({ type: 'string' }, HEAD_LIMIT),
  example: '"5f1c0a"',
};
const UNCHANGED = {
  description: 'With If-None-Match: the file is the same',
  headers: headersOf('RateLimit', 'RateLimit-Policy', 'ETag'),
};

function successes(call: Call) {
  const status = call.status ?? 200;
  const made = {
    description: 'Success',
    headers: headersOf('RateLimit', 'RateLimit-Policy', ...ownHeaders(call)),
  };
  const mediaTypes = [call.mediaType ?? 'application/json'].flat();
  const schemaFor = (mediaType: string) =>
    call.response
      ? schemaOf(call.response, 'output')
      : boundedSchema(
          { type: 'string', ...(mediaType !== 'text/csv' && { format: 'binary' }) },
          RESPONSE_LIMIT,
        );
  const described = mediaTypes.map((mediaType) => [mediaType, { schema: schemaFor(mediaType) }]);
  return {
    [status]: { ...made, content: Object.fromEntries(described) },
    ...(isCreation(call) && { 200: tried(call) }),
    ...(call.answeredBy && { 304: UNCHANGED }),
  };
}

function tried({ trial }: Call) {
  const { properties = {}, required = [] } = trial ? schemaOf(trial, 'output') : {};
  const schema = {
    type: 'object',
    properties: { data: { type: 'null' }, dryRun: { type: 'boolean', const: true }, ...properties },
    required: ['data', 'dryRun', ...required],
  };
  return {
    description: 'With dry_run: the request is valid, and nothing was made',
    headers: headersOf('RateLimit', 'RateLimit-Policy'),
    content: { 'application/json': { schema } },
  };
}

function ownHeaders(call: Call): (keyof typeof HEADERS)[] {
  const isList = call.response instanceof z.ZodObject && 'nextCursor' in call.response.shape;
  return [
    ...(call.versions?.includes('ETag') ? (['ETag'] as const) : []),
    ...(isDoneOnce(call) ? (['Idempotent-Replayed'] as const) : []),
    ...(isList ? (['Link'] as const) : []),
    ...(call.answeredBy ? (['Scan-Grade'] as const) : []),
  ];
}

function refusals(call: Call) {
  const codes = [...new Set([...call.errors, ...(call.body || call.form ? OF_BODIES : []), ...ALWAYS])];
  if (call.params || call.query) codes.push('invalid');
  if (call.versions?.includes('If-Match')) codes.push('precondition_failed');
  const statuses = new Set(codes.map((code) => ERROR_STATUS[code]));
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      {
        description: [...new Set(codes)].filter((code) => ERROR_STATUS[code] === status).join(', '),
        headers: headersOf(
          'RateLimit',
          'RateLimit-Policy',
          ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
        ),
        content: { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  );
}

function headersOf(...names: (keyof typeof HEADERS)[]) {
  const all = ['Access-Control-Allow-Origin', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function parameters(schema: z.ZodType | undefined, location: 'path' | 'query') {
  const { properties = {}, required = [] } = schema ? schemaOf(schema, 'input', HEAD_LIMIT) : {};
  return Object.entries(properties).map(([name, described]) => ({
    name,
    in: location,
    required: location === 'path' || (required.includes(name) && !isOptional(described)),
    schema: described,
  }));
}

/** Shared schemas inside it become references. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', limit = RESPONSE_LIMIT) {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema, path }) => {
      // New fields may come at any time.
      if (io === 'output' && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
      if (io === 'input') dropFormKey(zodSchema, jsonSchema);
      const name = NAMES.get(zodSchema);
      if (!name || path.length === 0 || SHARED[name]?.io !== io) return;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      jsonSchema.$ref = `#/components/schemas/${name}`;
    },
  });
  return boundedSchema(described, limit);
}

/** Forms have a key of their own, where programs send `Idempotency-Key`. */
function dropFormKey(schema: z.core.$ZodType, described: z.core.JSONSchema.BaseSchema): void {
  if (!(schema instanceof z.ZodObject)) return;
  for (const [name, field] of Object.entries(schema.shape))
    if (field instanceof z.ZodOptional && field.unwrap() === FormKey) delete described.properties?.[name];
}
