import type { Notice } from '~/http/flash.server';
import type { TestWebsite } from './website';

type Fields = Record<string, string>;

/** A browser without scripts that keeps its cookies from page to page. */
export interface TestBrowser {
  open(path: string, headers?: Fields): Promise<Response>;
  post(path: string, fields: Fields | FormData, headers?: Fields): Promise<Response>;
  /** Value of a cookie, undefined where there is none. */
  cookie(name: string): string | undefined;
  /** The messages that the next page would show. */
  notices(): Promise<Notice[]>;
}

/** Opens a browser in front of the website; `as` is who is signed in already. */
export async function openBrowser(website: TestWebsite, as?: { token: string }): Promise<TestBrowser> {
  const { signInCookie } = await import('~/http/session.server');
  const { readNotices } = await import('~/http/flash.server');
  const cookies = new Map<string, string>();
  const keep = (header: string) => {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
    const isOver = value === '' || /Max-Age=0|Expires=Thu, 01 Jan 1970/.test(header);
    if (isOver) cookies.delete(name);
    else cookies.set(name, value);
  };
  if (as) keep(await signInCookie(as.token, false));
  const cookieHeader = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const send = async (path: string, init: RequestInit, headers: Fields) => {
    const answer = await website.browse(path, { ...init, headers: { ...headers, cookie: cookieHeader() } });
    for (const header of answer.headers.getSetCookie()) keep(header);
    return answer;
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

/** Status of an answer, and where it leads. */
export function whereTo(answer: Response): [status: number, to: string | null] {
  return [answer.status, answer.headers.get('location')];
}
