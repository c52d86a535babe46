import { readdirSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Call, PUBLIC_API } from '#contract/call';
import { makeApiKey } from '../support/api-keys';
import type { TestHost } from '../support/host';
import { asWebsite } from '../support/internal-key';
import { type Body, bodyOf, mutatedFields, percent, toText } from './bodies';
import { type Client, createClient, type Reply } from './client';
import { expectRequests } from './cost';
import { designs, oddHeaders } from './host-requests';
import { hostileText } from './hostile-values';
import { expectNoFaults, faultsOf } from './judgement';
import { type ListeningHost, listen } from './listening-host';
import {
  type Belongings,
  createOtherAccount,
  createPopulatedAccount,
  digestOf,
  passwordOf,
} from './other-account';
import { RULED } from './preparations';
import { type Dictionary, fieldsOf, valuesOf } from './schema-values';
import { EFFORT, SEED } from './seed';
import { fuzzBytes, fuzzPipelines } from './wire-runs';

const modules = import.meta.glob<Record<string, unknown>>('/contract/*.ts', { eager: true });
const declared = Object.values(modules).flatMap((exported) => Object.values(exported).filter(isCall));
/** Those that programs with a key find at another path are made there too. */
const calls = declared.flatMap((call) =>
  call.publicPath ? [call, { ...call, path: call.publicPath }] : [call],
);
const RUNS = 180;
/** For calls that hash a password, which takes some 40 ms if the rest of the request is valid. */
const SLOW_RUNS = 100;
const SLOW = /password|login|onboard|deleteAccount|updateProfile/i;
const OTHER_RUNS = 600;
const WIRE_RUNS = 1_500;
const PIPELINE_RUNS = 200;
const MIN_REQUESTS = 25_000;
/** Rate limits are reset after this many requests, because they would shield the code behind them. */
const REQUESTS_PER_RESET = 40;
/** Appears in all data of the bystander, an account that no request may touch. */
const MARK = 'zanzibar';
const ATTACKER = 'mallory';
const OTHER = { name: 'other', summary: '', access: 'public', errors: [] } as const;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
const VISITOR = `the key of the browser of ${ATTACKER}`;

let host: TestHost;
let listening: ListeningHost;
let client: Client;
let otherAccount: Belongings;
let own: Belongings;
let otherAccountBefore: Record<string, string>;

beforeAll(async () => {
  listening = await listen();
  host = listening.host;
  client = createClient(listening.port);
  otherAccount = await createOtherAccount(host, MARK);
  own = await createPopulatedAccount(host, ATTACKER);
  otherAccountBefore = await digestOf(host, otherAccount);
});

afterAll(async () => {
  client?.close();
  await listening?.close();
});

interface Request {
  who: 'own' | 'lapsed' | 'nobody' | 'broken';
  method: string;
  path: string;
  body: Body;
  headers: Record<string, string>;
}

/** Ids of both accounts and other values that get requests past validation. */
function dictionary(): Dictionary {
  const ids = [...own.codes, ...otherAccount.codes];
  const emails = [own.email, otherAccount.email, own.email.toUpperCase()];
  const password = [passwordOf(ATTACKER), 'correct horse battery staple', 'wrong password'];
  return {
    code: [...ids, ...own.slugs],
    codes: ids,
    ids,
    draft: [own.draft, otherAccount.draft],
    email: emails,
    visitor: [VISITOR],
    slug: ['basic_monthly', 'basic_yearly'],
    payment_intent_id: [own.paymentIntent, otherAccount.paymentIntent],
    password,
    currentPassword: password,
    newPassword: password,
    confirmPassword: password,
    country: ['FR', 'DE', 'US', 'GP'],
    zip_code: ['75011', '97110'],
    postal_code: ['75011', '10115'],
    locale: ['gb', 'de'],
    timeZone: ['Europe/Paris', 'UTC'],
    isPublic: ['true', 'false'],
    fields: designs,
    parameters: designs,
  };
}

