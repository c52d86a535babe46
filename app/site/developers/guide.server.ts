import { env } from '~/http/env.server';
import type { Scope } from '~/http/scope.server';
import { i18nOf } from '~/i18n/messages.server';
import { type ExampleRequest, examplesOf, FIRST_CODE, MANY_CODES } from './examples';
import type { Block, Section } from './sections';
import { MAKE_WEBHOOK, webhooksText } from './webhooks-text.server';

const make = {
  method: 'POST',
  path: '/api/v1/codes',
  body: FIRST_CODE,
} as const;

/** The guide in a visitor's language; all but headings is in English. */
export function guideData({ locale }: Pick<Scope, 'locale'>) {
  const { t } = i18nOf(locale);
  const examples = (request: ExampleRequest, title: string) => examplesOf(request, env.PUBLIC_URL, title);
  const section = (id: string, title: string, ...blocks: Block[]): Section => ({ id, title, blocks });
  return {
    title: t('developers:guide.title'),
    lead: t('developers:guide.lead'),
    sections: [
      section(
        'first',
        t('developers:guide.first'),
        {
          text: 'Make a key in [Settings, API keys](/user/settings/keys/new), with the permission to read and change. It is shown once. Keep it where your program finds it, out of its source:',
        },
        { code: "export QUADRILLE_KEY='qdr_…'", language: 'sh', name: 'The key in the environment' },
        {
          text: 'Then make a code that leads to a page. The answer has the address in `link`, and the one to print in `scanLink`.',
        },
        ...examples(make, 'Make a code'),
      ),
      section(
        'batch',
        t('developers:guide.batch'),
        {
          text: 'Up to 1,000 codes are made by one call, each with the fields of a single one. All of them are made, or none: a mistake in one refuses all, and the answer names up to 100 mistakes at once, with pointers such as `/codes/12/content`. Otherwise it has the codes in the order in which they were sent. Send an [idempotency key](#once), so that a lost answer does not cost a second batch.',
        },
        ...examples({ method: 'POST', path: '/api/v1/codes/batch', body: MANY_CODES }, 'Make several codes'),
      ),
      section(
        'files',
        t('developers:guide.files'),
        {
          text: 'A file is drawn when you ask for it, and read back by decoders before you get it: `file.svg`, `file.png`, `file.jpeg` or `file.pdf`, with `size` as its width in pixels, of a PDF in millimetres. `Scan-Grade` says how well decoders read the look. A code that they do not read has no file: the answer is 422, and says what would help. Send the `ETag` back as `If-None-Match`, and an unchanged file is not drawn again.',
        },
        ...examples(
          { method: 'GET', path: '/api/v1/codes/CODE_ID/file.svg?size=600', output: 'code.svg' },
          'Download a file',
        ),
      ),
      section(
        'figures',
        t('developers:guide.figures'),
        {
          text: 'One call has every figure of a period, each with the name of its definition. `code` limits it to one code, `tag` to those with a tag, `campaign` to those that lead to a `utm_campaign`; `timeZone` says where days begin.',
        },
        ...examples({ method: 'POST', path: '/api/v1/statistics', body: { period: 30 } }, 'Read figures'),
      ),
      section(
        'lists',
        t('developers:guide.lists'),
        {
          text: 'A list answers with `data`, `hasMore` and `nextCursor`. Send `nextCursor` as `cursor` to get the next part, or follow the `Link` header with `rel="next"`. A cursor is opaque; codes that are made or deleted meanwhile shift nothing.',
        },
        ...examples({ method: 'GET', path: '/api/v1/codes?limit=100' }, 'List codes'),
      ),
      section(
        'once',
        t('developers:guide.once'),
        {
          text: 'If an answer got lost, you do not know whether a code was made. Send an `Idempotency-Key` of your own with each call that makes something: repeated within 24 hours, the same request takes effect once and gets its first answer, with `Idempotent-Replayed: true`. Another request with the same key is refused with 422, one that comes while the first is running with 409.',
        },
        ...examples({ ...make, headers: { 'Idempotency-Key': 'order-4711' } }, 'Make a code once'),
      ),
      section(
        'trial',
        t('developers:guide.trial'),
        {
          text: 'With `dry_run=true`, a call that makes something is checked in full, and leaves nothing behind. It answers 200 with `{"data":null,"dryRun":true}`, or with the same mistakes as without.',
        },
        ...examples({ ...make, path: `${make.path}?dry_run=true` }, 'Only try'),
      ),
      section(
        'versions',
        t('developers:guide.versions'),
        {
          text: 'A code that is read comes with an `ETag`, which visits leave as it is. Send it as `If-Match` with a change or a deletion: if somebody changed the code meanwhile, the answer is 412 and nothing happens. `*` matches every state.',
        },
        ...examples(
          {
            method: 'PATCH',
            path: '/api/v1/codes/CODE_ID',
            headers: { 'If-Match': '*' },
            body: { content: 'https://example.com/winter' },
          },
          'Change a code',
        ),
      ),
      section(
        'webhooks',
        t('developers:guide.webhooks'),
        ...webhooksText(examples(MAKE_WEBHOOK, 'Add a webhook')),
      ),
      section(
        'assistants',
        t('developers:guide.assistants'),
        {
          text: `Assistants that speak the Model Context Protocol connect to \`${env.PUBLIC_URL}/mcp\` (streamable HTTP) with an API key. Their tools find, make, change and restyle codes, read figures, and draw a code with its grade; a repeated \`create_code\` with the same \`idempotencyKey\` makes no second code. A key with the permission to read lets them look only, and one with a tag shows them only its codes; both hold here as for calls, and so does the limit. Most clients take a configuration like this:`,
        },
        { code: configuration(), language: 'json', name: 'An assistant with a key' },
        {
          text: 'Where a dialog takes no key, give it the address alone: the assistant then asks you for access by [OAuth](#oauth), and is listed, and ended, beside the keys.',
        },
        {
          text: 'Answers contain names and contents that people wrote. An assistant should treat them as data, and ask you before it changes where a printed code leads.',
        },
      ),
      section(
        'pages',
        t('developers:guide.pages'),
        {
          text: "A web page can call if its key names the origin of the page, such as `https://shop.example`, or `http://localhost:5173` while you develop; up to 10 are named when you [make the key](/user/settings/keys/new), and can be changed later. The answer then has `Access-Control-Allow-Origin`, and lets the page read `ETag`, `Link`, `RateLimit`, `RateLimit-Policy`, `Retry-After`, `Scan-Grade`, `Idempotent-Replayed`, `Content-Disposition` and `X-Request-Id`. Cookies are never used, so send none (`credentials: 'omit'`).",
        },
        {
          text: 'A key in a web page can be read by everybody who opens the page, and an origin only stops other pages, not programs. Give such a key the permission to read, one tag, and an end. A request with another `Origin`, or with a key that names none, is refused with 403 and `origin_not_allowed` before anything happens; so is one with an access token, as [OAuth](#oauth) names no pages. Programs on servers send no `Origin`, and any key works there.',
        },
      ),
      section('limits', t('developers:guide.limits'), {
        text: 'Each key has 300 calls a minute. Every answer says what is left: `RateLimit: "default";r=299;t=60` means 299 calls for the next 60 seconds. Beyond it the answer is 429, and `Retry-After` has the seconds to wait. A batch of codes, a file, and each tool that an assistant uses are one call each. An account has limits for what costs more, by all of its keys and pages together: 1,000 codes by single calls an hour, 100 batches (one at a time), 20,000 changes, 300 jobs, 60 imported files and 10 started imports, 200 uploaded logos, 60 changes of webhooks and 100 messages sent again or as a test; and 20 CSV files in 5 minutes. The answer names the limit in `detail`, and in a second item such as `"creation";r=0;t=1800`. What is only tried with `dry_run` counts by itself, up to the same number.',
      }),
      section(
        'oauth',
        t('developers:guide.oauth'),
        {
          text: 'A program that other people use asks each of them for access instead of for a key, by OAuth 2.1: authorization code with PKCE (S256), then `Authorization: Bearer` with the access token. Libraries find everything by themselves from the answer 401, which names the metadata of the resource (RFC 9728). Clients are public and have no secret: publish a client id metadata document at an https address and use that address as `client_id`, or register at `registration_endpoint` (RFC 7591).',
        },
        {
          code: `GET ${env.PUBLIC_URL}/oauth/authorize?response_type=code&client_id=CLIENT_ID&redirect_uri=REDIRECT_URI&scope=read+change&resource=${encodeURIComponent(`${env.PUBLIC_URL}/api/v1`)}&state=STATE&code_challenge=CHALLENGE&code_challenge_method=S256`,
          language: 'sh',
          name: 'Where the program sends the browser of its user',
        },
        {
          text: 'The scopes are `read` and `change`, which includes reading, and others are refused with `invalid_scope`; `resource` is needed, and a token works for that one only. Users may allow less, or one tag only, so read `scope` in the answer. Access tokens last an hour, refresh tokens 30 days and once each: using one twice ends the connection. Users end connections in [Settings, API keys](/user/settings/keys), programs at `revocation_endpoint`.',
        },
      ),
      section('errors', t('developers:guide.errors'), {
        text: 'A refusal is a problem document (RFC 9457, `application/problem+json`) with every mistake at once: `pointer` names the field (after `?` a parameter of the address), `code` what is wrong with it. Fields and parameters that a call does not know are mistakes as well. Quote `requestId` if you write to us. [All errors](/developers/errors)',
      }),
      section(
        'clients',
        t('developers:guide.clients'),
        {
          text: 'The [OpenAPI document](/api/v1/openapi.json) describes every call. New fields, and new values of a field, may come at any time: ignore those that you do not know. Nothing that is documented goes away within `/api/v1`.',
        },
        {
          code: `npx openapi-typescript ${env.PUBLIC_URL}/api/v1/openapi.json --default-non-nullable false --output quadrille.d.ts`,
          language: 'sh',
          name: 'Types for a client with openapi-fetch',
        },
        {
          text: '[Reference of every call](/developers/reference). [What is new](/developers/changelog), also as a [feed](/developers/changelog.atom). All these pages are Markdown too: add `.md` to the address.',
        },
      ),
    ],
  };
}

/** Of a client of the Model Context Protocol, as most of them read it. */
function configuration(): string {
  const headers = { Authorization: 'Bearer qdr_…' };
  const quadrille = { type: 'http', url: `${env.PUBLIC_URL}/mcp`, headers };
  return JSON.stringify({ mcpServers: { quadrille } }, null, 2);
}
