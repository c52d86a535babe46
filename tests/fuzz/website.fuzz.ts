import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestHost } from '../support/host';
import { INTERNAL_SECRET } from '../support/internal-key';
import { type Body, bodyOf, type Fields, mutatedFields, percent } from './bodies';
import { type BuiltWebsite, startBuiltWebsite } from './built-website';
import { type Belongings, createPopulatedAccount, digestOf, passwordOf } from './bystander';
import { type Client, createClient, type Reply } from './client';
import { hostileText } from './hostile-values';
import { type Form, formsIn } from './html-forms';
import { expectNoFaults, faultsOf } from './judgement';
import { type ListeningHost, listen } from './listening-host';
import { EFFORT, SEED } from './seed';
import { endings, oddHeaders, searches } from './website-requests';
import { parseResponse, wireRequests } from './wire';

const routes = Object.keys(import.meta.glob('/app/routes/*')).map(pathOfRoute);
const PAGE_RUNS = 45;
const FORM_RUNS = 60;
/** For routes that draw codes, which are slower. */
const DRAWING_RUNS = 20;
const DRAWING = /create|receipt|download|drafts|logo/;
const WIRE_RUNS = 500;
const MIN_REQUESTS = 5_000;
const REQUESTS_PER_RESET = 20;
const MARK = 'zanzibar';
const ATTACKER = 'mallory';

let host: TestHost;
let listening: ListeningHost;
let website: BuiltWebsite;
let client: Client;
let bystander: Belongings;
let bystanderBefore: Record<string, string>;
let own: Belongings;
let cookie: string;

beforeAll(async () => {
  listening = await listen();
  host = listening.host;
  host.clock.now = () => new Date();
  website = await startBuiltWebsite(`http://127.0.0.1:${listening.port}`, {
    DATA_DIR: host.deps.visits.folder,
    INTERNAL_SECRET,
  });
  client = createClient(website.port);
  bystander = await createPopulatedAccount(host, MARK);
  await host.recorder.idle();
  bystanderBefore = await digestOf(host, bystander);
});

afterAll(async () => {
  client?.close();
  await website?.stop();
  await listening?.close();
});

interface Request {
  isSignedIn: boolean;
  method: string;
  path: string;
  body: Body;
  headers: Record<string, string>;
}

/** The path of a route file according to the conventions of `@remix-run/fs-routes`. */
function pathOfRoute(file: string): string {
  const name = file.replace(/^.*\/([^/]+)\.tsx?$/, '$1');
  const segments = name.replaceAll('[.]', '\u0001').split('.');
  return `/${segments
    .filter((segment) => segment !== '_index')
    .map((segment) => segment.replace(/_$/, '').replaceAll('\u0001', '.'))
    .join('/')}`;
}

function valuesInPath(path: string, name: string): string[] {
  if (path.includes('addresses')) return [own.address, bystander.address];
  if (path.includes('drafts')) return [own.draft, bystander.draft];
  if (path.includes('qrcodes')) return [...own.codes, ...bystander.codes];
  const values: Record<string, string[]> = {
    code: own.slugs,
    act: ['write', 'open'],
    slug: ['basic_monthly', 'basic_yearly'],
    locale: ['gb', 'de'],
    file: [own.invoice, bystander.invoice, 'heart.svg', 'common.0.json'],
  };
  return values[name] ?? ['no-such-page'];
}

/** Fills a field that was rendered empty with a valid value, chosen by its name. */
function fillIfEmpty([name, value]: Fields[number]): Fields[number] {
  if (value) return [name, value];
  const values: Record<string, string> = {
    ...{ email: own.email, address: 'https://example.org/', content: 'https://example.org/', data: 'hello' },
    ...{
      name: 'Mallory',
      firstname: 'Mallory',
      lastname: 'Smith',
      subject: 'Hello',
      message: 'A longer message',
    },
    ...{ street: '1 rue du Papier', city: 'Paris', postal_code: '75011', zip_code: '75011', country: 'FR' },
    ...{ password: passwordOf(ATTACKER), currentPassword: passwordOf(ATTACKER) },
  };
  return [name, values[name] ?? value];
}

const noBody = fc.constant<Body>({ bytes: null, headers: {} });

