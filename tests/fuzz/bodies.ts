import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { hostileText, hostileValue, RawJson, toJsonText } from './hostile-values';
import { FilePart } from './schema-values';

/** Fields in the order in which they are sent; names may repeat. */
export type Fields = [name: string, value: unknown][];

export interface Body {
  bytes: Buffer | null;
  headers: Record<string, string>;
}

export type Kind = 'json' | 'multipart' | 'urlencoded';

const BOUNDARY = 'boundary-7d1f';
const TYPES: Record<Kind, string> = {
  json: 'application/json',
  multipart: `multipart/form-data; boundary=${BOUNDARY}`,
  urlencoded: 'application/x-www-form-urlencoded',
};
const OTHER_TYPES = [
  '',
  'text/plain',
  'text/html; charset=utf-16',
  'application/json; charset=utf-16',
  'application/json;;;',
  'application/octet-stream',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary="another"',
  `multipart/mixed; boundary=${BOUNDARY}`,
  'application/x-www-form-urlencoded; charset=latin1',
  'nonsense',
  `application/json; a=${'b'.repeat(2_000)}`,
];
const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'then',
  'length',
  '',
  ' ',
  'a\u0000b',
  'a[b]',
  'a.b',
  '0',
  '\u202e',
];
const BAD_BYTES = [
  [0],
  [0xff, 0xfe],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf5, 0x80, 0x80, 0x80],
  [0xef, 0xbb, 0xbf],
];

const change = fc.record({
  kind: fc.constantFrom('replace', 'replace', 'replace', 'drop', 'add', 'repeat', 'list', 'object'),
  at: fc.nat(40),
  value: hostileValue,
  name: fc.oneof(fc.constantFrom(...NAMES), hostileText),
});
const changes = fc.oneof(
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 5, arbitrary: fc.array(change, { minLength: 1, maxLength: 3 }) },
);

/** The fields of a valid form with up to three mutations. */
export function mutatedFields(valid: fc.Arbitrary<unknown>): fc.Arbitrary<Fields> {
  return fc
    .tuple(valid, changes)
    .map(([value, made]) => made.reduce(mutate, Object.entries((value ?? {}) as object)));
}

function mutate(
  fields: Fields,
  { kind, at, value, name }: typeof change extends fc.Arbitrary<infer T> ? T : never,
): Fields {
  if (kind === 'add' || fields.length === 0) return [...fields, [name, value]];
  const place = at % fields.length;
  const [field, original] = fields[place] as Fields[number];
  if (kind === 'drop') return fields.toSpliced(place, 1);
  if (kind === 'repeat') return [...fields, [field, value]];
  const mutated = kind === 'list' ? [original, value] : kind === 'object' ? { [name]: original } : value;
  return fields.with(place, [field, mutated]);
}

const envelope = fc.oneof(
  { weight: 16, arbitrary: fc.constant({ kind: 'plain' } as const) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('type' as const), type: fc.constantFrom(...OTHER_TYPES) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('cut' as const),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('bytes' as const),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
      bytes: fc.constantFrom(...BAD_BYTES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('encoding' as const),
      encoding: fc.constantFrom('gzip', 'br', 'deflate', 'identity', 'chunked', 'nonsense', 'gzip, gzip'),
      isTrue: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('other' as const), value: hostileValue }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('as' as const),
      as: fc.constantFrom<Kind>('json', 'multipart', 'urlencoded'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('padded' as const),
      bytes: fc.constantFrom(20_000, 70_000, 200_000),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'none' } as const) },
);

/** The fields encoded as a request body, which is corrupted in about a third of the cases. */
export function bodyOf(kind: Kind, fields: fc.Arbitrary<Fields>): fc.Arbitrary<Body> {
  return fc.tuple(fields, envelope).map(([sent, how]): Body => {
    const plain = { bytes: encode(kind, sent), headers: { 'content-type': TYPES[kind] } };
    const at = 'part' in how ? Math.floor(how.part * plain.bytes.length) : 0;
    switch (how.kind) {
      case 'plain':
        return plain;
      case 'type':
        return { ...plain, headers: how.type ? { 'content-type': how.type } : {} };
      case 'cut':
        return { ...plain, bytes: plain.bytes.subarray(0, at) };
      case 'bytes': {
        const { bytes } = plain;
        return {
          ...plain,
          bytes: Buffer.concat([bytes.subarray(0, at), Buffer.from(how.bytes), bytes.subarray(at)]),
        };
      }
      case 'encoding':
        return {
          bytes: how.isTrue ? gzipSync(plain.bytes) : plain.bytes,
          headers: { ...plain.headers, 'content-encoding': how.encoding },
        };
      case 'other':
        return { ...plain, bytes: Buffer.from(toJsonText(how.value)) };
      case 'as':
        return { ...plain, bytes: encode(how.as, sent) };
      case 'padded':
        return { ...plain, bytes: encode(kind, [...sent, ['padding', 'x'.repeat(how.bytes)]]) };
      default:
        return { bytes: null, headers: {} };
    }
  });
}

function encode(kind: Kind, fields: Fields): Buffer {
  if (kind === 'json') {
    return Buffer.from(
      `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${toJsonText(value)}`).join(',')}}`,
    );
  }
  const flat = fields.flatMap(
    ([name, value]): Fields => (Array.isArray(value) ? value.map((one) => [name, one]) : [[name, value]]),
  );
  if (kind === 'urlencoded') {
    return Buffer.from(flat.map(([name, value]) => `${percent(name)}=${percent(toText(value))}`).join('&'));
  }
  const parts = flat.map(([name, value]) =>
    Buffer.concat([
      Buffer.from(`--${BOUNDARY}\r\n${partHeaders(name, value)}\r\n\r\n`),
      bytesOf(value),
      Buffer.from('\r\n'),
    ]),
  );
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

function partHeaders(name: string, value: unknown): string {
  const disposition = `Content-Disposition: form-data; name="${name}"`;
  if (!(value instanceof FilePart)) return disposition;
  return `${disposition}; filename="${value.name}"${value.type ? `\r\nContent-Type: ${value.type}` : ''}`;
}

function bytesOf(value: unknown): Buffer {
  return value instanceof FilePart ? value.bytes : Buffer.from(toText(value));
}

/** A value as a form sends it. */
export function toText(value: unknown): string {
  if (value instanceof FilePart) return value.bytes.toString('latin1');
  return typeof value === 'string' ? value : value instanceof RawJson ? value.text : toJsonText(value);
}

/** Percent-encodes text, including ill-formed UTF-16 that `encodeURIComponent` would reject. */
export function percent(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
