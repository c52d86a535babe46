const UNSAFE = /[\p{Cc}\p{Bidi_Control}]+/gu;
/** Line breaks and indentation are part of JSON; `JSON.stringify` escapes the other C0 controls in strings. */
const UNSAFE_IN_JSON = /[\x7f-\x9f\p{Bidi_Control}]/gu;

/** A human-readable result: indented names and values, and lists with one item a line. */
export function formatResult(result: unknown): string {
  if (Array.isArray(result) && result.length === 0) return 'none\n';
  return `${formatLines(result, 0).join('\n')}\n`;
}

function formatLines(value: unknown, depth: number): string[] {
  const indent = '  '.repeat(depth);
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const [first = '', ...rest] = formatLines(item, depth + 1);
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  }
  if (!isObject(value)) return [`${indent}${formatScalar(value)}`];
  return Object.entries(value).flatMap(([name, entry]) => {
    if (Array.isArray(entry) && entry.length === 0) return [`${indent}${name}: none`];
    if (Array.isArray(entry) || isObject(entry))
      return [`${indent}${name}:`, ...formatLines(entry, depth + 1)];
    return [`${indent}${name}: ${formatScalar(entry)}`];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}

/** The result as JSON, with the characters escaped that could control the terminal. */
export function formatJson(result: unknown): string {
  const json = JSON.stringify(result, null, 2).replace(
    UNSAFE_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${json}\n`;
}

/** Without control characters: strangers' input could otherwise control the terminal, or appear in another order. */
function formatScalar(value: unknown): string {
  if (value === null || value === '') return '–';
  if (value instanceof Date) return value.toISOString();
  return String(value).replace(UNSAFE, ' ');
}
