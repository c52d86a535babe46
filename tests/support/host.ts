import { randomBytes, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { and, isNull, lte } from 'drizzle-orm';
import pino from 'pino';
import { HOUR_MS } from '#contract/time';
import { hashingTasks } from '#host/accounts/hashing';
import { createPasswords } from '#host/accounts/passwords';
import { createAccount, grantAccess } from '#host/accounts/store';
import { createApp } from '#host/app';
import { insertCode, type NewCode } from '#host/codes/code/create';
import { makeSlug } from '#host/codes/code/slugs';
import type { Orm } from '#host/db/client';
import { mails } from '#host/db/mail.tables';
import type { Clock, Deps, Passwords } from '#host/http/deps';
import { createMeters } from '#host/http/meters';
import type { PaymentProvider } from '#host/http/payment-provider';
import { deliverDueMails } from '#host/mail/delivery';
import { listKeptMails } from '#host/mail/store';
import { createKeptTransport } from '#host/mail/transports';
import { createSandbox } from '#host/payment-sandbox/sandbox';
import { processLinkRequests } from '#host/sign-in/link-requests';
import { createSession } from '#host/sign-in/sessions';
import { signToken } from '#host/sign-in/tokens';
import { runBilling } from '#host/subscriptions/billing-work';
import { endWithAccount } from '#host/subscriptions/contract/ending';
import { NO_COUNTRIES } from '#host/visits/receive/countries';
import { VisitRecorder } from '#host/visits/receive/recorder';
import { createProxyCheck } from '#runtime/client-address';
import { openFresh } from './fresh-database';
import { asWebsite, INTERNAL_KEYS } from './internal-key';

/** Default user agent of calls; without one, visits would be classified as a bot's. */
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1';
const PASSWORD = 'correct horse battery staple';
/** Initial time of every test host's clock. */
export const START = new Date('2026-03-02T10:00:00.000Z');

export interface TestAccount {
  id: string;
  email: string;
  password: string;
  token: string;
}

export interface TestClock extends Clock {
  set(date: Date): void;
  advance(ms: number): void;
}

type Overrides = Partial<Omit<Deps, 'settings' | 'clock' | 'payments'>> & {
  settings?: Partial<Deps['settings']>;
  clock?: TestClock;
  /** Base URL at which browsers reach the sandbox's pages. */
  hostUrl?: string;
  /** Wraps the sandbox, for example to lose its responses. */
  payments?: (sandbox: PaymentProvider) => PaymentProvider;
};
export type TestHost = Awaited<ReturnType<typeof createTestHost>>;

/** With the cheapest hashing parameters. */
const passwords = createPasswords({ memoryCost: 8, timeCost: 1 }, hashingTasks);
const hashes = new Map<Passwords, Promise<string>>();

/**
 * The whole host on an empty, migrated database, or on `db` if given. The clock is set to 2 March 2026, 10:00 UTC until a test moves it. `close()` flushes the visits and closes the database.
 */
export async function createTestHost(overrides: Overrides = {}) {
  const clock = overrides.clock ?? createTestClock(START);
  const db = overrides.db ?? (await openFresh());
  await db.migrate();
  const environment = {
    db,
    clock,
    log: overrides.log ?? pino({ level: 'silent' }),
    random: overrides.random ?? ((bytes: number) => randomBytes(bytes)),
  };
  const sandbox = createSandbox({
    ...environment,
    hostUrl: overrides.hostUrl ?? 'http://127.0.0.1:4000',
    publicUrl: overrides.settings?.publicUrl ?? 'https://www.quadrille.example',
    appName: 'Quadrille',
    secrets: ['a webhook secret of the test host'],
  });
  const deps: Deps = {
    fetch: () => Promise.reject(new Error('tests reach no other program')),
    requestPublic: () => Promise.reject(new Error('tests reach no other program')),
    meters: createMeters(),
    mail: createKeptTransport(),
    passwords,
    captcha: null,
    countries: NO_COUNTRIES,
    onAccountDeleted: [endWithAccount],
    visits: {
      folder: join(tmpdir(), `host-${randomUUID()}`),
      spoolBytes: 16 * 1024 * 1024,
      knownCodes: 1_000,
    },
    ...overrides,
    ...environment,
    payments: overrides.payments?.(sandbox) ?? sandbox,
    settings: {
      appName: 'Quadrille',
      contactEmail: 'contact@quadrille.example',
      publicUrl: 'https://www.quadrille.example',
      shortUrl: 'https://go.quadrille.example',
      jwtSecrets: ['a secret of the test host, long enough'],
      breachedPasswordsUrl: null,
      viesUrl: null,
      hostPublicUrl: overrides.hostUrl ?? 'http://127.0.0.1:4000',
      internalKeys: INTERNAL_KEYS,
      metricsToken: undefined,
      isProxy: createProxyCheck(),
      trustProxy: null,
      countryHeader: null,
      google: { clientId: null, issuer: 'https://accounts.google.com' },
      mailFrom: 'Quadrille <contact@quadrille.example>',
      checksDestinations: true,
      accountLogosBytes: 20 * 1024 * 1024,
      plans: {
        priceMonthlyCents: 990,
        trialHours: 48,
        withdrawalDays: 14,
        refundMinDays: 3,
        refundMaxDays: 10,
        objectionHours: 72,
      },
      identity: {
        seller: {
          name: 'Carreau SAS',
          form: 'SAS, 1 000 €',
          address: '1 rue du Papier, 75011 Paris',
          register: 'RCS Paris 732 829 320',
          vat: 'FR44732829320',
          director: 'Ada Tester',
          phone: '+33 1 99 00 00 00',
        },
        hosting: { name: 'Hôte SARL', address: '2 rue du Serveur, 59000 Lille' },
        mediator: { name: 'Médiation', url: 'https://mediator.example' },
      },
      ...overrides.settings,
    },
  };
  const recorder = new VisitRecorder(deps);
  const app = createApp(deps, recorder);

  /** Creates a signed-in account, with access to paid calls for 30 days unless `access` is false. */
  async function account({ access = true, firstName = 'Ada' } = {}): Promise<TestAccount> {
    const now = clock.now();
    const id = randomUUID();
    const email = `${id}@test.example`;
    await createAccount(db.orm, {
      id,
      email,
      passwordHash: await hashOfPassword(deps.passwords),
      firstName,
      lastName: 'Tester',
      createdAt: now,
    });
    if (access) {
      const accessUntil = new Date(now.getTime() + 30 * 24 * HOUR_MS);
      await grantAccess(db.orm, id, { plan: 'monthly', status: 'active', accessUntil });
    }
    return { id, email, password: PASSWORD, token: await token(id, email) };
  }

  async function token(accountId: string, email: string): Promise<string> {
    const now = clock.now();
    const sessionId = randomUUID();
    const expiresAt = new Date(now.getTime() + 30 * 24 * HOUR_MS);
    await createSession(db.orm, {
      id: sessionId,
      accountId,
      remember: true,
      userAgent: '',
      createdAt: now,
      expiresAt,
    });
    const content = { accountId, sessionId, email, roles: ['ROLE_USER'], expiresAt };
    return signToken(content, deps.settings.jwtSecrets, now);
  }

  /** Creates a code of this account: a public link unless `fields` say otherwise. */
  async function code(accountId: string, fields: Partial<NewCode> = {}) {
    const now = clock.now();
    const made = {
      id: randomUUID(),
      slug: makeSlug(randomBytes),
      type: 'link' as const,
      content: 'https://destination.example/',
      visibility: 'public' as const,
      useWhiteBackground: false,
      createdAt: now,
      updatedAt: now,
      ...fields,
      accountId,
    };
    await insertCode(db.orm, made);
    return made;
  }

  return {
    app,
    db,
    clock,
    deps,
    recorder,
    account,
    /** A new session of an account. */
    token,
    code,
    /** Runs all billing work that is due at the clock's time. */
    runBilling: () => runBilling(deps, clock.now()),
    /** Delivers due mails, then returns all mails in the mailbox, newest first. */
    mails: async () => {
      await processLinkRequests(deps, clock.now());
      do await deliverDueMails(deps, clock.now());
      while (await isDeliveredElsewhere(db.orm, clock.now()));
      return listKeptMails(db.orm, 100);
    },
    /** Calls the app without a socket, as if from this machine. */
    request: async (path: string, init: RequestInit & { token?: string } = {}) => {
      const headers = new Headers(init.headers);
      if (!headers.has('user-agent')) headers.set('user-agent', PHONE);
      if (typeof init.body === 'string' && !headers.has('content-type'))
        headers.set('content-type', 'application/json');
      if (init.token) headers.set('authorization', `Bearer ${init.token}`);
      // Only one of our websites may name its visitors, so identify as one.
      if (headers.has('x-client-ip') || headers.has('x-client-country'))
        for (const [name, key] of Object.entries(asWebsite)) headers.set(name, key);
      const response = await app.request(path, { ...init, headers });
      // A slow machine may respond to a visit before it is written, which tests that count must not see.
      if (/^\/[rl]\//i.test(path)) await recorder.idle();
      return response;
    },
    close: async () => {
      await recorder.close();
      await db.close();
      rmSync(deps.visits.folder, { recursive: true, force: true });
    },
  };
}

/** Whether another delivery, such as the host's own timer, still has due mails. Waits 20 ms if so. */
async function isDeliveredElsewhere(orm: Orm, now: Date): Promise<boolean> {
  const due = await orm
    .select({ id: mails.id })
    .from(mails)
    .where(and(isNull(mails.sentAt), isNull(mails.givenUpAt), lte(mails.dueAt, now)))
    .limit(1);
  if (due.length > 0) await delay(20);
  return due.length > 0;
}

/** Hash of PASSWORD, computed once for all accounts. */
function hashOfPassword(passwords: Passwords): Promise<string> {
  const known =
    hashes.get(passwords) ?? passwords.hash(PASSWORD, { networks: ['192.0.2.1'], account: 'the tests' });
  hashes.set(passwords, known);
  return known;
}

function createTestClock(start: Date): TestClock {
  let now = start.getTime();
  return {
    now: () => new Date(now),
    set: (date) => {
      now = date.getTime();
    },
    advance: (ms) => {
      now += ms;
    },
  };
}
