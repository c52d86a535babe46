import { z } from 'zod';
import { log } from './log.server';
import type { Scope } from './scope.server';
import { staleIfError } from './stale-if-error.server';

/** HTML constraints of a field; lengths in UTF-16 code units. */
export interface Constraint {
  required?: boolean;
  minLength?: number;
  maxLength?: number;
  /** For the whole value; browsers compile it with the `v` flag. */
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
 * Caches the host's rules of a form, from the call that describes them, as constraints by field. The host
 * enforces them anyway: if it does not respond, the form has none.
 */
export function cacheConstraints<S extends Scope>(fetchRules: (scope: S) => Promise<{ data: unknown }>) {
  const cached = staleIfError(async (scope: S) => readConstraints((await fetchRules(scope)).data));
  return async (scope: S): Promise<Constraints> => {
    try {
      return await cached(scope);
    } catch (thrown) {
      if (thrown instanceof Response) throw thrown;
      log.warn({ err: thrown instanceof Error ? thrown : undefined }, 'form rules not available');
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
