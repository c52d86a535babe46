import { z } from 'zod';
import { FIELDS, type FieldRules } from './contents';

type Shape = {
  [Name in keyof FieldRules]: FieldRules[Name] extends { options: readonly (infer Option extends string)[] }
    ? z.ZodCatch<z.ZodEnum<{ [One in Option]: One }>>
    : FieldRules[Name] extends { isFlag: true }
      ? z.ZodDefault<z.ZodBoolean>
      : z.ZodDefault<z.ZodString>;
};

/**
 * A schema for each field of all types, as typed: values that could be stored, valid or not. Unknown options become the
 * first one, or `choice` decides.
 */
export function typedShape(
  text: (units: number) => z.ZodDefault<z.ZodString>,
  choice: (options: readonly [string, ...string[]]) => z.ZodType = (options) =>
    z.enum(options).catch(options[0]),
): Shape {
  const entries = Object.entries(FIELDS).map(([name, rule]) => {
    if ('options' in rule) return [name, choice(rule.options)];
    return [
      name,
      'units' in rule ? text(rule.units).meta({ maxLength: rule.max }) : z.boolean().default(false),
    ];
  });
  return Object.fromEntries(entries);
}
