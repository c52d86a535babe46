import type { Context } from 'hono';
import { PUBLIC_API } from '#contract/call';
import { oauthErrorOf } from '#contract/errors';
import { issueFormToken } from '#contract/form-tokens';
import { getHealth, getLiveness, getReadiness } from '#contract/health';
import { DatabaseNotReady, OtherInstallation } from '#host/db/starting';
import { setLimitHeaders } from '#host/http/answer-program';
import { makeFormToken } from '#host/http/captcha';
import { answerPreflights, methodsOfPrograms, refuseUnrouted, setOriginHeaders } from '#host/http/cors';
import type { Deps } from '#host/http/deps';
import { ApiError, asApiError, errorBody } from '#host/http/errors';
import { auditRefusedRequest, createRouter, type HostContext } from '#host/http/mount';
import { openApiDocument } from '#host/http/openapi';
import { respondWithProblem } from '#host/http/problem';
import { publicDocument } from '#host/http/public-openapi';
import { isPublicPath } from '#host/http/published';
import {
  clientIpOf,
  headerOf,
  isCounted,
  peerOf,
  readRequestId,
  resourceOf,
} from '#host/http/request-headers';
import { createHostMetrics } from '#host/metrics';
import { createLiveFigures } from '#host/statistics/live';
import { mayReadMetrics, respondWithMetrics } from '#runtime/metrics';
import { loggedPath } from '#runtime/request-target';
import { isHealthCheck } from '#runtime/server-guard';
import { UNCOUNTED_HEADERS } from '#runtime/uncounted';
import { seal, unseal } from './accounts/sealed-secrets';
import { mountAddresses } from './addresses/routes';
import { mountJobs } from './codes/bulk/routes';
import { mountPublicCodes } from './codes/code/public-routes';
import { mountCodes } from './codes/code/routes';
import { mountDrafts } from './codes/drafts/routes';
import { mountImports } from './codes/import/routes';
import { mountLogos, readPresets } from './codes/logos/routes';
import { mountStyles } from './codes/looks/routes';
import { mountRouting } from './codes/routing/routes';
import { createCodeIndexes } from './codes/search/indexes';
import { mountDashboard } from './dashboard/routes';
import { mountEngagements } from './engagements/routes';
import { mountMailSettings } from './insight/routes';
import { mountInvoices } from './invoices/routes';
import { mountMailbox } from './mail/mailbox-routes';
import { mountOauth } from './oauth/routes';
import { mountSandboxClock } from './payment-sandbox/routes';
import { mountPlans } from './plans/routes';
import { mountAccounts } from './privacy/routes';
import { mountValidation } from './privacy/validation-routes';
import { mountEmailChange } from './sign-in/email-change-routes';
import { mountGoogle, mountIdentities } from './sign-in/google-routes';
import { createKeyAccess } from './sign-in/key-access';
import { mountKeys } from './sign-in/keys-routes';
import { mountPasskeyLogIn } from './sign-in/passkey-sign-in-routes';
import { mountPasskeys } from './sign-in/passkeys-routes';
import { mountRecovery } from './sign-in/recovery-routes';
import { mountSecondFactor } from './sign-in/second-factor-routes';
import { createAuthenticate, mountChallenge, mountSessions } from './sign-in/sessions-routes';
import { mountExports, mountLive, mountStatistics } from './statistics/routes';
import { mountSharedReports } from './statistics/shared-reports-routes';
import { mountPaymentEvents } from './subscriptions/charge/webhooks-routes';
import { mountSubscriptions } from './subscriptions/contract/routes';
import { mountContractEnd, mountWaitingDeclarations } from './subscriptions/declaration/routes';
import { mountHeldOrders, mountOrderMail } from './subscriptions/order/routes';
import { mountTransactions } from './subscriptions/order/transactions-routes';
import { mountTickets } from './tickets/routes';
import type { VisitRecorder } from './visits/receive/recorder';
import { createRefusedVisits } from './visits/receive/refused-visits';
import { mountVisits } from './visits/receive/routes';
import { CodeCache } from './visits/resolve/resolve';
import { mountWebhooks } from './webhooks/routes';

