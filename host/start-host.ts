import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { serve } from '@hono/node-server';
import type { Logger } from 'pino';
import { createApp } from '#host/app';
import { createDeps } from '#host/create-deps';
import { type Connection, type Database, openServer, ReadOnlyServer } from '#host/db/client';
import { createServerClock } from '#host/db/database-clock';
import { makePartitions } from '#host/db/partitions';
import { OtherInstallation, startDatabase } from '#host/db/starting';
import { withTimeout } from '#host/db/timeout';
import { databaseUrlOf, type HostEnv, visitStorageOf } from '#host/env';
import { type BackgroundTask, runSequentially, startBackgroundWork } from '#host/http/background';
import type { Deps } from '#host/http/deps';
import { createGracefulShutdown } from '#host/http/graceful-shutdown';
import { deliverDueMails } from '#host/mail/delivery';
import { makeDataPrivate } from '#host/private-data';
import { createLiveFigures } from '#host/statistics/live';
import { dropOldPersons } from '#host/statistics/visitor-retention';
import { dropOldBilling, runDueBilling } from '#host/subscriptions/billing-work';
import { createLog } from '#runtime/log';
import { guardServer } from '#runtime/server-guard';
import { dropOldAuditEntries } from './accounts/audit-log';
import { runDueJobs } from './codes/bulk/run';
import { dropOldCodeJobs } from './codes/bulk/store';
import { emptyDeletedCodes } from './codes/code/deletion';
import { renewTagKeys } from './codes/code/tag-keys';
import { dropExpiredDrafts } from './codes/drafts/store';
import { runDueRouting } from './codes/routing/due-work';
import { runInsightMails } from './insight/jobs';
import { collectDestinations, createDestinationCheck } from './insight/watch/check';
import { dropOldMails } from './mail/store';
import { createSandboxClock } from './payment-sandbox/clock';
import { dropOldAccountData } from './privacy/account-retention';
import { processLinkRequests } from './sign-in/link-requests';
import { resealSecrets } from './sign-in/verify-code';
import { resealSharedReports } from './statistics/shared-reports';
import { dropOldTickets } from './tickets/store';
import { foldOldDays } from './visits/count/fold';
import { destroyOldSalts, dropOldVisits, eraseSingleVisits, indexOldVisits } from './visits/count/retention';
import { VisitRecorder } from './visits/receive/recorder';
import { CodeCache } from './visits/resolve/resolve';
import { createInstallation } from './visits/spool/installation';
import { resealWebhookSecrets } from './webhooks/secrets';
import { tellVisits } from './webhooks/visits';
import { createWebhookWorker } from './webhooks/worker';

/** How often connections are checked for requests that take too long to arrive. */
const CHECK_MS = 5_000;
/** Heap growth, relative to the live size, before a full garbage collection. */
const HEAP_GROWING_PERCENT = 20;
/** Time limit of the shutdown after draining, and when the process is ended if that fails. */
const SHUTDOWN_MS = 7_500;
const SHUTDOWN_TIMEOUT_MS = 8_000;
/** Time limit of each of its last steps, which another program may hold up: unfinished work, and closing the database. */
const LAST_STEP_MS = 1_000;
/** A visit that waits longer to be counted was left by a process that is gone. */
const STALE_VISIT_MS = 10_000;
/** Time limit for pending responses when the host stops. */
const LAST_RESPONSES_MS = 3_000;

/** How often the log repeats that the database is the wrong one. */
const REMINDER_MS = 10 * 60_000;
const READ_ONLY =
  'the server of the database is read-only, such as a replica is: codes are answered, visits wait in DATA_DIR, and everything else waits for a server that takes writes';

