import { env } from '~/http/env.server';

/** What assistants that read the site find (llmstxt.org). */
export async function loader() {
  const at = (path: string) => env.PUBLIC_URL + path;
  const text = `# ${env.APP_NAME}

> Makes QR codes that can be changed after printing, and counts their visits. Programs use it by an HTTP API.

## API

- [Guide](${at('/developers.md')}): the first code, figures, lists, limits, errors
- [Reference](${at('/developers/reference.md')}): every call with fields, errors and examples
- [OpenAPI document](${at('/api/v1/openapi.json')})
- [Errors](${at('/developers/errors.md')})
- [Changes](${at('/developers/changelog.md')})

## Assistants

- [Model Context Protocol](${at('/mcp')}): tools to find, make, change, restyle, draw and count codes, with an API key as a bearer token

## Service

- [Prices](${at('/pricings')})
- [Questions and answers](${at('/faq')})
- [Contact](${at('/contact')})
`;
  return new Response(text, {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'public, max-age=86400' },
  });
}
