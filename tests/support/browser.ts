import type { Notice } from '~/http/flash.server';
import type { TestWebsite } from './website';

type Fields = Record<string, string>;

/** A browser without scripts that keeps its cookies across requests. */
export interface TestBrowser {
  open(path: string, headers?: Fields): Promise<Response>;
  post(path: string, fields: Fields | FormData, headers?: Fields): Promise<Response>;
  /** Value of a cookie; undefined if it is not set. */
  cookie(name: string): string | undefined;
  /** The messages that the next page would show. */
  notices(): Promise<Notice[]>;
}

/** Opens a browser on the website, signed in with the token of `as` if given. */
export async function openBrowser(website: TestWebsite, as?: { token: string }): Promise<TestBrowser> {
  const { signInCookie } = await import('~/http/session.server');
  const { readNotices } = await import('~/http/flash.server');
  const cookies = new Map<string, string>();
  const keep = (header: string) => {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
    const isExpired = value === '' || /Max-Age=0|Expires=Thu, 01 Jan 1970/.test(header);
    if (isExpired) cookies.delete(name);
    else cookies.set(name, value);
  };
  if (as) keep(await signInCookie(as.token, false));
  const cookieHeader = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const send = async (path: string, init: RequestInit, headers: Fields) => {
    const response = await website.browse(path, { ...init, headers: { ...headers, cookie: cookieHeader() } });
    for (const header of response.headers.getSetCookie()) keep(header);
    return response;
  };
  return {
    open: (path, headers = {}) => send(path, {}, headers),
    post: (path, fields, headers = {}) => {
      const body = fields instanceof FormData ? fields : new URLSearchParams(fields);
      return send(path, { method: 'POST', body }, headers);
    },
    cookie: (name) => cookies.get(name),
    notices: () => readNotices(new Request('http://localhost/', { headers: { cookie: cookieHeader() } })),
  };
}

/** Status and `Location` header of a response. */
export function statusAndLocation(response: Response): [status: number, to: string | null] {
  return [response.status, response.headers.get('location')];
}

/** Visible text of a page, with plain spaces. */
export async function textOf(answer: Response): Promise<string> {
  const html = (await answer.text()).replace(/^.*<body/s, '').replace(/<script\b.*?<\/script>/gs, '');
  const text = html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&');
  return text.replace(/\s+/g, ' ');
}
