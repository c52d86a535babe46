type Json = Record<string, unknown>;
type Side = 'sent' | 'received';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** 1 if programs may send more when it grows. */
const BOUNDS = [
  ...['maxLength', 'maxItems', 'maximum'].map((bound) => [bound, 1] as const),
  ...['minLength', 'minItems', 'minimum'].map((bound) => [bound, -1] as const),
];

/**
 * What a program that was written for the `released` OpenAPI document would stumble over in the `current` one. Programs
 * have to expect new fields in responses, and new values of a field.
 */
export function breakingChanges(released: unknown, current: unknown): string[] {
  const found: string[] = [];
  const [before, now] = [released as Json, current as Json];
  for (const [path, operations] of entries(before.paths))
    for (const method of METHODS.filter((method) => method in (operations as Json))) {
      const [old, next] = [at(before, 'paths', path, method), at(now, 'paths', path, method)];
      if (next) compareOperations(`${method} ${path}`, old as Json, next as Json);
      else found.push(`${method} ${path}: removed`);
    }
  for (const [type, message] of entries(before.webhooks)) {
    const [old, next] = [
      at(message, 'post', 'requestBody'),
      at(now, 'webhooks', type, 'post', 'requestBody'),
    ];
    if (next) compareContents(`message ${type}`, old, next, 'received');
    else found.push(`message ${type}: removed`);
  }
  return found;

  function compareOperations(place: string, old: Json, next: Json): void {
    if (old.operationId !== next.operationId) found.push(`${place}: operationId changed`);
    const [oldParameters, parameters] = [named(old), named(next)];
    for (const name of Object.keys(oldParameters))
      if (!parameters[name]) found.push(`${place} ${name}: removed`);
    for (const [name, { schema, required }] of Object.entries(parameters)) {
      const known = oldParameters[name];
      if (required && !known?.required) found.push(`${place} ${name}: now required`);
      if (known) compare(`${place} ${name}`, known.schema, schema, 'sent');
    }
    compareContents(`${place} body`, old.requestBody, next.requestBody, 'sent');
    if (at(next.requestBody, 'required') && !at(old.requestBody, 'required'))
      found.push(`${place} body: now required`);
    for (const [status, response] of entries(old.responses)) {
      const answer = at(next.responses, status);
      if (!answer) found.push(`${place} ${status}: removed`);
      else compareContents(`${place} ${status}`, response, answer, 'received');
      for (const [header] of entries(at(response, 'headers')))
        if (answer && !at(answer, 'headers', header)) found.push(`${place} ${status} ${header}: removed`);
    }
  }

  function compareContents(place: string, old: unknown, next: unknown, side: Side): void {
    for (const [type, { schema }] of entries(at(old, 'content')) as [string, Json][]) {
      const content = at(next, 'content', type);
      if (content) compare(place, schema, at(content, 'schema'), side);
      else found.push(`${place} ${type}: removed`);
    }
  }

  function compare(place: string, oldSchema: unknown, nextSchema: unknown, side: Side): void {
    const [old, next] = [resolved(oldSchema, before), resolved(nextSchema, now)];
    const [given, accepted] = side === 'sent' ? [old, next] : [next, old];
    const isNowListed = side === 'sent' && values(next).length > 0 && values(old).length === 0;
    if (isNowListed || values(old).some((value) => !values(next).includes(value)))
      found.push(`${place}: fewer values`);
    for (const [bound, sign] of side === 'sent' ? BOUNDS : [])
      if (bound in next && !(sign * Number(old[bound]) <= sign * Number(next[bound])))
        found.push(`${place}: ${bound}`);
    if (side === 'sent' && next.pattern !== undefined && next.pattern !== old.pattern)
      found.push(`${place}: pattern`);
    for (const type of types(given))
      if (types(accepted).length > 0 && !types(accepted).includes(type))
        found.push(`${place}: ${type} ${side}`);
    compareProperties(place, old, next, side);
    if (old.items) compare(`${place}[]`, old.items, next.items, side);
    for (const union of ['anyOf', 'oneOf', 'allOf'])
      for (const [index, part] of ((old[union] ?? []) as unknown[]).entries())
        compare(`${place}|${index}`, part, at(next, union, index), side);
  }

  function compareProperties(place: string, old: Json, next: Json, side: Side): void {
    for (const [name, property] of entries(old.properties)) {
      const kept = at(next.properties, name);
      if (kept) compare(`${place}.${name}`, property, kept, side);
      else found.push(`${place}.${name}: removed`);
    }
    const [given, needed] = side === 'sent' ? [old, next] : [next, old];
    for (const name of (needed.required ?? []) as string[])
      if (!((given.required ?? []) as string[]).includes(name))
        found.push(`${place}.${name}: required ${side}`);
  }
}

function entries(object: unknown): [string, unknown][] {
  return Object.entries((object ?? {}) as Json);
}

function at(from: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((part, name) => (part as Json | undefined)?.[name], from);
}

function named(operation: Json): Record<string, { schema: unknown; required?: boolean }> {
  const parameters = (operation.parameters ?? []) as { name: string; schema: unknown; required?: boolean }[];
  return Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter]));
}

function resolved(schema: unknown, document: Json): Json {
  const reference = at(schema, '$ref');
  return ((typeof reference === 'string' ? at(document, ...reference.slice(2).split('/')) : schema) ??
    {}) as Json;
}

function types({ type }: Json): unknown[] {
  return type ? [type].flat() : [];
}

function values(schema: Json): unknown[] {
  return 'const' in schema ? [schema.const] : ((schema.enum ?? []) as unknown[]);
}
