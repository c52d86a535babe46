import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import routes from '~/routes';
import type { TestHost } from '../support/host';
import { INTERNAL_SECRET } from '../support/internal-key';
import { type Body, bodyOf, type Fields, mutatedFields, percent } from './bodies';
import { type BuiltWebsite, startBuiltWebsite } from './built-website';
import { type Client, createClient, type Reply } from './client';
import { expectRequests } from './cost';
import { fillIfEmpty } from './filled-fields';
import { hostileText } from './hostile-values';
import { type Form, formsIn } from './html-forms';
import { expectNoFaults, faultsOf } from './judgement';
import { type ListeningHost, listen } from './listening-host';
import {
  type Belongings,
  createOtherAccount,
  createPopulatedAccount,
  digestOf,
  passwordOf,
} from './other-account';
import { type Entry, FORMS_IN_STATES, type State, statesOf, UNSHOWN_FORMS } from './page-states';
import { EFFORT, SEED } from './seed';
import { endings, oddHeaders, searches } from './website-requests';
import { fuzzBytes, fuzzPipelines } from './wire-runs';

/** The path of every route, with `$` before the names of its parameters. */
const paths = routes.map(({ path = '' }) => `/${path.replaceAll(':', '$').replace('*', '$')}`);
// With each page and form that is added these have to shrink, or the run outgrows its budget: every commit has another seed.
const PAGE_RUNS = 16;
const FORM_RUNS = 20;
/** For routes that draw codes, which are slower. */
const DRAWING_RUNS = 12;
const DRAWING = /create|receipt|download|check|drafts|logo/;
const WIRE_RUNS = 500;
const PIPELINE_RUNS = 100;
const REQUESTS_PER_RESET = 20;
const MARK = 'zanzibar';
const ATTACKER = 'mallory';
const NO_ENTRY: Entry = { search: '', cookie: '', secret: '' };

let host: TestHost;
let listening: ListeningHost;
let website: BuiltWebsite;
let client: Client;
let otherAccount: Belongings;
let otherAccountBefore: Record<string, string>;
let own: Belongings;
/** What `own` was before the codes that are added for every page. */
let populated: Belongings;
let cookie: string;
let entry: Entry = NO_ENTRY;

interface Request {
  isSignedIn: boolean;
  method: string;
  path: string;
  body: Body;
  headers: Record<string, string>;
}

function valuesInPath(path: string, name: string): string[] {
  if (name === 'rule') return ['1', 'new'];
  if (path.includes('addresses')) return [own.address, otherAccount.address];
  if (path.includes('drafts')) return [own.draft, otherAccount.draft];
  if (path.includes('styles')) return [own.style, otherAccount.style];
  if (path.includes('passkeys')) return [own.passkey, otherAccount.passkey];
  if (path.includes('google')) return [own.google, otherAccount.google];
  if (path.includes('import')) return [own.import, otherAccount.import];
  if (path.includes('jobs')) return [...own.jobs, ...otherAccount.jobs];
  if (path.includes('qrcodes')) return [...own.codes, ...otherAccount.codes];
  const values: Record<string, string[]> = {
    code: own.slugs,
    act: ['write', 'open'],
    slug: ['basic_monthly', 'basic_yearly'],
    locale: ['gb', 'de'],
    file: [own.invoice, otherAccount.invoice, 'heart.svg', 'common.0.json'],
  };
  return values[name] ?? ['no-such-page'];
}

const noBody = fc.constant<Body>({ bytes: null, headers: {} });

