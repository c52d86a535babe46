import fc from 'fast-check';
import type { Reply } from './client';

const HOSTS = [
  'localhost',
  '1.1.1.1.1',
  'evil.example',
  '127.0.0.1',
  'a b',
  '',
  'x:99999999',
  '[::1',
  'user:secret@localhost',
  '\u0000',
  '%',
  'ä',
];
const VERSIONS = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/2.0',
  'HTTP/0.9',
  'http/1.1',
  '',
];
const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'PURGE', 'get', 'G\u0000T', ''];
const LINES = [
  'Host: another.example',
  'X-Forwarded-Host: x:99999999',
  'X-Forwarded-Proto: javascript',
  'Forwarded: for="[::1";host=;proto=',
  'Expect: 100-continue',
  'Expect: a-miracle',
  'Upgrade: h2c',
  'Upgrade: websocket',
  'No colon',
  ' : folded',
  'Name with spaces: x',
  'Null: a\u0000b',
  `Long: ${'x'.repeat(20_000)}`,
  'Cookie: session=',
  'Cookie: ;;;=;',
  'Authorization: Bearer',
  'Authorization: Basic %%%',
  'Range: bytes=-1',
  ...[300, 2_100].map((count) => 'Many:\r\n'.repeat(count).trimEnd()),
  `Cookie: ${'a=b; '.repeat(2_500)}`,
  `Accept-Language: ${'zz;q=0.1,'.repeat(1_300)}`,
  `Accept: ${'text/html;q=0.1,'.repeat(800)}`,
  `If-None-Match: ${'"x",'.repeat(3_000)}`,
  `X-Forwarded-For: ${'192.0.2.1,'.repeat(1_200)}`,
  'X-Forwarded-For: 1.2.3.4\r\nX-Forwarded-For: ::1, 5.6.7.8\r\nX-Forwarded-For:',
  'Connection: host, origin, x-forwarded-for',
  'Origin: https://evil.example\r\nOrigin: http://localhost',
  'Content-Type: text/plain\r\nContent-Type: multipart/form-data; boundary=x',
];
/** Bodies with the headers that delimit them; none makes a server wait for more. */
const BODIES: [header: string, body: string][] = [
  ['', ''],
  ['', 'a body that nothing announces'],
  ['Content-Length: 2\r\nContent-Type: application/json', '{}'],
  ['Content-Length: -1', ''],
  ['Content-Length: 99999999999999999999', ''],
  ['Content-Length: 1\r\nContent-Length: 2', 'ab'],
  ['Content-Length: 0x2', 'ab'],
  ['Transfer-Encoding: chunked\r\nContent-Type: application/json', '2\r\n{}\r\n0\r\n\r\n'],
  ['Transfer-Encoding: chunked', 'zz\r\n{}\r\n0\r\n\r\n'],
  ['Transfer-Encoding: chunked', 'ffffffffffffffffff\r\n'],
  ['Transfer-Encoding: chunked\r\nContent-Length: 2', '0\r\n\r\n'],
  ['Transfer-Encoding: identity, chunked', '0\r\n\r\n'],
  ['Transfer-Encoding: nonsense', ''],
  ['Transfer-Encoding: gzip, chunked', '0\r\n\r\n'],
  ['Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', '0\r\n\r\n'],
];

/** Near-valid HTTP/1.1 requests, all with `Connection: close`. */
export function wireRequests(paths: readonly string[]): fc.Arbitrary<string> {
  const target = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...paths) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        ...[
          '*',
          '',
          '//',
          '/%',
          '/%00',
          '/\u0000',
          '/..',
          '/%2e%2e/%2e%2e',
          '/?',
          '/#x',
          '\\',
          '/a b',
          '/ä',
          '//x/..',
        ],
        ...[
          'http://user:secret@localhost/',
          'http://',
          'https://another.example/',
          'localhost:80',
          '//[::1/',
        ],
        `/${'x'.repeat(9_000)}`,
        `/?${'a=b&'.repeat(3_000)}`,
      ),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom(...paths),
          fc.constantFrom('%ff', '/', '//', '/..', '?_data=', '.data', '?index', ';a=b', '%2f'),
        )
        .map(([path, end]) => path + end),
    },
  );
  return fc
    .record({
      method: fc.constantFrom(...METHODS),
      target,
      version: fc.constantFrom(...VERSIONS),
      host: fc.oneof(
        { weight: 2, arbitrary: fc.constant('localhost') },
        { weight: 1, arbitrary: fc.constantFrom(...HOSTS) },
      ),
      lines: fc.array(fc.constantFrom(...LINES), { maxLength: 2 }),
      body: fc.constantFrom(...BODIES),
      end: fc.constantFrom('\r\n', '\r\n', '\r\n', '\r\n', '\n'),
    })
    .map(({ method, target, version, host, lines, body: [header, body], end }) =>
      [
        `${method} ${target} ${version}`,
        `Host: ${host}`,
        'Connection: close',
        ...lines,
        ...(header ? [header] : []),
        '',
        '',
      ]
        .join(end)
        .concat(body),
    );
}

/** The statuses of all responses in what a server sent; the text of no page begins a line like this. */
export function statusesOf(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) (?=[\w ]+\r\n)/g)]
    .map(([, status]) => Number(status))
    .filter((status) => status !== 100);
}

/**
 * Parses the first response in what a server sent. Null if there is none, as for input that is not HTTP, or
 * if Node itself responded, without our headers.
 */
export function parseResponse(received: string): Reply | null {
  const [head = '', ...rest] = received.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '').split('\r\n\r\n');
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(head) ?? [];
  if (!status || (/^4/.test(status) && !/^content-type:/im.test(head))) return null;
  const headers = [...head.matchAll(/^([\w-]+): (.*)$/gm)].map(([, name = '', value = '']) => [
    name.toLowerCase(),
    value.trim(),
  ]);
  return {
    status: Number(status),
    headers: Object.fromEntries(headers),
    text: rest.join('\r\n\r\n').replace(/^0(?:\r\n)*$/, ''),
  };
}
