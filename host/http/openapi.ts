import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { Call } from '#contract/call';
import { ERROR_STATUS, ErrorBody, type ErrorCode } from '#contract/errors';

/** Errors of every call with a body, in addition to those it declares. */
const BODY_ERRORS: ErrorCode[] = ['malformed', 'request_timeout', 'too_large'];

/**
 * OpenAPI 3.1 of the mounted calls. Its schemas are JSON Schema 2020-12, which zod generates: that takes a tenth of a
 * second, so other work gets a turn after each call.
 */
export async function openApiDocument(calls: readonly Call[], title: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const call of calls) {
    paths[call.path] = { ...paths[call.path], [call.method.toLowerCase()]: operation(call) };
    await nextTurn();
  }
  return {
    openapi: '3.1.0',
    info: { title, version: '1' },
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    paths,
  };
}

function operation(call: Call) {
  const errors = [...call.errors, ...(call.body || call.form ? BODY_ERRORS : [])];
  const statuses = [...new Set(errors.map((code) => ERROR_STATUS[code]))];
  return {
    operationId: call.name,
    summary: call.summary,
    ...(call.access !== 'public' && { security: [{ bearer: [] }] }),
    parameters: [...parameters(call.params, 'path'), ...parameters(call.query, 'query')],
    ...(call.body && { requestBody: { content: { 'application/json': { schema: schemaOf(call.body) } } } }),
    ...(call.form && {
      requestBody: { content: { 'multipart/form-data': { schema: schemaOf(call.form) } } },
    }),
    responses: {
      [call.status ?? 200]: {
        description: 'Success',
        ...(call.response && {
          content: { 'application/json': { schema: schemaOf(call.response, 'output') } },
        }),
      },
      ...Object.fromEntries(
        statuses.map((status) => [
          status,
          {
            description: [...new Set(errors)].filter((code) => ERROR_STATUS[code] === status).join(', '),
            content: { 'application/json': { schema: schemaOf(ErrorBody, 'output') } },
          },
        ]),
      ),
    },
  };
}

function parameters(schema: z.ZodType | undefined, location: 'path' | 'query') {
  const { properties = {}, required = [] } = schema ? schemaOf(schema) : {};
  return Object.entries(properties).map(([name, described]) => ({
    name,
    in: location,
    required: location === 'path' || (required.includes(name) && !isOptional(described)),
    schema: described,
  }));
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output' = 'input') {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' });
}

/** Whether zod fills in what is left out. */
export function isOptional(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'default' in schema;
}
