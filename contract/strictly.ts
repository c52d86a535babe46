import { z } from 'zod';

const made = new WeakMap<z.core.$ZodType, z.core.$ZodType>();

/**
 * The same schema, which refuses fields that it does not know, also in the objects inside it. An object that says itself
 * what else it takes is left open.
 */
export function strictly<S extends z.core.$ZodType>(schema: S): S {
  const strict = made.get(schema) ?? withParts(schema, strictParts(schema));
  made.set(schema, strict).set(strict, strict);
  return strict as S;
}

function strictParts(schema: z.core.$ZodType): object {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object': {
      const fields = Object.entries(def.shape).map(([name, field]) => [name, strictly(field)]);
      return { shape: Object.fromEntries(fields), catchall: def.catchall ?? z.never() };
    }
    case 'array':
      return { element: strictly(def.element) };
    case 'union':
      return { options: def.options.map(strictly) };
    case 'record':
      return { valueType: strictly(def.valueType) };
    case 'pipe':
      // What is sent comes before a transformation, or after a preparation.
      return def.in._zod.def.type === 'transform' ? { out: strictly(def.out) } : { in: strictly(def.in) };
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
    case 'nonoptional':
      return { innerType: strictly(def.innerType) };
    default:
      return {};
  }
}

/** With its checks, messages and description. */
function withParts(schema: z.core.$ZodType, parts: object): z.core.$ZodType {
  const { def } = schema._zod;
  const isSame = Object.entries(parts).every(([name, part]) => part === def[name as keyof typeof def]);
  if (isSame) return schema;
  const copy = z.core.clone(schema, { ...def, ...parts });
  const described = z.globalRegistry.get(schema);
  if (described) z.globalRegistry.add(copy, described);
  return copy;
}
