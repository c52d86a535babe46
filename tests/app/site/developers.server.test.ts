import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SaxesParser } from 'saxes';
import sharp from 'sharp';
import ts from 'typescript';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { EXPORT_LIMIT } from '#contract/exports';
import * as limits from '#host/codes/limits';
import { CALLS_PER_KEY } from '#host/http/key-calls';
import { headersOf } from '#host/webhooks/message';
import { makeApiKey } from '../../support/api-keys';
import { freePort } from '../../support/free-port';
import { hostAddress } from '../../support/host-server';
import { createTestWebsite, type TestWebsite } from '../../support/website';

const run = promisify(execFile);
let website: TestWebsite;
let key: string;
let folder: string;

beforeAll(async () => {
  website = await createTestWebsite(
    {
      '/developers': 'site/developers/guide-page.tsx',
      '/developers.md': 'site/developers/guide-text-route.ts',
      '/developers/reference': 'site/developers/reference-page.tsx',
      '/developers/reference.md': 'site/developers/reference-text-route.ts',
      '/developers/errors': 'site/errors-page.tsx',
      '/developers/errors.md': 'site/developers/errors-text-route.ts',
      '/developers/changelog': 'site/developers/changelog-page.tsx',
      '/developers/changelog.md': 'site/developers/changelog-text-route.ts',
      '/developers/changelog.atom': 'site/developers/changelog-feed-route.ts',
      '/llms.txt': 'site/developers/llms-route.ts',
      '/api/v1/codes/:id/:file': 'codes/programs/file-route.ts',
    },
    sendDrawn,
  );
  folder = await mkdtemp(join(tmpdir(), 'examples-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await website.close();
});

/** As the gateway does, sends to the website what it draws. */
async function sendDrawn(request: Request, pass: () => Promise<Response>): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  if (!/\/file\.\w+$/.test(pathname)) return pass();
  return website.browse(pathname + search, { headers: Object.fromEntries(request.headers) });
}

const read = async (path: string) => (await website.browse(path)).text();

test('the reference has every call of the released document', async () => {
  const markdown = await read('/developers/reference.md');
  const { paths } = await (await website.host.request('/api/v1/openapi.json')).json();
  const titles = Object.entries(paths as Record<string, object>).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `## ${path} ${method.toUpperCase()}`),
  );
  expect([...markdown.matchAll(/^## \/.*$/gm)].map(String).sort()).toEqual(titles.sort());
});

test.each([
  ['/api/v1/codes POST', 'logo.kind', 'One of `none`, `preset`, `upload`.'],
  ['/api/v1/codes POST', 'logo.name', 'With `kind` `preset`. The `file` of a logo preset.'],
  ['/api/v1/codes POST', 'logo.name', 'With `kind` `upload`. As it may be read; changes nothing.'],
  ['/api/v1/codes POST', 'logo.id', 'With `kind` `upload`.'],
  ['/api/v1/codes POST', 'tags', 'At most 10 items. Each at most 30 characters.'],
  ['/api/v1/codes POST', 'content', 'At most 255 characters.'],
  ['/api/v1/codes POST', 'style', '[Style](#schema-Style)'],
  ['/api/v1/codes GET', 'limit', '1 to 100.'],
  ['/api/v1/codes/{id}/rules POST', 'systems', 'Any of `ios`, `android`, `other`.'],
  ['/api/v1/codes/{id}/rules POST', 'weekdays', '1 is Monday, 7 Sunday'],
  ['/api/v1/codes/{id}/rules POST', 'countries', 'ISO 3166-1 in capitals'],
  ['/api/v1/codes/{id}/rules POST', 'from', '`HH:MM`'],
  ['/api/v1/codes/{id}/rules POST', 'startsOn', 'string (date) or null'],
  ['/api/v1/codes/{id}/rules POST', 'variants[].percent', '1 to 100.'],
  ['/api/v1/jobs POST', 'retarget.kind', 'One of `set`, `replace`, `campaign`.'],
  ['/api/v1/jobs POST', 'retarget.find', 'With `kind` `replace`.'],
  ['/api/v1/jobs POST', 'ids', '1 to 100 items.'],
  ['/api/v1/webhooks POST', 'events', '`code.first_visit`'],
  ['Style', 'moduleShape', 'One of `'],
])('the reference of %s says of %s: %s', async (title, field, about) => {
  const [, section = ''] = (await read('/developers/reference.md')).split(`\n## ${title}\n`);
  const row = section
    .split('\n## ')[0]
    ?.split('\n')
    .find((line) => line.startsWith(`| \`${field}\` |`));
  expect(row).toContain(about);
});

test('the reference stays small enough to be read on the way', async () => {
  expect((await read('/developers/reference')).length).toBeLessThan(550_000);
});

test.each([
  ['/developers', 50],
  ['/developers/reference', 50],
  ['/developers/errors', 15],
  ['/developers/changelog', 4],
])('%s says the same as its Markdown', async (path, least) => {
  const [html, markdown] = [textOf(await read(path)), await read(`${path}.md`)];
  const lines = markdown
    .replace(/^```.*$/gm, '')
    .split(/\n|(?<!\\)\|/)
    .map((line) =>
      plain(
        line
          .replace(/^#+ |:$/g, '')
          .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
          .replace(/`([^`\n]*)`/g, '$1'),
      ),
    )
    .filter((line) => /\w/.test(line));
  expect(lines.length).toBeGreaterThan(least);
  expect(lines.filter((line) => !html.includes(line))).toEqual([]);
});

test('the feed has every change, and is well-formed', async () => {
  const feed = await read('/developers/changelog.atom');
  const root = parseXml(feed);
  expect(root).toBe('feed');
  const entries = [...feed.matchAll(/<id>(.*?)<\/id>/g)].slice(1).map(([, id]) => id);
  const page = await read('/developers/changelog');
  const sections = [...page.matchAll(/<h2 id="([\w-]+)"[^>]*>(\d{4}-\d\d-\d\d): /g)];
  expect(entries).toEqual(sections.map(([, id]) => `http://localhost/developers/changelog#${id}`));
  expect(new Set(entries).size).toBe(entries.length);
  const days = sections.map(([, , day]) => day);
  expect(days).toEqual([...days].sort().reverse());
});

test('assistants find the pages', async () => {
  const text = await read('/llms.txt');
  expect(text).toContain('http://localhost/developers/reference.md');
});

test('every example of the guide and the reference works', async () => {
  const examples = [
    ...examplesIn(await read('/developers.md')),
    ...examplesIn(await read('/developers/reference.md')),
  ];
  expect(new Set(examples.map(({ language }) => language))).toEqual(new Set(['sh', 'ts', 'python']));
  expect(examples.length).toBeGreaterThan(90);
  await writeFile(join(folder, 'codes.csv'), 'type,content\nlink,https://a.example/\n');
  await writeFile(join(folder, 'logo.png'), await picture());
  const prepared: Example[] = [];
  for (const { language, code } of examples) {
    // So that keys are not made too often.
    website.host.clock.advance(60_000);
    key = (await makeApiKey(website.host, await website.host.account())).secret;
    const things = await thingsFor(code);
    const source = Object.entries(things).reduce((text, [name, id]) => text.replaceAll(name, id), code);
    prepared.push({ language, code: source.replaceAll('http://localhost', await hostAddress()), key });
  }
  await execute(prepared);
}, 300_000);

const SIGNING_SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, ab').toString('base64')}`;

test('every example that verifies a message accepts ours and refuses others', async () => {
  const found = [...(await read('/developers.md')).matchAll(/^```(\w+)\n(.*?)\n```$/gms)];
  const verifying = found.filter(([, , code = '']) => code.includes('WEBHOOK_SECRET'));
  expect(verifying.map(([, language]) => language)).toEqual(['ts', 'python', 'sh']);
  const body = '{"type":"test","data":{"name":"Café"}}';
  const headers = headersOf({ id: 'msg_1', body }, [SIGNING_SECRET, `whsec_${'A'.repeat(43)}=`], new Date());
  for (const [, language = '', code = ''] of verifying) {
    const accepts = language === 'sh' ? acceptsInShell(code) : await startReceiver(language, code);
    expect([language, await accepts(headers, body)]).toEqual([language, true]);
    expect([language, await accepts(headers, body.replace('Café', 'Cafe'))]).toEqual([language, false]);
    const other = headersOf({ id: 'msg_1', body }, [`whsec_${'B'.repeat(43)}=`], new Date());
    expect([language, await accepts(other, body)]).toEqual([language, false]);
  }
}, 60_000);

type Accepts = (headers: Record<string, string>, body: string) => Promise<boolean>;

function acceptsInShell(code: string): Accepts {
  return async (headers, body) => {
    await writeFile(join(folder, 'body.json'), body);
    const named = Object.entries(headers).map(([name, value]) => [
      name.toUpperCase().replaceAll('-', '_'),
      value,
    ]);
    const env = { ...process.env, ...Object.fromEntries(named), WEBHOOK_SECRET: SIGNING_SECRET };
    return run('/bin/sh', ['-c', code], { cwd: folder, env }).then(
      () => true,
      () => false,
    );
  };
}

async function startReceiver(language: string, code: string): Promise<Accepts> {
  const port = await freePort();
  const source = code.replace('8080', String(port));
  const [program, ...given] =
    language === 'python'
      ? ['python3', '-c', source]
      : [process.execPath, '--input-type=module', '-e', javaScriptOf(source)];
  const receiver = spawn(program, given, {
    env: { ...process.env, WEBHOOK_SECRET: SIGNING_SECRET },
    stdio: 'ignore',
  });
  onTestFinished(() => {
    receiver.kill();
  });
  const post = (headers: Record<string, string>, body: string) =>
    fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
  await expect
    .poll(
      () =>
        post({}, '').then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 10_000 },
    )
    .toBe(401);
  return async (headers, body) => (await post(headers, body)).status === 204;
}

test('an example that the API refuses ends with an error', async () => {
  const [first] = examplesIn(await read('/developers.md'));
  const wrong = (first?.code ?? '')
    .replace('http://localhost', await hostAddress())
    .replace('"link"', '"lnik"');
  const broken = { sh: wrong, ts: 'await fetch("/api/v1/codes");', python: 'raise SystemExit("refused")' };
  for (const [language, code] of Object.entries(broken))
    await expect(execute([{ language, code, key }])).rejects.toThrow(code);
  const early = { ts: 'process.exit(0);', python: 'raise SystemExit(0)' };
  for (const [language, code] of Object.entries(early))
    await expect(execute([{ language, code, key }])).rejects.toThrow(language);
});

/** The name of the root; throws for what is not well-formed. */
function parseXml(xml: string): string {
  const names: string[] = [];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name }) => names.push(name));
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(xml).close();
  return names[0] ?? '';
}

