import type { z } from 'zod';

type Schema = z.core.JSONSchema.JSONSchema;

/** PostgreSQL stores no other text. */
const STORABLE = '^[^\\u0000]*$';
/** Characters of the longest text of a format; of a time with an offset and nine digits of a second. */
const LONGEST: Record<string, number> = { uuid: 36, date: 10, 'date-time': 35 };
/** A pattern that says how many characters of one kind a text has at most. */
const COUNTED = /^\^(?:\[[^\]]+\]|\\[dw])\{(?:\d+,)?(\d+)\}\$$/;

/** A schema that states the bounds which follow from the `limit` of what contains it, in bytes. */
export function boundedSchema<Given>(schema: Given, limit: number): Given {
  if (Array.isArray(schema)) return schema.map((part) => boundedSchema(part, limit)) as Given;
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema).map(([name, part]) => [
    name,
    name === 'default' || name === 'examples' ? part : boundedSchema(part, limit),
  ]);
  return { ...boundsOf(schema as Schema, limit), ...Object.fromEntries(parts) };
}

function boundsOf({ type, enum: values, const: only, format, pattern }: Schema, limit: number): Schema {
  const types = [type].flat();
  if (types.includes('integer'))
    return { format: 'int64', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
  if (types.includes('array')) return { maxItems: limit };
  if (!types.includes('string') || values || only !== undefined) return {};
  const [, counted] = COUNTED.exec(pattern ?? '') ?? [];
  const longest = LONGEST[format ?? ''] ?? (counted === undefined ? limit : Number(counted));
  return { maxLength: longest, ...(!format && !pattern && { pattern: STORABLE }) };
}
