/** A result for people to read: names and values, indented, lists one below the other. */
export function printed(result: unknown): string {
  if (Array.isArray(result) && result.length === 0) return 'none\n';
  return `${linesOf(result, 0).join('\n')}\n`;
}

function linesOf(value: unknown, depth: number): string[] {
  const indent = '  '.repeat(depth);
  if (Array.isArray(value)) {
    return value.flatMap((one) => {
      const [first = '', ...rest] = linesOf(one, depth + 1);
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  }
  if (!isGroup(value)) return [`${indent}${wordOf(value)}`];
  return Object.entries(value).flatMap(([name, one]) => {
    if (Array.isArray(one) && one.length === 0) return [`${indent}${name}: none`];
    if (Array.isArray(one) || isGroup(one)) return [`${indent}${name}:`, ...linesOf(one, depth + 1)];
    return [`${indent}${name}: ${wordOf(one)}`];
  });
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}

/** Control characters of what strangers typed could steer a terminal. */
function wordOf(value: unknown): string {
  if (value === null || value === '') return '–';
  if (value instanceof Date) return value.toISOString();
  return String(value).replace(/\p{Cc}+/gu, ' ');
}
