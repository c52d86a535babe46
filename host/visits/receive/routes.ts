import type { Context } from 'hono';
import { visitByLink, visitByScan } from '#contract/visits';
import { campaignOf } from '#host/codes/code/address-campaign';
import { readSlug } from '#host/codes/code/slugs';
import type { Authenticate } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import type { Router } from '#host/http/mount';
import { clientIpOf, countryOf, headerOf, readRequestId, sentVisitOf } from '#host/http/request-headers';
import { createAnswers, type Visitor } from '#host/visits/resolve/answers';
import { createLoopDetector } from '#host/visits/resolve/redirect-loops';
import type { CodeCache } from '#host/visits/resolve/resolve';
import { UNCOUNTED_HEADERS } from '#runtime/uncounted';
import type { Visit } from './classify';
import { isSpeculative, readAgent, readLanguage } from './classify';
import { readOwner } from './code-owner';
import { createCountedTokens } from './counted-tokens';
import type { VisitRecorder } from './recorder';
import type { AuditRefusal } from './refused-visits';
import {
  findVisitor,
  outcomeOf,
  printableSlug,
  REFUSAL_OF,
  redirectTo,
  redirectToPage,
  respondClosed,
  respondLanding,
  respondRefusal,
  wantsJson,
} from './respond';

type Source = Visit['source'];

const PATH_OF: Record<Source, string> = { scan: 'r', click: 'l' };
const CALL_OF = { scan: visitByScan, click: visitByLink };

/** In both cases, and with the slash that some programs add. */
function pathsOf(name: string): string[] {
  return [name, name.toUpperCase()].flatMap((start) => [`/${start}/:code`, `/${start}/:code/`]);
}

/**
 * The short URLs of codes, in upper case as images have them and in lower case. Plain Hono routes without middleware:
 * redirects must be fast. A visit is received here, classified (`classify`), its code looked up (`resolve`), written
 * to the journal (`recorder`, `journal`), counted from there (`count`), and folded after its day (`fold`).
 */
export function mountVisits(
  router: Router,
  deps: Deps,
  recorder: VisitRecorder,
  codes: CodeCache,
  authenticate: Authenticate,
  auditRefusal: AuditRefusal,
): void {
  const { clock, log, meters, settings } = deps;
  const logsEachVisit = log.isLevelEnabled('debug');
  const countedTokens = createCountedTokens(settings.jwtSecrets);
  const loops = createLoopDetector(deps, codes);
  const answerOf = createAnswers(settings.jwtSecrets);

  router.document(visitByScan);
  router.document(visitByLink);
  router.app.on('GET', pathsOf('r'), (context) => visit(context, 'scan'));
  router.app.on('GET', pathsOf('l'), (context) => visit(context, 'click'));

  async function visit(context: Context, source: Source): Promise<Response> {
    const startedAt = performance.now();
    const requestId = readRequestId(context);
    let headers: Record<string, string> = { 'X-Request-Id': requestId };
    const pathCode = context.req.param('code') ?? '';
    const slug = readSlug(pathCode);
    const name = slug ?? printableSlug(pathCode);
    const page = `/${PATH_OF[source]}/${name}`;
    let code = slug === null ? null : codes.find(slug);
    if (code instanceof Promise) {
      const result = await code.catch((error: unknown) => ({ error }));
      if (result && 'error' in result) {
        meters.visits[source].failed += 1;
        finish(context, requestId, 'page', startedAt);
        log.warn({ requestId, err: result.error }, 'a visit could not be handled');
        // The website says so in the visitor's language.
        if (!wantsJson(context)) return redirectToPage(context, settings, page, headers);
        context.header('X-Request-Id', requestId);
        throw result.error;
      }
      code = result;
    }
    const isCounted = code?.isCounted !== false;
    if (!isCounted) headers = { ...headers, ...UNCOUNTED_HEADERS };
    const visitor = code && (isCounted || code.isPrivate) ? await findVisitor(context, authenticate) : null;
    const isOwner = code !== null && visitor === code.accountId;
    const permission = outcomeOf(code, isOwner);
    if (permission === 'private' && isCounted)
      auditRefusal({ slug: name, call: CALL_OF[source].name, requestId, accountId: visitor });
    const now = clock.now();
    const agent = readAgent(headerOf(context, 'user-agent'));
    let visitorRead: Visitor | undefined;
    const visitorOf = () => {
      visitorRead ??= visitorIn(context, agent, now);
      return visitorRead;
    };
    const answer = code && permission === 'served' ? answerOf(code, agent.os, visitorOf) : null;
    const link = answer?.link ?? null;
    // Before it is recorded: nothing that is counted may still wait for its response.
    const loop = link !== null && loops.isLoop(link, (other) => answerOf(other, agent.os, visitorOf).link);
    const isLoop = loop instanceof Promise ? await loop : loop;
    const isRedirect = link !== null && !isLoop;
    const outcome = answer?.outcome ?? permission;
    if (isCounted && isCountable(context, name, source, now)) {
      meters.visits[source][outcome] += 1;
      const gatewayVisit = sentVisitOf(context, deps);
      const { at, language, country, clientIp } = visitorOf();
      await recorder.record({
        id: gatewayVisit?.id,
        isResent: gatewayVisit?.isResent,
        codeId: outcome === 'unknown' ? null : (code?.id ?? null),
        at,
        source,
        class: isOwner ? 'owner' : (agent.robot ?? 'human'),
        outcome,
        route: answer?.route,
        campaign: isRedirect ? campaignOf(link) : undefined,
        agent,
        language,
        country,
        clientIp,
      });
    }
    if (isCounted) finish(context, requestId, isRedirect ? 'redirect' : 'page', startedAt);
    if (isRedirect) return redirectTo(link, headers);
    if (!wantsJson(context)) {
      const proof = isCounted ? `?counted=${countedTokens.sign(name, source, now)}` : '';
      return redirectToPage(context, settings, page + proof, headers);
    }
    if (link !== null) return respondRefusal('code_circular', requestId, headers);
    if (!code) return respondRefusal('code_unknown', requestId, headers);
    if (outcome === 'served') return respondLanding(code, await readOwner(deps, code.id), headers);
    if (outcome !== 'paused' && outcome !== 'ended')
      return respondRefusal(REFUSAL_OF[outcome], requestId, headers);
    return respondClosed(outcome, answer?.message ?? '', await readOwner(deps, code.id), headers);
  }

  function visitorIn(context: Context, { os, text }: Visit['agent'], now: Date): Visitor {
    return {
      at: now.getTime(),
      os,
      language: readLanguage(headerOf(context, 'accept-language')),
      country: countryOf(context, deps),
      clientIp: clientIpOf(context, deps),
      userAgent: text,
    };
  }

  /** Logs at debug level: there are thousands a second. */
  function finish(context: Context, requestId: string, kind: 'redirect' | 'page', startedAt: number): void {
    const ms = performance.now() - startedAt;
    meters.visitLatency[kind].count(ms);
    if (!logsEachVisit) return;
    const { method, path } = context.req;
    log.debug({ requestId, method, path, kind, ms: Math.round(ms) }, 'visit answered');
  }

  function isCountable(context: Context, name: string, source: Source, now: Date): boolean {
    if (context.req.method === 'HEAD' || isSpeculative((name) => headerOf(context, name))) return false;
    const token = context.req.url.includes('?') ? context.req.query('counted') : undefined;
    return token === undefined || !countedTokens.isValid(token, name, source, now);
  }
}
