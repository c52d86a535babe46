/** A part of a schema of the OpenAPI document (JSON Schema 2020-12). */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  description?: string;
  default?: unknown;
  format?: string;
  pattern?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
}

export type Side = 'sent' | 'received';
type Row = [field: string, type: string, about: string];

/** Larger bounds follow from the size of the request as a whole. */
const UNBOUNDED = 16_384;
/** Fields within fields are listed down to here. */
const DEPTH = 4;
/** Says only which characters a text may not have, such as controls. */
const ANY_TEXT = /^\^\[\^[^\]]*\]\*\$$/;

/** Tables of the fields of schemas, of which those in `shared` have a section of their own. */
export function describeSchemas(shared: Record<string, Schema>) {
  return { rowsOf, typeOf, aboutOf };

  /** A row for each field; those of variants say which they belong to. */
  function rowsOf(given: Schema, side: Side, prefix = '', depth = DEPTH): Row[] {
    const parts = partsOf(given);
    const kind = kindOf(parts);
    const names = new Set(parts.flatMap(({ properties = {} }) => Object.keys(properties)));
    if (depth === 0) return [];
    return [...names].flatMap((name): Row[] => {
      const owners = parts.filter(({ properties }) => properties?.[name]);
      const fields = owners.map(({ properties }) => properties?.[name] ?? {});
      const field: Schema =
        name === kind ? { type: 'string', enum: fields.map((one) => one.const) } : (fields[0] ?? {});
      const isThere = owners.every(({ required }) => required?.includes(name)) && field.default === undefined;
      const note = side === 'sent' ? isThere && ', required' : !isThere && ', may be absent';
      const abouts = fields.map((one) => aboutOf(one, side));
      // What it means in each variant, if that differs.
      const meanings = kind && name !== kind ? [...new Set(abouts)] : [aboutOf(field, side)];
      const about = meanings.flatMap((meaning) => {
        const those = meanings.length > 1 ? owners.filter((_, at) => abouts[at] === meaning) : owners;
        return [conditionOf(those, parts, kind), meaning].filter(Boolean);
      });
      return [
        [`${prefix}${name}`, `${typeOf(field)}${note || ''}`, about.join(' ')],
        ...innerRows(field, side, `${prefix}${name}`, depth - 1),
      ];
    });
  }

  function innerRows(field: Schema, side: Side, name: string, depth: number): Row[] {
    const { $ref, items } = innerOf(field);
    if ($ref) return [];
    return items ? innerRows(items, side, `${name}[]`, depth) : rowsOf(field, side, `${name}.`, depth);
  }

  /** The types that a value may have, but null; each reference is what it refers to. */
  function partsOf(schema: Schema): Schema[] {
    if (schema.$ref) return partsOf(shared[schema.$ref.split('/').at(-1) ?? ''] ?? {});
    const parts = (schema.anyOf ?? schema.oneOf)?.filter(({ type }) => type !== 'null');
    return parts ? parts.flatMap(partsOf) : [schema];
  }

  /** What a union with null is about. */
  function innerOf(schema: Schema): Schema {
    const [only, ...others] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
    return only && others.length === 0 ? innerOf(only) : schema;
  }

  function typeOf(schema: Schema): string {
    const parts = schema.anyOf ?? schema.oneOf;
    if (parts) return [...new Set(parts.map(typeOf))].join(' or ');
    const name = schema.$ref?.split('/').at(-1);
    if (name) return `[${name}](#${sectionId(name)})`;
    const { type, items, format } = schema;
    if (type === 'array' && items) return `array of ${typeOf(items)}`;
    const named = [type ?? 'any'].flat().join(' or ');
    return format && format !== 'int64' ? `${named} (${format})` : named;
  }

  function aboutOf(schema: Schema, side: Side): string {
    const inner = innerOf(schema);
    const description = schema.description ?? inner.description;
    return [
      description,
      boundsOf(inner, side, description !== undefined),
      schema.default !== undefined && `Default: \`${JSON.stringify(schema.default)}\`.`,
    ]
      .filter(Boolean)
      .join(' ');
  }
}

/** The id of the section about a shared schema. */
export function sectionId(name: string): string {
  return `schema-${name}`;
}

/** The field whose one value tells variants apart. */
function kindOf(parts: Schema[]): string | undefined {
  if (parts.length < 2) return undefined;
  const [first] = parts;
  return Object.keys(first?.properties ?? {}).find((name) =>
    parts.every(({ properties }) => properties?.[name]?.const !== undefined),
  );
}

function conditionOf(owners: Schema[], parts: Schema[], kind: string | undefined): string {
  if (!kind || owners.length === parts.length) return '';
  return `With \`${kind}\` ${listed(owners.map(({ properties }) => properties?.[kind]?.const))}.`;
}

/** What a value may be, in words. */
function boundsOf(schema: Schema, side: Side, isDescribed: boolean): string {
  const { items, pattern, format } = schema;
  if ('const' in schema) return `Always \`${schema.const}\`.`;
  if (schema.enum) return `${schema.enum.length > 1 ? 'One of' : 'Always'} ${listed(schema.enum)}.`;
  if (side === 'received') return items?.enum ? `Any of ${listed(items.enum)}.` : '';
  const shown = pattern && !ANY_TEXT.test(pattern) && !format && !isDescribed;
  const each = items && boundsOf(items, side, isDescribed);
  return [
    rangeOf(schema.minItems, schema.maxItems, ' items'),
    each && (items.enum ? `Any of ${listed(items.enum)}.` : `Each ${each[0]?.toLowerCase()}${each.slice(1)}`),
    !format && rangeOf(schema.minLength, schema.maxLength, ' characters'),
    rangeOf(schema.minimum, schema.maximum, ''),
    shown && `As \`${pattern}\`.`,
  ]
    .filter(Boolean)
    .join(' ');
}

function rangeOf(least: number | undefined, most: number | undefined, unit: string): string {
  const isBelow = most !== undefined && most < (unit ? UNBOUNDED : Number.MAX_SAFE_INTEGER);
  const isAbove = least !== undefined && least > (unit ? 0 : Number.MIN_SAFE_INTEGER);
  const units = most === 1 ? unit.replace(/s$/, '') : unit;
  const number = (value = 0) => value.toLocaleString('en');
  if (isBelow && isAbove) return `${number(least)} to ${number(most)}${units}.`;
  if (isBelow) return `At most ${number(most)}${units}.`;
  return isAbove ? `At least ${number(least)}${least === 1 ? unit.replace(/s$/, '') : unit}.` : '';
}

function listed(values: unknown[]): string {
  return values.map((value) => `\`${value}\``).join(', ');
}
