import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** A request that was already read, with lower-case names of headers. */
export interface PlainRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: Record<string, string>;
  body?: string;
}

export interface PlainResponse {
  status: number;
  headers: [name: string, value: string][];
  body: string;
}

/** A pair as a library for Node's own server expects it, that comes from no socket and goes to none. */
export function pairFor({ method, url, headers, body = '' }: PlainRequest) {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method, url, headers });
  if (body !== '') request.push(body);
  request.push(null);
  return { request, response: new ServerResponse(request) };
}

/** Lets a handler for Node's own server answer a request, after this host has checked and read it. */
export async function exchange(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  plain: PlainRequest,
): Promise<PlainResponse> {
  const { request, response } = pairFor(plain);
  let body = '';
  response.end = (chunk?: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) body = Buffer.from(chunk).toString();
    return response;
  };
  await handle(request, response);
  const headers = Object.entries(response.getHeaders()).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, String(one)]),
  );
  return { status: response.statusCode, headers, body };
}