function requestsTo(route: string, form?: ShownForm): fc.Arbitrary<Request> {
  const names = [...route.matchAll(/\$(\w*)/g)].map(([, name = '']) => name);
  const values = names.map((name) =>
    fc.oneof(
      { weight: form ? 30 : 6, arbitrary: fc.constantFrom(...valuesInPath(route, name)) },
      { weight: 1, arbitrary: hostileText.map(percent) },
    ),
  );
  const [path, search = ''] = route.split('?');
  const tail = fc.oneof(
    { weight: form ? 12 : 3, arbitrary: fc.constant(search && `?${search}`) },
    { weight: form ? 1 : 4, arbitrary: searches },
    { weight: 1, arbitrary: endings },
  );
  const isPost = form?.method === 'POST';
  const known = { email: own.email, password: passwordOf(ATTACKER), secret: entry.secret };
  const fillEmptyField = (field: Fields[number]) => fillIfEmpty(field, known);
  return fc.record({
    isSignedIn: fc.oneof(
      { weight: 12, arbitrary: fc.constant(form?.isSignedIn ?? true) },
      { weight: 2, arbitrary: fc.constant(form ? !form.isSignedIn : false) },
    ),
    method: fc.oneof(
      { weight: 12, arbitrary: fc.constant(isPost ? 'POST' : 'GET') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'GET',
          'HEAD',
          'POST',
          'PUT',
          'PATCH',
          'DELETE',
          'OPTIONS',
          'TRACE',
          'PROPFIND',
        ),
      },
    ),
    path: fc.tuple(fc.tuple(...values), tail).map(([inPath, end]) => {
      let place = 0;
      return (path ?? '/').replace(/\$\w*/g, () => inPath[place++] ?? '') + end;
    }),
    body: isPost
      ? bodyOf(form.kind, mutatedFields(fc.constant(Object.fromEntries(form.fields.map(fillEmptyField)))))
      : noBody,
    headers: fc.oneof({ weight: 6, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: oddHeaders }),
  });
}

let count = 0;

async function send(request: Request): Promise<Reply> {
  count += 1;
  if (count % REQUESTS_PER_RESET === 0) await host.db.orm.execute(sql`delete from rate_limits`);
  const { isSignedIn, method, path, body, headers } = request;
  const hasBody = body.bytes !== null && method !== 'GET' && method !== 'HEAD' && method !== 'TRACE';
  const cookies = [isSignedIn ? cookie : entry.cookie, headers.cookie ?? ''].filter(Boolean).join('; ');
  return client.send({
    method,
    path: path.replace(/[^\x21-\x7e]/g, (letter) => percent(letter)),
    headers: {
      host: `localhost:${website.port}`,
      accept: 'text/html',
      'x-forwarded-for': `198.51.100.${count % 250}`,
      ...body.headers,
      ...headers,
      ...(cookies && { cookie: cookies }),
    },
    body: hasBody ? body.bytes : null,
  });
}

async function check(request: Request): Promise<void> {
  const got = await send(request);
  const faults = faultsOf(got, [MARK]);
  if (faults.length > 0) faults.push(...website.complaints.slice(-2).map((line) => line.slice(0, 1_500)));
  expectNoFaults(request, got, faults);
}

/** Posts a form as a visitor, and returns a cookie of the response as a header. */
async function post(path: string, fields: Record<string, string>, name: string): Promise<string> {
  const pairs = Object.entries(fields).map(([field, value]) => `${field}=${percent(value)}`);
  const got = await client.send({
    method: 'POST',
    path,
    body: Buffer.from(pairs.join('&')),
    headers: { host: `localhost:${website.port}`, 'content-type': 'application/x-www-form-urlencoded' },
  });
  const set = [got.headers['set-cookie'] ?? []].flat().find((line) => line.startsWith(`${name}=`));
  expect(set, got.text).toMatch(/^[\w-]+=./);
  return set?.split(';')[0] ?? '';
}

/** Signs in through the form as a new account with data of every kind. */
async function signIn(): Promise<Belongings> {
  own = await createPopulatedAccount(host, ATTACKER);
  populated = { ...own };
  cookie = await post('/login', { email: own.email, password: passwordOf(ATTACKER) }, 'session');
  return own;
}

const asOwner = (path: string): Request => ({
  isSignedIn: true,
  method: 'GET',
  path,
  body: { bytes: null, headers: {} },
  headers: {},
});

async function prepare(): Promise<void> {
  await host.db.orm.execute(sql`delete from rate_limits`);
  const isThere = async (path: string) => (await send(asOwner(path))).status === 200;
  const isWhole =
    cookie !== undefined &&
    (await isThere('/user/dashboard')) &&
    (await isThere(`/user/settings/addresses/${own.address}`)) &&
    (await isThere(`/user/styles/${own.style}`)) &&
    (await host.request('/api/account/profile', { token: own.token })).status === 200;
  if (!isWhole) await signIn();
  const codes = await Promise.all([host.code(own.accountId), host.code(own.accountId)]);
  own.codes = [...codes.map(({ id }) => id), ...populated.codes];
  own.slugs = [...codes.map(({ slug }) => slug), ...populated.slugs];
}

interface ShownForm extends Form {
  isSignedIn: boolean;
  /** Whether it posts to its own page. */
  isOwn: boolean;
}

