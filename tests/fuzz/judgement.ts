import { expect } from 'vitest';
import type { Reply } from './client';

/** Internal details that no response may reveal. */
const INTERNALS = [
  /\n\s+at .+:\d+:\d+\)?/,
  /node:internal|node_modules\/|file:\/\/\/|\b(?:host|app|contract)\/[\w/-]+\.tsx?\b|\bbuild\/(?:server|host)\//,
  /Failed query|syntax error at or near|violates [\w-]+ constraint|invalid input syntax|invalid byte sequence/i,
  /\b(?:insert into|delete from|update|select) "\w+"|pg_catalog|drizzle/i,
  /TypeError|ReferenceError|RangeError|SyntaxError|ZodError|is not a function|Cannot read propert/,
];

/** Hostile markup that appears in a page only if the page failed to escape it. */
const INJECTED = /<script>alert\(1\)|<img src=x onerror|(?:href|action|src)="javascript:/i;

/** Faults of a response that no request may cause; empty if there are none. */
export function faultsOf({ status, headers, text }: Reply, secrets: readonly string[]): string[] {
  const faults: string[] = [];
  const isDeliberate = status === 503 && headers['retry-after'] !== undefined;
  if (status >= 500 && !isDeliberate) faults.push(`status ${status}`);
  if (status === 429 && !headers['retry-after']) faults.push('429 without Retry-After');
  if (/stolen/.test(String(headers['set-cookie']))) faults.push('a header was injected');
  if (headers['x-content-type-options'] !== 'nosniff' && text !== '') faults.push('no nosniff');
  if (/html/.test(headers['content-type'] ?? '') && INJECTED.test(text))
    faults.push("the sender's script is in the page");
  for (const internal of [process.cwd(), ...INTERNALS]) {
    const at = typeof internal === 'string' ? text.indexOf(internal) : text.search(internal);
    if (at >= 0) faults.push(`reveals internals: ${text.slice(Math.max(0, at - 60), at + 120)}`);
  }
  for (const secret of secrets)
    if (text.includes(secret)) faults.push(`reveals another account's data: ${secret}`);
  return faults;
}

/** Fails with the request in the message, so that fast-check shrinks it. */
export function expectNoFaults(sent: object, got: Reply, faults: string[]): void {
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
