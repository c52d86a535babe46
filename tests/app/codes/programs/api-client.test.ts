import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeApiKey } from '../../../support/api-keys';
import { createTestWebsite, type TestWebsite } from '../../../support/website';

/** What somebody may write against the document. */
const PROGRAM = `
import createClient from 'openapi-fetch';
import type { paths } from './api';

export async function run(key: string, fetch: (request: Request) => Promise<Response>) {
  const client = createClient<paths>({ baseUrl: 'http://localhost', headers: { Authorization: \`Bearer \${key}\` }, fetch });
  const made = await client.POST('/api/v1/codes', {
    params: { header: { 'Idempotency-Key': 'table-7' } },
    body: { type: 'link', content: 'https://a.example/', tags: ['Menu'] },
  });
  if (!made.data || 'dryRun' in made.data) throw new Error(made.error?.title);
  const params = { path: { id: made.data.data.id } };
  const file = await client.GET('/api/v1/codes/{id}/file.{format}', {
    params: { path: { ...params.path, format: 'svg' } },
    parseAs: 'text',
  });
  const styled = await client.PATCH('/api/v1/codes/{id}', {
    params: { ...params, header: { 'If-Match': made.response.headers.get('ETag') ?? '' } },
    body: { style: { moduleShape: 'dots' }, name: 'Table 7' },
  });
  const read = await client.GET('/api/v1/codes/{id}', { params });
  const listed = await client.GET('/api/v1/codes', { params: { query: { tag: 'menu', limit: 1 } } });
  const removed = await client.DELETE('/api/v1/codes/{id}', { params });
  const gone = await client.GET('/api/v1/codes/{id}', { params });
  return {
    styled: styled.data?.data.style?.moduleShape,
    name: read.data?.data.name,
    file: file.data?.startsWith('<svg'),
    listed: listed.data?.data.map(({ id }) => id === params.path.id),
    removed: removed.data?.status,
    gone: gone.error?.code,
  };
}
`;

const RIGHT = 'as it is';
const MISTAKES = [
  ["moduleShape: 'dots'", "moduleShape: 'hearts'"],
  ["type: 'link'", "type: 'lnik'"],
  ['data.name', 'data.nmae'],
  ["'/api/v1/codes', { params", "'/api/v1/code', { params"],
] as const;

let website: TestWebsite;
let folder: string;
let errors: Map<string, string[]>;

beforeAll(async () => {
  website = await createTestWebsite({ '/api/v1/codes/:id/:file': 'codes/programs/file-route.ts' });
  // Within the project, for its packages to be found.
  const cache = fileURLToPath(new URL('../../../../node_modules/.cache/', import.meta.url));
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'api-client-'));
  const document = await (await website.host.request('/api/v1/openapi.json')).json();
  writeFileSync(
    join(folder, 'api.d.ts'),
    astToString(await openapiTS(document, { defaultNonNullable: false })),
  );
  // Together, because the compiler then reads the document and the library only once.
  const wrong = MISTAKES.map(([right, typed]) => [typed, PROGRAM.replace(right, typed)] as const);
  errors = typeErrors(new Map([[RIGHT, PROGRAM], ...wrong]));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await website.close();
});

/** As the gateway does, sends to the website what it draws. */
async function send(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (!/\/file\.\w+$/.test(pathname)) return website.host.app.fetch(request);
  return website.browse(pathname, { headers: Object.fromEntries(request.headers) });
}

test('a generated client makes, styles, reads, draws, lists and deletes a code', async () => {
  expect(errors.get(RIGHT)).toEqual([]);
  const { outputText } = ts.transpileModule(PROGRAM, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  const file = join(folder, 'program.mjs');
  writeFileSync(file, outputText);
  const { run } = await import(/* @vite-ignore */ pathToFileURL(file).href);
  const { secret } = await makeApiKey(website.host, await website.host.account());
  expect(await run(secret, send)).toEqual({
    styled: 'dots',
    name: 'Table 7',
    file: true,
    listed: [true],
    removed: 'success',
    gone: 'code_deleted',
  });
});

test.each(MISTAKES)('a generated client refuses %s as %s', (_, wrong) => {
  expect(errors.get(wrong)).not.toEqual([]);
});

/** What the compiler says about each program, by name. */
function typeErrors(sources: Map<string, string>): Map<string, string[]> {
  const files = Array.from(sources, ([name, source], index) => {
    const file = join(folder, `program-${index}.ts`);
    writeFileSync(file, source);
    return [name, file] as const;
  });
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const program = ts.createProgram(
    files.map(([, file]) => file),
    options,
  );
  const general = [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()];
  return new Map(
    files.map(([name, file]) => {
      const diagnostics = [...general, ...ts.getPreEmitDiagnostics(program, program.getSourceFile(file))];
      return [name, diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))];
    }),
  );
}