function requestsTo(route: string, form?: Form): fc.Arbitrary<Request> {
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
  return fc.record({
    isSignedIn: fc.oneof(
      { weight: 12, arbitrary: fc.constant(true) },
      { weight: 2, arbitrary: fc.constant(false) },
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
      ? bodyOf(form.kind, mutatedFields(fc.constant(Object.fromEntries(form.fields.map(fillIfEmpty)))))
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
  const cookies = [isSignedIn ? cookie : '', headers.cookie ?? ''].filter(Boolean).join('; ');
  return client.send({
    method,
    path: path.replace(/[^\x21-\x7e]/g, (letter) => percent(letter)),
    headers: {
      ...{
        host: `localhost:${website.port}`,
        accept: 'text/html',
        'x-forwarded-for': `198.51.100.${count % 250}`,
      },
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

/** Signs in through the form as a new account with data of every kind. */
async function signIn(): Promise<void> {
  own = await createPopulatedAccount(host, ATTACKER);
  const fields: Fields = [
    ['email', own.email],
    ['password', passwordOf(ATTACKER)],
  ];
  const got = await client.send({
    ...{ method: 'POST', path: '/login' },
    headers: { host: `localhost:${website.port}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(fields.map(([name, value]) => `${name}=${percent(String(value))}`).join('&')),
  });
  const set = [got.headers['set-cookie'] ?? []].flat().find((line) => line.startsWith('session='));
  cookie = set?.split(';')[0] ?? '';
  expect(cookie, got.text).toMatch(/^session=./);
}

const asOwner = (path: string): Request => ({
  ...{ isSignedIn: true, method: 'GET', path, body: { bytes: null, headers: {} }, headers: {} },
});

async function prepare(): Promise<void> {
  const isThere = async (path: string) => (await send(asOwner(path))).status === 200;
  const isWhole =
    cookie !== undefined &&
    (await isThere('/user/dashboard')) &&
    (await isThere(`/user/settings/addresses/${own.address}`));
  if (!isWhole) await signIn();
  const codes = await Promise.all([host.code(own.accountId), host.code(own.accountId)]);
  own.codes = [...codes.map(({ id }) => id), ...own.codes.slice(0, 4)];
  own.slugs = [...codes.map(({ slug }) => slug), ...own.slugs.slice(0, 4)];
}

/** Forms already fuzzed, as those that appear on every page are sent only once. */
const seen = new Set<string>();

test.each(routes)('%s and its forms handle hostile requests cleanly', async (route) => {
  await prepare();
  const page = route.replace(/\$(\w*)/g, (_, name) => valuesInPath(route, name)[0] ?? '');
  // Read the pages first, as random requests may end the session or delete what the page shows.
  const shown = [await send(asOwner(page)), await send({ ...asOwner(page), isSignedIn: false })];
  const numRuns = (usual: number) => Math.ceil((DRAWING.test(route) ? DRAWING_RUNS : usual) * EFFORT);
  const options = { seed: SEED, endOnFailure: true };
  await fc.assert(fc.asyncProperty(requestsTo(route), check), { ...options, numRuns: numRuns(PAGE_RUNS) });
  for (const form of shown.flatMap(({ text }) => formsIn(text))) {
    const action = form.action || page;
    const name = `${form.method} ${action.split('?')[0]} ${form.fields.map(([field]) => field).join()}`;
    if (seen.has(name)) continue;
    seen.add(name);
    await prepare();
    // A form that posts to this page is also sent to the route's other parameter values.
    const target = action.split('?')[0] === page ? route : action;
    await fc.assert(fc.asyncProperty(requestsTo(target, form), check), {
      ...options,
      numRuns: numRuns(FORM_RUNS),
    });
  }
  await host.recorder.idle();
  expect(await digestOf(host, bystander)).toEqual(bystanderBefore);
});

test('malformed HTTP is refused cleanly', async () => {
  const property = fc.asyncProperty(
    wireRequests(['/', '/login', '/user/qrcodes', '/livez', `/r/${own.slugs[0]}`]),
    async (text) => {
      const got = parseResponse(await client.sendBytes(Buffer.from(text, 'latin1')));
      if (got) expectNoFaults({ text }, got, faultsOf(got, []));
    },
  );
  await fc.assert(property, { seed: SEED, endOnFailure: true, numRuns: Math.ceil(WIRE_RUNS * EFFORT) });
});

test(`at least ${MIN_REQUESTS} requests were sent, to more than 30 forms`, () => {
  expect(client.sent()).toBeGreaterThanOrEqual(EFFORT < 1 ? 1 : MIN_REQUESTS);
  expect(seen.size).toBeGreaterThan(30);
});