/** Listens at once, and is ready when its database is: the one from `open`, or the one in the settings. */
export async function startHost(
  env: HostEnv,
  open: (...given: Parameters<typeof openDatabase>) => Database | Promise<Database> = openDatabase,
): Promise<void> {
  // Without one in the settings this throws, instead of starting a host that waits for it.
  databaseUrlOf(env);
  // By default V8 lets the heap grow to several times the size of the code cache before it collects.
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
  // Files that this program writes are private to its owner.
  process.umask(0o077);
  const log = createLog('host', env.LOG_LEVEL);
  const unprotectedPaths = makeDataPrivate(env.DATA_DIR);
  if (unprotectedPaths.length > 0)
    log.warn(
      { paths: unprotectedPaths.slice(0, 10) },
      'others on this machine may read these files: their permissions could not be changed',
    );
  const databaseClock = createServerClock();
  const sandboxClock = env.PAYMENTS === 'sandbox' ? createSandboxClock(databaseClock) : null;
  const installation = createInstallation({ visits: visitStorageOf(env), log });
  const logError = createDatabaseErrorLogger(log);
  const onConnectionError = (error: Error) =>
    logError(error, () => log.warn({ err: error }, 'database connection lost'));
  const { db, ready } = startDatabase(() => open(env, onConnectionError, installation.verify), {
    recognize: installation.recognize,
    prepare: async (orm) => {
      await installation.keep(orm);
      await databaseClock.synchronize(orm);
      await sandboxClock?.restore(orm);
    },
    onError: (error) =>
      logError(error, () => log.error({ err: error }, 'the database cannot be used yet: retrying')),
  });
  const external = {
    db,
    log,
    clock: sandboxClock ?? databaseClock,
    random: (bytes: number) => randomBytes(bytes),
  };
  if (env.PAYMENTS === 'sandbox' && env.DATABASE_URL) {
    log.warn('payments go to the sandbox: nobody is charged; set PAYMENTS=stripe to sell');
  }
  const deps = await createDeps(external, env);
  const recorder = new VisitRecorder(deps);
  const live = createLiveFigures(deps);
  const codeCache = new CodeCache(deps);
  const app = createApp(deps, recorder, live, codeCache);
  const { fetch: handleRequest, close } = createGracefulShutdown(app.fetch);
  const server = serve(
    {
      fetch: handleRequest,
      port: env.HOST_PORT,
      hostname: env.HOST_ADDRESS,
      serverOptions: { connectionsCheckingInterval: CHECK_MS },
    },
    ({ port }) => log.info({ port }, 'host listens'),
  ) as Server;
  guardServer(server, {
    addresses: [env.PUBLIC_URL, env.HOST_PUBLIC_URL, ...(env.HOST_URL ? [env.HOST_URL] : [])],
    shortUrl: env.SHORT_URL,
    internalKeys: env.internalKeys,
    proxies: deps.settings,
    includeSubDomains: env.HSTS_SUBDOMAINS,
    log,
  });

  let stopWork = async () => {};
  let isStopping = false;
  ready.then(() => {
    if (isStopping) return;
    stopWork = startBackgroundWork(deps, listBackgroundTasks(deps, env, recorder, codeCache));
    log.info('host is ready');
  });

  async function stop(): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    log.info('host stops');
    const drainMs = env.DRAIN_SECONDS * 1_000;
    const endsAt = performance.now() + drainMs + SHUTDOWN_MS;
    setTimeout(() => process.exit(1), drainMs + SHUTDOWN_TIMEOUT_MS).unref();
    // Browsers with live figures reconnect to another host at once.
    live.close();
    await close(server, { drainMs, lastResponsesMs: LAST_RESPONSES_MS });
    deps.mail.close();
    const workStops = stopWork();
    // Visits first: other work in progress may be waiting for a payment provider.
    await recorder.close(endsAt - 2 * LAST_STEP_MS - performance.now());
    await finishInTime(workStops, 'work was cut off');
    await finishInTime(db.close(), 'the database did not close');
    process.exit(0);
  }

  async function finishInTime(step: Promise<void>, message: string): Promise<void> {
    await withTimeout(step, LAST_STEP_MS).catch((error: unknown) => log.warn({ err: error }, message));
  }
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** Periodic work of every host whose database is ready. */
function listBackgroundTasks(
  deps: Deps,
  env: HostEnv,
  recorder: VisitRecorder,
  codeCache: CodeCache,
): BackgroundTask[] {
  const { db } = deps;
  const checkDestinations = createDestinationCheck(deps);
  const sendWebhooks = createWebhookWorker(deps);
  return [
    { name: 'links', everyMs: 500, run: (now) => processLinkRequests(deps, now) },
    { name: 'billing', everyMs: 1_000, run: (_, stopping) => runDueBilling(deps, stopping) },
    { name: 'old billing', everyMs: 60 * 60_000, run: (now) => dropOldBilling(deps, now) },
    { name: 'account data', everyMs: 60 * 60_000, run: (now) => dropOldAccountData(deps, now) },
    {
      name: 'sealed secrets',
      everyMs: 60 * 60_000,
      run: () =>
        runSequentially([resealSecrets, resealWebhookSecrets, resealSharedReports], (act) => act(deps)),
    },
    { name: 'drafts', everyMs: 60 * 60_000, run: (now) => dropExpiredDrafts(db.orm, now) },
    { name: 'jobs', everyMs: 500, run: (_, stopping) => runDueJobs(deps, stopping) },
    {
      name: 'deleted codes',
      everyMs: 60 * 60_000,
      run: (now, stopping) => emptyDeletedCodes(db.orm, now, stopping),
    },
    { name: 'routing', everyMs: 2_000, run: (now, stopping) => runDueRouting(deps, now, stopping) },
    { name: 'insight', everyMs: 30_000, run: (now, stopping) => runInsightMails(deps, now, stopping) },
    { name: 'visits for webhooks', everyMs: 5_000, run: (now, stopping) => tellVisits(deps, now, stopping) },
    { name: 'webhooks', everyMs: 500, run: (_, stopping) => sendWebhooks(stopping) },
    ...(env.CHECK_DESTINATIONS
      ? [
          {
            name: 'new destinations',
            everyMs: 10 * 60_000,
            run: (now: Date) => collectDestinations(db.orm, now),
          },
          {
            name: 'destinations',
            everyMs: 5_000,
            run: (_: Date, stopping: AbortSignal) => checkDestinations(stopping),
          },
        ]
      : []),
    { name: 'tag keys', everyMs: 24 * 60 * 60_000, run: (_, stopping) => renewTagKeys(db, stopping) },
    { name: 'old jobs', everyMs: 60 * 60_000, run: (now) => dropOldCodeJobs(db.orm, now) },
    { name: 'mails', everyMs: 2_000, run: (now) => deliverDueMails(deps, now) },
    { name: 'old audit log entries', everyMs: 60 * 60_000, run: (now) => dropOldAuditEntries(db.orm, now) },
    { name: 'tickets', everyMs: 60 * 60_000, run: (now) => dropOldTickets(db.orm, now) },
    // Kept mails are not dropped, so that they can be read however far the clock is moved.
    ...(deps.mail.kind === 'smtp'
      ? [{ name: 'old mails', everyMs: 60 * 60_000, run: (now: Date) => dropOldMails(db.orm, now) }]
      : []),
    { name: 'partitions', everyMs: 60 * 60_000, run: (now) => makePartitions(db.orm, now) },
    { name: 'index of visits', everyMs: 60 * 60_000, run: (now) => indexOldVisits(db.orm, now) },
    { name: 'salts', everyMs: 5 * 60_000, run: (now) => destroyOldSalts(db.orm, now) },
    { name: 'figures', everyMs: 60_000, run: (now, stopping) => foldOldDays(db, now, stopping) },
    { name: 'left visits', everyMs: 10_000, run: () => recorder.claimStale(STALE_VISIT_MS) },
    { name: 'code cache', everyMs: 60_000, run: () => codeCache.fill() },
    { name: 'erased visits', everyMs: 10 * 60_000, run: (now) => eraseSingleVisits(db.orm, now) },
    { name: 'visits', everyMs: 60 * 60_000, run: (now) => dropOldVisits(db.orm, now) },
    { name: 'persons', everyMs: 60 * 60_000, run: (now) => dropOldPersons(db.orm, now) },
  ];
}

/** What stays so until somebody acts is logged once in ten minutes; for other errors `log` is called. */
function createDatabaseErrorLogger(log: Logger): (error: unknown, logOther: () => void) => void {
  const loggedAt = new Map<string, number>();
  return (error, logOther) => {
    const isOther = error instanceof OtherInstallation;
    if (!isOther && !(error instanceof ReadOnlyServer)) return logOther();
    const text = isOther ? error.explanation : READ_ONLY;
    const now = performance.now();
    if (now - (loggedAt.get(text) ?? Number.NEGATIVE_INFINITY) < REMINDER_MS) return;
    loggedAt.set(text, now);
    log.error(text);
  };
}

export function openDatabase(
  env: HostEnv,
  onError: (error: Error) => void,
  verify?: (connection: Connection) => Promise<void>,
): Database {
  return openServer(databaseUrlOf(env), onError, {
    verify,
    directUrl: env.DATABASE_URL && env.DATABASE_DIRECT_URL,
    readUrl: env.DATABASE_READ_URL,
    isEmbedded: env.DATABASE_URL === undefined,
    connections: env.DATABASE_CONNECTIONS,
    scanConnections: env.DATABASE_SCAN_CONNECTIONS,
  });
}