/** Brings a page into a state in which it shows forms; returns its path with the first of its ids. */
async function enter(route: string, state: State): Promise<string> {
  // Earlier requests may have ended the session, or used up what the page is about.
  await prepare();
  entry = { ...NO_ENTRY, ...(await state({ host, own, mark: ATTACKER, post, renew: signIn })) };
  return route.replace(/\$(\w*)/g, (_, name) => valuesInPath(route, name)[0] ?? '');
}

async function showForms(route: string, state: State): Promise<ShownForm[]> {
  const page = await enter(route, state);
  const forms = (UNSHOWN_FORMS[route] ?? []).map(
    (form): ShownForm => ({ ...form, isSignedIn: route.startsWith('/user/'), isOwn: true }),
  );
  for (const isSignedIn of [true, false]) {
    const { text } = await send({ ...asOwner(page + entry.search), isSignedIn });
    for (const form of formsIn(text))
      forms.push({ ...form, isSignedIn, isOwn: [page, ''].includes(form.action.split('?')[0] ?? '') });
  }
  return forms;
}

/** Forms already fuzzed, as those that appear on every page are sent only once. */
const seen = new Set<string>();

interface Least {
  forms: number;
  requests: number;
}

/** Registers the tests of the pages whose paths are chosen, all against one website, with `others` between. */
export function fuzzPages(isFuzzed: (path: string) => boolean, least: Least, others?: () => void): void {
  beforeAll(async () => {
    listening = await listen();
    host = listening.host;
    host.clock.now = () => new Date();
    website = await startBuiltWebsite(`http://127.0.0.1:${listening.port}`, {
      DATA_DIR: host.deps.visits.folder,
      INTERNAL_SECRET,
    });
    client = createClient(website.port);
    otherAccount = await createOtherAccount(host, MARK);
    otherAccountBefore = await digestOf(host, otherAccount);
  });

  afterAll(async () => {
    client?.close();
    await website?.stop();
    await listening?.close();
  });

  test.each(paths.filter(isFuzzed))('%s and its forms handle hostile requests cleanly', async (route) => {
    const fuzz = async (target: string, usual: number, form?: ShownForm) => {
      const numRuns = Math.ceil((DRAWING.test(target) ? DRAWING_RUNS : usual) * EFFORT);
      const options = { seed: SEED, endOnFailure: true, numRuns };
      await fc.assert(fc.asyncProperty(requestsTo(target, form), check), options);
    };
    await prepare();
    await fuzz(route, PAGE_RUNS);
    for (const state of statesOf(route)) {
      for (const form of await showForms(route, state)) {
        const [path, search] = form.action.split('?');
        const fields = form.fields
          .filter(([field]) => field !== 'formId')
          .map(([field, value]) => (field === 'intent' ? value : field))
          .join();
        const name = `${form.method} ${form.isOwn ? route : path} ${fields}`;
        if (seen.has(name)) continue;
        seen.add(name);
        await enter(route, state);
        // A form that posts to its page is also sent to the route's other parameter values.
        const target = form.isOwn ? route + (entry.search || (search ? `?${search}` : '')) : form.action;
        await fuzz(target, FORM_RUNS, form);
      }
    }
    entry = NO_ENTRY;
    await host.recorder.idle();
    expect(await digestOf(host, otherAccount)).toEqual(otherAccountBefore);
  });

  others?.();

  test('pages showed their forms in every state', () => {
    const sent = [...seen].join('\n');
    for (const form of FORMS_IN_STATES.filter(isFuzzed)) expect(sent).toContain(form);
  });

  test(`enough requests were sent, to more than ${least.forms} forms`, async () => {
    expect(seen.size).toBeGreaterThan(least.forms);
    client.close();
    expectRequests(client.sent(), least.requests, await website.stop());
  });
}

/** Registers tests of what is sent over a connection. */
export function fuzzConnections(): void {
  test('malformed HTTP is refused cleanly', async () => {
    const paths = ['/', '/login', '/user/qrcodes', '/livez', `/r/${own.slugs[0]}`];
    await fuzzBytes(client, paths, WIRE_RUNS);
  });

  test('requests sent together are answered in order, and abandoned ones leave nothing open', async () => {
    const paths = ['/livez', '/favicon.svg', '/screenshot.png', '/user/qrcodes', `/b/${own.slugs[0]}`];
    await fuzzPipelines(client, paths, PIPELINE_RUNS, website.openFiles);
  });
}
