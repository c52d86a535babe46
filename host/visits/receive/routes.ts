import type { Context } from 'hono';
import { isRedirected } from '#contract/contents/contents';
import { visitByLink, visitByScan } from '#contract/visits';
import { readSlug } from '#host/codes/code/slugs';
import type { Authenticate } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import type { Router } from '#host/http/mount';
import { clientIpOf, countryOf, headerOf, readRequestId, sentVisitOf } from '#host/http/request-headers';
import { createLoopDetector } from '#host/visits/resolve/redirect-loops';
import type { CodeCache } from '#host/visits/resolve/resolve';
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

  router.document(visitByScan);
  router.document(visitByLink);
  router.app.on('GET', pathsOf('r'), (context) => visit(context, 'scan'));
  router.app.on('GET', pathsOf('l'), (context) => visit(context, 'click'));

  async function visit(context: Context, source: Source): Promise<Response> {
    const startedAt = performance.now();
    const requestId = readRequestId(context);
    const headers = { 'X-Request-Id': requestId };
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
    const visitor = code && (await findVisitor(context, authenticate));
    const isOwner = code !== null && visitor === code.accountId;
    const outcome = outcomeOf(code, isOwner);
    if (outcome === 'private')
      auditRefusal({ slug: name, call: CALL_OF[source].name, requestId, accountId: visitor });
    const link = code && outcome === 'served' && isRedirected(code.type) ? code.content : null;
    // Before it is recorded: nothing that is counted may still wait for its response.
    const loop = link !== null && loops.isLoop(link);
    const isLoop = loop instanceof Promise ? await loop : loop;
    const now = clock.now();
    if (isCountable(context, name, source, now)) {
      meters.visits[source][outcome] += 1;
      const agent = readAgent(headerOf(context, 'user-agent'));
      const gatewayVisit = sentVisitOf(context, deps);
      await recorder.record({
        id: gatewayVisit?.id,
        isResent: gatewayVisit?.isResent,
        codeId: outcome === 'unknown' ? null : (code?.id ?? null),
        at: now.getTime(),
        source,
        class: isOwner ? 'owner' : (agent.robot ?? 'human'),
        outcome,
        agent,
        language: readLanguage(headerOf(context, 'accept-language')),
        country: countryOf(context, deps),
        clientIp: clientIpOf(context, deps),
      });
    }
    if (link !== null && !isLoop) {
      finish(context, requestId, 'redirect', startedAt);
      return redirectTo(link, headers);
    }
    finish(context, requestId, 'page', startedAt);
    if (!wantsJson(context))
      return redirectToPage(
        context,
        settings,
        `${page}?counted=${countedTokens.sign(name, source, now)}`,
        headers,
      );
    if (link !== null) return respondRefusal('code_circular', requestId);
    if (code && outcome === 'served') return respondLanding(code, await readOwner(deps, code.id), headers);
    return respondRefusal(outcome === 'served' ? 'code_unknown' : REFUSAL_OF[outcome], requestId);
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