const idsInPath: Record<string, () => string[]> = {
  '/api/account/billing-addresses/{id}': () => [own.address, otherAccount.address],
  '/api/account/sessions/{id}': () => [own.session, otherAccount.session],
  '/api/drafts/{id}': () => [own.draft, otherAccount.draft],
  '/api/styles/{id}': () => [own.style, otherAccount.style],
  '/api/jobs/{id}': () => [...own.jobs, ...otherAccount.jobs],
  '/api/imports/{id}': () => [own.import, otherAccount.import],
  '/api/account/passkeys/{id}': () => [own.passkey, otherAccount.passkey],
  '/api/account/identities/{id}': () => [own.google, otherAccount.google],
  '/api/account/declarations/{id}': () => [own.declaration, otherAccount.declaration],
  '/api/account/orders/{id}': () => [own.order, otherAccount.order],
  '/api/qrcodes/{id}': () => [...own.codes, ...otherAccount.codes],
  '/api/invoices/{file}': () => [own.invoice, otherAccount.invoice],
  '/api/v1/codes/{id}': () => [...own.codes, ...otherAccount.codes],
  '/api/v1/looks/{id}': () => [own.style, otherAccount.style],
  '/api/v1/jobs/{id}': () => [...own.jobs, ...otherAccount.jobs],
  '/api/v1/imports/{id}': () => [own.import, otherAccount.import],
  '/{code}': () => own.slugs,
};

function requestsOf(call: Call): fc.Arbitrary<Request> {
  const known = dictionary();
  const kind = Object.keys(idsInPath).find((start) => call.path.includes(start));
  const ids = kind ? (idsInPath[kind]?.() ?? []) : [];
  const params = call.params ? Object.keys(fieldsOf(call.params)) : [];
  const inPath = fc.oneof(
    { weight: 6, arbitrary: ids.length > 0 ? fc.constantFrom(...ids) : hostileText },
    { weight: 2, arbitrary: hostileText.map(percent) },
    { weight: 1, arbitrary: fc.constantFrom('%', '%ff', '%00', '%2e%2e', '..;', '%u0041') },
    ...(call.params
      ? [
          {
            weight: 2,
            arbitrary: valuesOf(call.params, known).map((value) =>
              percent(String(Object.values(value as object)[0])),
            ),
          },
        ]
      : []),
  );
  const query = fc.oneof(
    { weight: call.query ? 6 : 1, arbitrary: queriesOf(call, known) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('?', '?%', '?&&==', '?a=%ff&__proto__=1&constructor', '?a[]=1&a[b]=2'),
    },
    { weight: call.query ? 1 : 12, arbitrary: fc.constant('') },
  );
  const input = call.form ?? call.body;
  return fc.record({
    who: fc.oneof(
      { weight: 20, arbitrary: fc.constant('own' as const) },
      { weight: 1, arbitrary: fc.constantFrom('lapsed' as const, 'nobody' as const, 'broken' as const) },
    ),
    method: fc.oneof(
      { weight: 30, arbitrary: fc.constant<string>(call.method) },
      { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
    ),
    path: fc
      .tuple(fc.array(inPath, { minLength: params.length, maxLength: params.length }), query, fc.nat(3))
      .map(([values, search, one]) => {
        let place = 0;
        // A rule that the code has: `prepare` gives it one.
        const path = one === 0 ? call.path : call.path.replace('{rule}', '1');
        return path.replace(/\{\w+\}/g, () => values[place++] ?? '') + search;
      }),
    body: input
      ? bodyOf(call.form ? 'multipart' : 'json', mutatedFields(valuesOf(input, known)))
      : fc.oneof(
          { weight: 8, arbitrary: fc.constant({ bytes: null, headers: {} }) },
          { weight: 1, arbitrary: bodyOf('json', mutatedFields(fc.constant({}))) },
        ),
    headers: fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: oddHeaders }),
  });
}

function queriesOf(call: Call, known: Dictionary): fc.Arbitrary<string> {
  return mutatedFields(call.query ? valuesOf(call.query, known) : fc.constant({})).map(
    (fields) => `?${fields.map(([name, value]) => `${percent(name)}=${percent(toText(value))}`).join('&')}`,
  );
}

function runs(number: number) {
  return { seed: SEED, numRuns: Math.ceil(number * EFFORT), endOnFailure: true };
}

let count = 0;