interface Example {
  language: string;
  code: string;
  key: string;
}

function examplesIn(markdown: string): Omit<Example, 'key'>[] {
  const found = [...markdown.matchAll(/^```(\w+)\n(.*?)\n```$/gms)];
  return found
    .map(([, language = '', code = '']) => ({ language, code }))
    .filter(({ code }) => code.includes('/api/v1/') && !code.startsWith('npx'));
}

const ALL_RAN = 'every example has run';

/** One program for each language runs all of its examples, as starting it takes longer than most of them. */
const RUNNERS: Record<string, (file: string) => [program: string, given: string[]]> = {
  ts: (file) => [
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { readFileSync } from 'node:fs';
for (const { code, script, key } of JSON.parse(readFileSync('${file}', 'utf8'))) {
  process.env.QUADRILLE_KEY = key;
  await import('data:text/javascript,' + encodeURIComponent(script)).catch((error) => {
    console.error(code);
    throw error;
  });
}
console.log('${ALL_RAN}');`,
    ],
  ],
  python: (file) => [
    'python3',
    [
      '-c',
      `import json, os, sys
for example in json.load(open('${file}')):
    os.environ['QUADRILLE_KEY'] = example['key']
    try:
        exec(compile(example['code'], 'example', 'exec'), {'__name__': '__main__'})
    except BaseException:
        print(example['code'], file=sys.stderr)
        raise
print('${ALL_RAN}')`,
    ],
  ],
};

/** Rejects with the first example of a language that ends with an error. */
async function execute(examples: Example[]): Promise<void> {
  for (const [language, runner] of Object.entries(RUNNERS)) {
    const own = examples.filter((example) => example.language === language);
    const sent =
      language === 'ts' ? own.map((example) => ({ ...example, script: javaScriptOf(example.code) })) : own;
    await writeFile(join(folder, `${language}.json`), JSON.stringify(sent));
    const { stdout } = await run(...runner(`${language}.json`), { cwd: folder });
    // One that ends the program with success would hide those after it.
    if (!stdout.endsWith(`${ALL_RAN}\n`)) throw new Error(`not every example in ${language} ran`);
  }
  for (const { code, key: QUADRILLE_KEY } of examples.filter(({ language }) => language === 'sh'))
    await run('/bin/sh', ['-c', code], { cwd: folder, env: { ...process.env, QUADRILLE_KEY } });
}

function javaScriptOf(code: string): string {
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  return ts.transpileModule(code, { compilerOptions }).outputText;
}

/** Makes what an example names, as each may use it up. */
async function thingsFor(code: string): Promise<Record<string, string>> {
  const things: Record<string, string> = {};
  if (/LOGO_ID|CODE_ID\/logo/.test(code))
    things.LOGO_ID = await made('logos', formOf('logo.png', await picture(), 'logo'));
  if (code.includes('CODE_ID')) {
    const logo = things.LOGO_ID && { logo: { kind: 'upload', id: things.LOGO_ID } };
    things.CODE_ID = await made('codes', { type: 'link', content: 'https://a.example/', ...logo });
  }
  if (code.includes('CODE_ID/rules/1'))
    await made(`codes/${things.CODE_ID}/rules`, {
      variants: ['https://c.example/', 'https://d.example/'].map((target) => ({ target, percent: 50 })),
    });
  if (code.includes('LOOK_ID'))
    things.LOOK_ID = await made('looks', { name: `L ${Math.random()}`, style: {} });
  if (code.includes('WEBHOOK_ID'))
    things.WEBHOOK_ID = await made('webhooks', { url: 'https://a.example.com/', events: ['code.created'] });
  if (code.includes('DELIVERY_ID')) things.DELIVERY_ID = await made(`webhooks/${things.WEBHOOK_ID}/test`, {});
  const rows = `type,content\nlink,https://b.example/${Math.random()}\n`;
  if (/IMPORT_ID|JOB_ID\/codes/.test(code))
    things.IMPORT_ID = await made('imports', formOf('codes.csv', rows, 'file'));
  if (code.includes('JOB_ID/codes')) things.JOB_ID = await made(`imports/${things.IMPORT_ID}/start`, {});
  else if (code.includes('JOB_ID'))
    things.JOB_ID = await made('jobs', { act: 'archive', filter: { tag: 'None' } });
  return things;
}

test('the guide has the limits that hold', async () => {
  const guide = await (await website.browse('/developers.md')).text();
  const has = ({ points }: { points: number }, what: string) =>
    expect(guide).toContain(`${points.toLocaleString('en')} ${what}`);
  has(CALLS_PER_KEY, 'calls a minute');
  has(limits.CREATIONS_PER_ACCOUNT, 'codes by single calls an hour');
  has(limits.BATCHES_PER_ACCOUNT, 'batches');
  has(limits.CHANGES_PER_ACCOUNT, 'changes');
  has(limits.BULK_ACTS_PER_ACCOUNT, 'jobs');
  has(limits.IMPORTS_PER_ACCOUNT, 'imported files');
  has(limits.STARTED_IMPORTS_PER_ACCOUNT, 'started imports');
  has(limits.UPLOADS_PER_ACCOUNT, 'uploaded logos');
  expect(guide).toContain(`${EXPORT_LIMIT.files} CSV files in ${EXPORT_LIMIT.seconds / 60} minutes`);
});

async function made(path: string, sent: object | FormData): Promise<string> {
  const body = sent instanceof FormData ? sent : JSON.stringify(sent);
  const answer = await website.host.request(`/api/v1/${path}`, { method: 'POST', token: key, body });
  const { data } = await answer.json();
  return data.id;
}

function formOf(name: string, content: string | Buffer<ArrayBuffer>, field: string): FormData {
  const form = new FormData();
  form.set(field, new File([new Blob([content])], name));
  return form;
}

async function picture(): Promise<Buffer<ArrayBuffer>> {
  const background = { r: Math.floor(Math.random() * 256), g: 90, b: 20 };
  const drawn = sharp({ create: { width: 64, height: 64, channels: 3, background } }).png();
  return Buffer.from(new Uint8Array(await drawn.toBuffer()));
}

function textOf(html: string): string {
  return plain(
    html
      .replace(/<[^>]*>/g, '')
      .replaceAll('&quot;', '"')
      .replaceAll('&#x27;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  );
}

function plain(text: string): string {
  return text.replace(/[\\`]/g, '').replace(/\s+/g, ' ').trim();
}
