import type { ApiKey } from '#contract/api-keys';
import type { TestAccount, TestHost } from './host';
import { send } from './json-calls';

export type MadeKey = ApiKey & { secret: string };

/** Makes a key as the owner does on the page. */
export async function makeApiKey(
  host: Pick<TestHost, 'request'>,
  account: Pick<TestAccount, 'token' | 'password'>,
  wanted: {
    name?: string;
    permission?: 'read' | 'change';
    tag?: string;
    origins?: string[];
    days?: number | null;
  } = {},
): Promise<MadeKey> {
  const body = { name: 'Shop', permission: 'change', currentPassword: account.password, ...wanted };
  const made = await send(host, 'POST', '/api/account/keys', body, { token: account.token });
  if (made.status !== 201) throw new Error(`no key was made: ${JSON.stringify(made.body)}`);
  return made.body.data as MadeKey;
}

/** Calls below `/api/v1`, with the key that a test has made before; a body that is text is sent as it is. */
export function callsOfPrograms(read: () => { host: TestHost; secret: string }) {
  return async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    token = read().secret,
  ) => {
    const response = await read().host.request(`/api/v1${path}`, {
      method,
      token,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : null,
    };
  };
}
