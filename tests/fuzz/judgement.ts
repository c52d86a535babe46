import { expect } from 'vitest';
import type { Got } from './client';

/** What only the inside of the programs may know. */
const INSIDE = [
  /\n\s+at .+:\d+:\d+\)?/,
  /node:internal|node_modules\/|file:\/\/\/|\b(?:host|app|contract)\/[\w/-]+\.tsx?\b|\bbuild\/(?:server|host)\//,
  /Failed query|syntax error at or near|violates [\w-]+ constraint|invalid input syntax|invalid byte sequence/i,
  /\b(?:insert into|delete from|update|select) "\w+"|pg_catalog|PGlite|drizzle/i,
  /TypeError|ReferenceError|RangeError|SyntaxError|ZodError|is not a function|Cannot read propert/,
];

/** What the hostile texts would run, had a page taken them as they are. */
const RUNS = /<script>alert\(1\)|<img src=x onerror|(?:href|action|src)="javascript:/i;

/** What is wrong with an answer, whatever was asked; nothing where all is well. */
export function faultsOf({ status, headers, text }: Got, secrets: readonly string[]): string[] {
  const faults: string[] = [];
  const isDeliberate = status === 503 && headers['retry-after'] !== undefined;
  if (status >= 500 && !isDeliberate) faults.push(`status ${status}`);
  if (status === 429 && !headers['retry-after']) faults.push('429 without Retry-After');
  if (/stolen/.test(String(headers['set-cookie']))) faults.push('a header was injected');
  if (headers['x-content-type-options'] !== 'nosniff' && text !== '') faults.push('no nosniff');
  if (/html/.test(headers['content-type'] ?? '') && RUNS.test(text))
    faults.push('a script of the sender is in the page');
  for (const inside of [process.cwd(), ...INSIDE]) {
    const at = typeof inside === 'string' ? text.indexOf(inside) : text.search(inside);
    if (at >= 0) faults.push(`tells of the inside: ${text.slice(Math.max(0, at - 60), at + 120)}`);
  }
  for (const secret of secrets) if (text.includes(secret)) faults.push(`tells of somebody else: ${secret}`);
  return faults;
}

/** Fails with the request in the message, for fast-check to shrink. */
export function expectNoFaults(sent: object, got: Got, faults: string[]): void {
  if (faults.length === 0) return;
  expect.fail(
    `${faults.join('; ')}\n${JSON.stringify(sent, readable, 1)}\n→ ${got.status} ${got.text.slice(0, 400)}`,
  );
}

function readable(_: string, value: unknown): unknown {
  const isBuffer = typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
  if (isBuffer && 'data' in value)
    return Buffer.from(value.data as number[])
      .toString()
      .slice(0, 1_500);
  return typeof value === 'string' ? value.slice(0, 300) : value;
}
