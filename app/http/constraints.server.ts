import { z } from 'zod';
import { log } from './log.server';
import type { RequestContext } from './scope.server';
import { staleIfError } from './stale-if-error.server';

/** What HTML can say of a field's value; lengths in UTF-16 code units. */
export interface Constraint {
  required?: boolean;
  minLength?: number;
  maxLength?: number;
  /** Of the whole value, for the `v` flag of browsers. */
  pattern?: string;
}
export type Constraints = Record<string, Constraint>;

const length = z.int().min(0).optional().catch(undefined);
const FieldRules = z.object({
  minLength: length,
  maxLength: length,
  pattern: z
    .string()
    .regex(/^\^.*\$$/)
    .optional()
    .catch(undefined),
});
const FormRules = z.object({
  properties: z.record(z.string(), FieldRules.catch({})),
  required: z.array(z.string()).default([]),
});

/**
 * Keeps the host's rules of a form, from the call that describes them, as constraints by field. They describe the form
 * and decide nothing: when the host does not answer, the form goes without.
 */
export function cacheConstraints(ask: (requestContext: RequestContext) => Promise<{ data: unknown }>) {
  const cached = staleIfError(async (requestContext) => readConstraints((await ask(requestContext)).data));
  return async (requestContext: RequestContext): Promise<Constraints> => {
    try {
      return await cached(requestContext);
    } catch (thrown) {
      if (thrown instanceof Response) throw thrown;
      log.warn({ err: thrown instanceof Error ? thrown : undefined }, 'rules of a form not available');
      return {};
    }
  };
}

/** Constraints from a JSON Schema (2020-12) of an object; throws when it is not one. */
export function readConstraints(schema: unknown): Constraints {
  const { properties, required } = FormRules.parse(schema);
  return Object.fromEntries(
    Object.entries(properties).map(([name, rules]) => [
      name,
      {
        ...(required.includes(name) && { required: true }),
        ...Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined)),
      },
    ]),
  );
}
