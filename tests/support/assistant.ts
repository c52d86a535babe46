import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { TestWebsite } from './website';

/** What the tools of tests return. */
interface Data {
  id: string;
  type: string;
  scanLink: string;
  style: object;
  codes: { id: string }[];
  figures: { visits: object };
  grade: string | null;
}

/** A client of this version of the protocol, or of that before it, for a website without a socket. */
export async function connectAssistant(
  website: Pick<TestWebsite, 'browse'>,
  secret: string,
  mode: 'auto' | 'legacy' = 'auto',
) {
  /** A fetch that ends at the website, with the headers of a client. */
  const fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const headers = Object.fromEntries(new Headers(init.headers));
    const { pathname } = new URL(url instanceof Request ? url.url : url);
    return website.browse(pathname, { ...init, headers: { ...headers, authorization: `Bearer ${secret}` } });
  };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }));
  return {
    client,
    call: async (name: string, args: Record<string, unknown> = {}) => {
      const {
        isError = false,
        content,
        structuredContent,
      } = await client.callTool({ name, arguments: args });
      const [first] = content;
      const text = first?.type === 'text' ? first.text : '';
      return { isError, text, content, data: structuredContent as unknown as Data };
    },
  };
}
