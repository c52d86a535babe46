import fc from 'fast-check';
import { z } from 'zod';

/** The supported part of JSON Schema. */
interface Schema {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

/** Meaningful values, such as ids, addresses and passwords, keyed by field name. */
export type Dictionary = Record<string, readonly unknown[] | fc.Arbitrary<unknown>>;

/** A file in a multipart form. */
export class FilePart {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;

  constructor(name: string, type: string, bytes: Buffer) {
    this.name = name;
    this.type = type;
    this.bytes = bytes;
  }
}

export function fieldsOf(schema: z.ZodType): Record<string, Schema> {
  return schemaOf(schema).properties ?? {};
}

/** Values that a schema accepts, except for rules that JSON Schema cannot express. */
export function valuesOf(schema: z.ZodType, known: Dictionary): fc.Arbitrary<unknown> {
  return arbitraryOf(schemaOf(schema), known, '');
}

function schemaOf(schema: z.ZodType): Schema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
}

function arbitraryOf(schema: Schema, known: Dictionary, name: string): fc.Arbitrary<unknown> {
  const bySchema = ownArbitraryOf(schema, known, name);
  const meaningful = Object.hasOwn(known, name) ? known[name] : undefined;
  if (!meaningful || schema.type === 'object') return bySchema;
  return fc.oneof(
    {
      weight: 4,
      arbitrary: meaningful instanceof fc.Arbitrary ? meaningful : fc.constantFrom(...meaningful),
    },
    { weight: 1, arbitrary: bySchema },
  );
}

function ownArbitraryOf(schema: Schema, known: Dictionary, name: string): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const either = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (either) return fc.oneof(...either.map((one) => arbitraryOf(one, known, name)));
  switch (schema.type) {
    case 'string':
      return textOf(schema);
    case 'integer':
      return fc.integer({ min: lowest(schema), max: highest(schema) });
    case 'number':
      return fc.double({ min: lowest(schema), max: highest(schema), noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(arbitraryOf(schema.items ?? {}, known, name), { maxLength: 5 });
    case 'object':
      return recordOf(schema, known);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function recordOf({ properties = {}, required = [] }: Schema, known: Dictionary): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, arbitraryOf(field, known, name)]),
  );
  return fc.record(fields, {
    requiredKeys: required.filter((name) => name in fields),
    noNullPrototype: true,
  });
}

function textOf({ format, pattern, minLength = 0, maxLength = 60 }: Schema): fc.Arbitrary<unknown> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'binary') return files;
  if (format === 'date') return dates.map((date) => date.toISOString().slice(0, 10));
  if (format === 'date-time') return dates.map((date) => date.toISOString());
  // fast-check does not support Unicode property escapes and lookarounds in patterns.
  if (pattern && !/\\[pP]\{|\(\?[=!<]|[.*+]@/.test(pattern))
    return fc.stringMatching(new RegExp(pattern, 'u'));
  return fc.string({
    unit: 'grapheme-composite',
    minLength,
    maxLength: Math.max(minLength, Math.min(maxLength, 60)),
  });
}

const dates = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
const lowest = ({ minimum = -(2 ** 31) }: Schema) => Math.max(minimum, Number.MIN_SAFE_INTEGER);
const highest = ({ maximum = 2 ** 31 }: Schema) => Math.min(maximum, Number.MAX_SAFE_INTEGER);

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
/** The same picture, but with a header that declares 60,000 by 60,000 pixels. */
const HUGE_PNG = Buffer.from(PNG);
HUGE_PNG.writeUInt32BE(60_000, 16);
HUGE_PNG.writeUInt32BE(60_000, 20);

const files = fc.oneof(
  { weight: 4, arbitrary: fc.constant(new FilePart('mark.png', 'image/png', PNG)) },
  { weight: 1, arbitrary: fc.constant(new FilePart('huge.png', 'image/png', HUGE_PNG)) },
  {
    weight: 2,
    arbitrary: fc.nat(PNG.length).map((end) => new FilePart('cut.png', 'image/png', PNG.subarray(0, end))),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('a.svg', '../../a.png', 'a".png', '', 'a\u0000.png', 'x'.repeat(300), 'CON', 'ä.gif'),
        fc.constantFrom('image/png', 'image/gif', 'image/svg+xml', 'text/html', '', 'nonsense'),
        fc.uint8Array({ maxLength: 60 }),
      )
      .map(([name, type, bytes]) => new FilePart(name, type, Buffer.from(bytes))),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>',
        '<svg',
        '<!DOCTYPE svg [<!ENTITY a "b"><!ENTITY c "&a;&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg">&c;</svg>',
        '<svg xmlns="http://www.w3.org/2000/svg" width="1e9" height="1e9"><image href="file:///etc/passwd"/></svg>',
      )
      .map((text) => new FilePart('a.svg', 'image/svg+xml', Buffer.from(text))),
  },
);