/** The {host} API as a Hono app. Environment, clock and network are only accessed through `deps`. */
export function createApp(
  deps: Deps,
  recorder: VisitRecorder,
  live = createLiveFigures(deps),
  codeCache = new CodeCache(deps),
) {
  const authenticate = createAuthenticate(deps);
  const keys = createKeyAccess(deps);
  const router = createRouter(authenticate, {
    keys,
    orm: deps.db.orm,
    now: () => deps.clock.now(),
    resourceOf: (context) => resourceOf(context, deps),
    isCounted: (context) => isCounted(context, deps),
    seal: (text, owner) =>
      seal(Buffer.from(text), owner, { secrets: deps.settings.jwtSecrets, random: deps.random }),
    unseal: (sealed, owner) => Buffer.from(unseal(sealed, owner, deps.settings.jwtSecrets).plain).toString(),
  });
  const { app } = router;
  const presets = readPresets();
  const codeIndexes = createCodeIndexes(deps.db, { now: () => deps.clock.now() });
  const auditRefusal = createRefusedVisits(deps);

  // Before the middleware: redirects are the one place where microseconds matter.
  mountVisits(router, deps, recorder, codeCache, authenticate, auditRefusal);

  app.use(async (context, next) => {
    const requestId = readRequestId(context);
    context.set('requestId', requestId);
    context.set('log', deps.log.child({ requestId }));
    context.set('clientIp', clientIpOf(context, deps));
    const started = performance.now();
    await next();
    // Set afterwards: a Response that a handler returns as a whole drops headers set before it.
    const { headers } = context.res;
    headers.set('X-Request-Id', requestId);
    headers.set('X-Content-Type-Options', 'nosniff');
    if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store');
    if (isPublicPath(context.req.path)) {
      setLimitHeaders(headers, context.get('usage'));
      setOriginHeaders(headers, context.get('namedOrigin'));
    }
    if (context.get('isUncounted')) {
      for (const [name, value] of Object.entries(UNCOUNTED_HEADERS)) headers.set(name, value);
      return;
    }
    const duration = performance.now() - started;
    deps.meters.countCall(context.get('call') ?? 'none', context.res.status, duration);
    const ms = Math.round(duration);
    const { method, path } = context.req;
    const level = isHealthCheck(path) || path === '/metrics' ? 'debug' : 'info';
    context.get('log')[level]({ method, path: loggedPath(path), status: context.res.status, ms }, 'answered');
  });

  mountEngagements(router, deps, recorder.salts, codeCache, authenticate, auditRefusal);
  mountSessions(router, deps);
  mountChallenge(router, deps);
  mountGoogle(router, deps);
  mountIdentities(router, deps);
  mountSecondFactor(router, deps);
  mountPasskeys(router, deps);
  mountPasskeyLogIn(router, deps);
  mountKeys(router, deps);
  mountOauth(router, deps);
  mountAccounts(router, deps);
  mountMailSettings(router, deps);
  mountRecovery(router, deps);
  mountEmailChange(router, deps, authenticate);
  mountAddresses(router, deps);
  mountDashboard(router, deps);
  mountStatistics(router, deps, codeIndexes);
  mountLive(router, deps, live, authenticate);
  // Before the routes of codes, whose path parameter would match the file name as an id.
  mountExports(router, deps, codeIndexes);
  mountSharedReports(router, deps, codeIndexes);
  mountCodes(router, deps, presets, codeIndexes);
  mountRouting(router, deps);
  mountPublicCodes(router, deps, presets, codeIndexes);
  mountStyles(router, deps, presets);
  mountDrafts(router, deps, presets);
  mountJobs(router, deps, presets, codeIndexes);
  mountImports(router, deps, presets);
  mountLogos(router, deps, presets);
  mountWebhooks(router, deps);
  mountPlans(router, deps);
  mountSubscriptions(router, deps, authenticate);
  mountTransactions(router, deps);
  mountOrderMail(router, deps);
  mountHeldOrders(router, deps);
  mountContractEnd(router, deps, authenticate);
  mountWaitingDeclarations(router, deps);
  mountInvoices(router, deps);
  mountPaymentEvents(router, deps);
  deps.payments.attach?.(router);
  if (deps.payments.name === 'sandbox') mountSandboxClock(router, deps);
  mountTickets(router, deps, authenticate);
  router.mount(issueFormToken, async () => ({ data: { token: makeFormToken(deps) } }));
  mountValidation(router);
  mountMailbox(router, deps);
  router.mount(getLiveness, async () => ({ data: { process: 'up' as const } }));
  for (const health of [getReadiness, getHealth]) {
    router.mount(health, async ({ log }) => {
      await deps.db.ping().catch((error: unknown) => {
        // A database that is still being opened is not an error.
        if (!(error instanceof DatabaseNotReady)) log.warn({ err: error }, 'the database does not respond');
        const isOther = error instanceof OtherInstallation;
        throw new ApiError('unavailable', isOther ? { fields: { database: ['other_installation'] } } : {});
      });
      return { data: { database: 'up' as const } };
    });
  }

  const metrics = createHostMetrics(deps, recorder);
  app.get('/metrics', (context) => {
    const header = (name: string) => headerOf(context, name);
    if (!mayReadMetrics(peerOf(context), header, deps.settings.metricsToken)) {
      auditRefusedRequest(context, 'no_metrics_token');
      throw new ApiError('not_found');
    }
    return respondWithMetrics(metrics);
  });
  const documents = { '/openapi.json': openApiDocument, [`${PUBLIC_API}/openapi.json`]: publicDocument };
  for (const [path, documentOf] of Object.entries(documents)) {
    let described: Promise<string> | undefined;
    app.get(path, async (context) => {
      described ??= documentOf(router.calls, `${deps.settings.appName} API`, deps.settings.publicUrl).then(
        (document) => JSON.stringify(document),
      );
      return context.body(await described, 200, {
        'Content-Type': 'application/json',
        'Access-Control-Allow-Origin': '*',
      });
    });
  }
  const methodsOf = methodsOfPrograms([
    ...router.calls,
    { path: `${PUBLIC_API}/openapi.json`, method: 'GET' },
  ]);
  answerPreflights(app, methodsOf);

  app.notFound((context) => {
    const error = refuseUnrouted(context, methodsOf);
    return isApiPath(context.req.path) ? problem(context, error) : respondWithError(context, error);
  });
  app.onError((thrown, context) => {
    const requestId = context.get('requestId') ?? '';
    const error = asApiError(thrown);
    if (error.code === 'rate_limited') deps.meters.countRateLimited(context.get('call') ?? 'none');
    if (error !== thrown) (context.get('log') ?? deps.log).error({ err: thrown, requestId }, 'call failed');
    if (error.retryAfterSeconds) context.header('Retry-After', String(error.retryAfterSeconds));
    return respondWithError(context, error);
  });

  function respondWithError(context: Context<HostContext>, error: ApiError): Response {
    const requestId = context.get('requestId') ?? '';
    const { path } = context.req;
    if (isPublicPath(path)) return problem(context, error);
    if (path.startsWith('/oauth/')) return context.json(oauthErrorOf(error.code, error.detail), error.status);
    return context.json(errorBody(error.code, requestId, error.fields), error.status);
  }

  function problem(context: Context<HostContext>, error: ApiError): Response {
    const requestId = context.get('requestId') ?? '';
    return respondWithProblem(context, error, { publicUrl: deps.settings.publicUrl, requestId });
  }

  return app;
}

/** Programs also guess addresses beside those of the version that there is. */
function isApiPath(path: string): boolean {
  return path.startsWith('/api/');
}
