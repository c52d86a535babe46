import { getSignIn } from '#contract/sign-in';
import type { TestHost } from './host';

interface JsonResponse {
  status: number;
  headers: Headers;
  /** Parsed JSON. */
  body: {
    token?: string;
    device?: string;
    status?: string;
    message?: string;
    code?: string;
    errors?: Record<string, string[]>;
    data?: unknown;
  };
}

/** Calls the host with a JSON body and parses its JSON response. */
export async function send(
  host: Pick<TestHost, 'request'>,
  method: string,
  path: string,
  body?: unknown,
  options: { token?: string | undefined; headers?: Record<string, string> } = {},
): Promise<JsonResponse> {
  const response = await host.request(path, {
    method,
    headers: { 'content-type': 'application/json', ...options.headers },
    ...(options.token !== undefined && { token: options.token }),
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** The sign-in methods and sessions of an account. */
export async function signInOf(host: Pick<TestHost, 'request'>, token: string) {
  return getSignIn.response.parse(
    (await send(host, 'GET', '/api/account/sign-in', undefined, { token })).body,
  ).data;
}

/** The one-time token in the newest mail with one to an address; throws if there is none. */
export async function mailedToken(host: Pick<TestHost, 'mails'>, to: string): Promise<string> {
  const mail = (await host.mails()).find((kept) => kept.to === to && /token=[\w-]{43}/.test(kept.text ?? ''));
  const token = /token=([\w-]{43})/.exec(mail?.text ?? '')?.[1];
  if (!token) throw new Error(`no link was mailed to ${to}`);
  return token;
}

/** Subjects of all mails to an address, newest first. */
export async function subjectsTo(host: Pick<TestHost, 'mails'>, to: string): Promise<string[]> {
  return (await host.mails()).filter((kept) => kept.to === to).map((kept) => kept.subject ?? '');
}

const BAD_VALUES: [what: string, value: unknown][] = [
  ['missing', undefined],
  ['null', null],
  ['a number', 7],
  ['a list', ['x']],
  ['an object', { $ne: '' }],
  ['empty', ''],
  ['with a null byte', 'a\u0000bcdefgh@b.example'],
  ['far too long', 'x'.repeat(5000)],
];

/** Rows for `test.each`: a valid body with each field replaced by each value that no text field may have. */
export function brokenBodies<Body extends Record<string, unknown>>(
  good: Body,
  fields: (keyof Body & string)[],
): [field: string, what: string, body: Record<string, unknown>][] {
  return fields.flatMap((field) =>
    BAD_VALUES.map(([what, value]): [string, string, Record<string, unknown>] => [
      field,
      what,
      { ...good, [field]: value },
    ]),
  );
}

/** Bodies that are not a JSON object or lack all fields, with the expected status. */
export const NON_OBJECT_BODIES: [what: string, text: string, status: number][] = [
  ['nothing', '', 422],
  ['half of JSON', '{"email":', 400],
  ['null', 'null', 422],
  ['a list', '[]', 422],
  ['a string', '"x"', 422],
  ['a prototype', '{"__proto__":{"email":"a@b.example"}}', 422],
];