async function send(request: Request): Promise<Reply> {
  count += 1;
  if (count % REQUESTS_PER_RESET === 0) await host.db.orm.execute(sql`delete from rate_limits`);
  const { who, method, path, body, headers } = request;
  const token = {
    own: path.startsWith(PUBLIC_API) ? own.key : own.token,
    lapsed: own.lapsed.token,
    nobody: '',
    broken: `${own.token.slice(0, -4)}AAAA`,
  }[who];
  const hasBody = body.bytes !== null && method !== 'GET' && method !== 'HEAD' && method !== 'TRACE';
  // Mostly visitors of one of our websites; every fifth request comes directly from this machine.
  const visitor = { ...asWebsite, 'x-client-ip': `198.51.${count % 100}.${count % 250}` };
  return client.send({
    method,
    path: path.replace(/[^\x21-\x7e]/g, (letter) => percent(letter)),
    headers: {
      ...(count % 5 > 0 && visitor),
      ...body.headers,
      ...headers,
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: hasBody ? body.bytes : null,
  });
}

/** Sends a request and checks its response for faults. */
async function check(request: Request): Promise<void> {
  const got = await send(request);
  // The mailbox contains the bystander's mails, too, but only this machine may read it.
  const secrets = request.path.startsWith('/mailbox') ? [] : [MARK];
  expectNoFaults(request, got, faultsOf(got, secrets));
  // If the request ended the session, continue with a new account.
  if (got.status !== 401 || request.who !== 'own' || (await isSignedIn())) return;
  const account = await host.account();
  const { id, email, token } = account;
  own = { ...own, accountId: id, email, token, key: (await makeApiKey(host, account)).secret };
}

async function isSignedIn(): Promise<boolean> {
  return (await host.request('/api/account/profile', { token: own.token })).status === 200;
}

/** Restores the attacker's account and codes if earlier requests deleted them. */
async function prepare(): Promise<void> {
  await host.db.orm.execute(sql`delete from rate_limits`);
  if (!(await isSignedIn())) own = await createPopulatedAccount(host, ATTACKER);
  const codes = await Promise.all([host.code(own.accountId), host.code(own.accountId, { routing: RULED })]);
  own.codes = [...own.codes.slice(0, 4), ...codes.map(({ id }) => id)];
  own.slugs = [...own.slugs.slice(0, 4), ...codes.map(({ slug }) => slug)];
}

test.each(calls.map((call) => [`${call.method} ${call.path}`, call] as const))(
  '%s handles hostile requests cleanly and does not touch the data of another account',
  async (_, call) => {
    await prepare();
    await fc.assert(fc.asyncProperty(requestsOf(call), check), runs(SLOW.test(call.name) ? SLOW_RUNS : RUNS));
    await host.recorder.idle();
    expect(await digestOf(host, otherAccount)).toEqual(otherAccountBefore);
  },
);

test('routes outside the contract handle hostile requests cleanly', async () => {
  const inContract = new Set(calls.map(({ path }) => path.replace(/\{(\w+)\}/g, ':$1')));
  const paths = [...new Set(host.app.routes.map(({ path }) => path))].filter((path) => !inContract.has(path));
  const calling = paths.map((path): Call => {
    const params = z.object(
      Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name, z.string()])),
    );
    const named = path.replace(/:(\w+)/g, '{$1}').replaceAll('*', '') as Call['path'];
    return { ...OTHER, method: 'POST', path: named, params, body: z.record(z.string(), z.string()) };
  });
  expect(calling.length).toBeGreaterThan(5);
  const requests = fc.oneof(
    ...[...calling, ...calling.map((call) => ({ ...call, method: 'GET' as const }))].map(requestsOf),
  );
  await fc.assert(fc.asyncProperty(requests, check), runs(OTHER_RUNS));
  expect(await digestOf(host, otherAccount)).toEqual(otherAccountBefore);
});

test('malformed HTTP is refused cleanly', async () => {
  const paths = [
    '/',
    '/api/plans',
    '/api/login_check',
    '/livez',
    `/r/${own.slugs[0]}`,
    '/openapi.json',
    '/mailbox',
  ];
  await fuzzBytes(client, paths, WIRE_RUNS);
  await host.recorder.idle();
});

test('requests sent together are answered in order, and abandoned ones leave nothing open', async () => {
  const paths = ['/livez', '/api/plans', '/nothing', '/openapi.json', `/b/${own.slugs[0]}`];
  await fuzzPipelines(client, paths, PIPELINE_RUNS, () => readdirSync('/dev/fd').length);
});

test('enough requests were sent', () => {
  expectRequests(client.sent(), MIN_REQUESTS);
});

function isCall(value: unknown): value is Call {
  return (
    typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value
  );
}
