import { CODE_TYPES } from '#contract/contents/contents';
import type { Block } from './sections';

/** Leads to a page. */
export const FIRST_CODE = { type: CODE_TYPES[0], content: 'https://example.com/menu' };
/** The codes of three tables. */
export const MANY_CODES = {
  codes: [1, 2, 3].map((table) => ({ ...FIRST_CODE, name: `Table ${table}`, tags: ['Menu'] })),
};
/** Where an example in TypeScript has the key from; we ourselves read the environment elsewhere. */
const KEY = ['process', 'env', 'QUADRILLE_KEY'].join('.');

/** A request that the texts for developers show. */
export interface ExampleRequest {
  method: string;
  /** With its query. */
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** The field of a form and the file that is sent in it. */
  file?: { field: string; name: string };
  /** A file for an answer that is no text. */
  output?: string | undefined;
}

/** The same request for three tools, from one source. */
export function examplesOf(request: ExampleRequest, origin: string, title: string): Block[] {
  const url = origin + request.path;
  return [
    { name: `${title}, with curl`, language: 'sh', code: curl(request, url) },
    { name: `${title}, in TypeScript`, language: 'ts', code: typeScript(request, url) },
    { name: `${title}, in Python`, language: 'python', code: python(request, url) },
  ];
}

function headersOf({ headers, body }: ExampleRequest): [string, string][] {
  return Object.entries({ ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) });
}

function curl(request: ExampleRequest, url: string): string {
  const { method, body, file, output } = request;
  return [
    `curl --fail-with-body --request ${method} '${url}'`,
    `--header "Authorization: Bearer $QUADRILLE_KEY"`,
    ...headersOf(request).map(([name, value]) => `--header '${name}: ${value}'`),
    ...(body === undefined ? [] : [`--data '${JSON.stringify(body)}'`]),
    ...(file ? [`--form '${file.field}=@${file.name}'`] : []),
    ...(output ? [`--output ${output}`] : []),
  ].join(' \\\n  ');
}

function typeScript(request: ExampleRequest, url: string): string {
  const { method, body, file, output } = request;
  const files = [file && 'readFile', output && 'writeFile'].filter(Boolean);
  return [
    ...(files.length > 0 ? [`import { ${files.join(', ')} } from 'node:fs/promises';`, ''] : []),
    ...(file
      ? [
          'const form = new FormData();',
          `form.set('${file.field}', new Blob([await readFile('${file.name}')]), '${file.name}');`,
        ]
      : []),
    `const response = await fetch('${url}', {`,
    `  method: '${method}',`,
    '  headers: {',
    `    Authorization: \`Bearer \${${KEY}}\`,`,
    ...headersOf(request).map(([name, value]) => `    '${name}': '${value}',`),
    '  },',
    ...(body === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(body)}),`]),
    ...(file ? ['  body: form,'] : []),
    '});',
    'if (!response.ok) throw new Error(await response.text());',
    output
      ? `await writeFile('${output}', Buffer.from(await response.arrayBuffer()));`
      : 'console.log(await response.text());',
  ].join('\n');
}

function python(request: ExampleRequest, url: string): string {
  const { method, body, file, output } = request;
  const sent = body !== undefined || file;
  return [
    'import os, urllib.request',
    '',
    ...(body === undefined ? [] : [`data = b'${JSON.stringify(body)}'`]),
    ...(file
      ? [
          "start = b'--part\\r\\nContent-Disposition: form-data; '",
          `start += b'name="${file.field}"; filename="${file.name}"\\r\\n\\r\\n'`,
          `data = start + open('${file.name}', 'rb').read() + b'\\r\\n--part--\\r\\n'`,
        ]
      : []),
    'headers = {',
    "    'Authorization': 'Bearer ' + os.environ['QUADRILLE_KEY'],",
    ...headersOf(request).map(([name, value]) => `    '${name}': '${value}',`),
    ...(file ? ["    'Content-Type': 'multipart/form-data; boundary=part',"] : []),
    '}',
    `url = '${url}'`,
    `request = urllib.request.Request(url, method='${method}', headers=headers${sent ? ', data=data' : ''})`,
    'with urllib.request.urlopen(request) as response:',
    output ? `    open('${output}', 'wb').write(response.read())` : '    print(response.read().decode())',
  ].join('\n');
}
