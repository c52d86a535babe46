import type { Context } from 'hono';
import { type Act, actsOf, hasPage, isMeasured, isRedirected } from '#contract/contents/contents';
import { followAction, reportByImage, reportByPost, reportCopy } from '#contract/engagements';
import { hasEnded } from '#contract/routing-decision';
import { getOwnerLogo } from '#contract/visits';
import { readSlug } from '#host/codes/code/slugs';
import type { ContentFile } from '#host/codes/contents/hosted-type';
import { HOSTED } from '#host/codes/contents/hosted-types';
import { findLogoOf } from '#host/codes/logos/store';
import type { Authenticate } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError, isRateLimited } from '#host/http/errors';
import type { HostContext, Router } from '#host/http/mount';
import { headerOf, readRequestId } from '#host/http/request-headers';
import type { VisitorSalts } from '#host/visits/count/visitor-salts';
import { isSpeculative, readAgent } from '#host/visits/receive/classify';
import { createCountedTokens } from '#host/visits/receive/counted-tokens';
import type { AuditRefusal } from '#host/visits/receive/refused-visits';
import {
  findVisitor,
  outcomeOf,
  printableSlug,
  REFUSAL_OF,
  redirectTo,
  wantsJson,
} from '#host/visits/receive/respond';
import type { CachedCode } from '#host/visits/resolve/packed-code';
import { createLoopDetector } from '#host/visits/resolve/redirect-loops';
import type { CodeCache } from '#host/visits/resolve/resolve';
import { createEngagementCounter } from './counter';
import type { EngagementRow } from './store';

/** The smallest transparent GIF. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
/** A change of the logo shows within this time. */
const LOGO_CACHE = 'private, max-age=300';
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, POST',
  'Access-Control-Allow-Headers': 'Content-Type',
  'Access-Control-Max-Age': '86400',
};

export function mountEngagements(
  { app, mount }: Router,
  deps: Deps,
  salts: VisitorSalts,
  codes: CodeCache,
  authenticate: Authenticate,
  auditRefusal: AuditRefusal,
): void {
  const { clock, db, settings } = deps;
  const counter = createEngagementCounter(deps, salts);
  const countedTokens = createCountedTokens(settings.jwtSecrets);
  const loops = createLoopDetector(deps, codes);

  // Before the acts, whose address begins in the same way.
  mount(getOwnerLogo, async ({ context, params }) => {
    const { code, isClosed } = await findServed(context, getOwnerLogo, params.code);
    const png = hasPage(code.type) || isClosed ? await findLogoOf(db.orm, code.id) : null;
    if (!png) throw new ApiError('not_found');
    return new Response(png, { headers: { 'Content-Type': 'image/png', 'Cache-Control': LOGO_CACHE } });
  });

  mount(followAction, async ({ context, params, query, clientIp }) => {
    const name = readSlug(params.code) ?? printableSlug(params.code);
    // The website shows errors in the visitor's language.
    if (!wantsJson(context)) {
      await findCode(context, params.code).catch(() => null);
      return redirectTo(`${settings.publicUrl}/e/${name}/${params.act}?n=${query.n}`);
    }
    const found = await findServed(context, followAction, params.code);
    const answer = answerOf(context, found, params.act, query.n);
    if (answer === null) {
      // Changed, paused or ended in the meantime: show the current version, without counting another visit.
      const now = clock.now();
      return redirectTo(`${settings.publicUrl}/l/${name}?counted=${countedTokens.sign(name, 'click', now)}`);
    }
    if (typeof answer === 'string' && (await loops.isLoop(answer))) throw new ApiError('code_circular');
    await count(context, found, params.act, clientIp).catch(ignoreRateLimit);
    return typeof answer === 'string' ? redirectTo(answer) : respondFile(answer);
  });

  mount(reportCopy, async ({ context, params, clientIp }) => {
    const found = await findServed(context, reportCopy, params.code);
    if (!isMeasured(found.code.type)) throw new ApiError('code_unknown');
    await count(context, found, 'copy', clientIp).catch(ignoreRateLimit);
    return context.body(null, 204);
  });

  app.use('/b/*', async (context, next) => {
    context.header('Access-Control-Allow-Origin', '*');
    context.header('Cross-Origin-Resource-Policy', 'cross-origin');
    await next();
  });
  app.on('OPTIONS', '/b/:code', async (context) => {
    await findCode(context, context.req.param('code')).catch(() => null);
    return context.body(null, 204, PREFLIGHT);
  });
  mount(reportByImage, async ({ context, params, clientIp }) => {
    await report(context, reportByImage, params.code, clientIp);
    return context.body(PIXEL, 200, { 'Content-Type': 'image/gif' });
  });
  mount(reportByPost, async ({ context, params, clientIp }) => {
    await report(context, reportByPost, params.code, clientIp);
    return context.body(null, 204);
  });

  /** The file of an act, or the target, always part of the content; null for a link that visitors are not shown. */
  function answerOf(
    context: Context,
    { code, isClosed }: Found,
    act: Act,
    n: number,
  ): ContentFile | string | null {
    if (!actsOf(code.type).includes(act)) throw new ApiError('code_unknown');
    if (isClosed) return null;
    const { os } = readAgent(headerOf(context, 'user-agent'));
    const { file, follow } = HOSTED[code.type];
    return file?.(code, act, clock.now()) ?? follow?.(code, act, n, os) ?? null;
  }

  async function report(
    context: Context<HostContext>,
    call: { name: string },
    pathCode: string,
    clientIp: string,
  ): Promise<void> {
    const found = await findServed(context, call, pathCode);
    if (!isRedirected(found.code.type)) throw new ApiError('code_unknown');
    await count(context, found, 'report', clientIp);
  }

  /** The code, if there is one; of a request about a code that is not counted nothing is logged. */
  async function findCode(context: Context<HostContext>, pathCode: string) {
    const slug = readSlug(pathCode);
    const code = slug === null ? null : await codes.find(slug);
    if (code && !code.isCounted) context.set('isUncounted', true);
    return { slug, code };
  }

  /** The code as a visit would find it. Throws the errors of a visit, and `unavailable`. */
  async function findServed(
    context: Context<HostContext>,
    call: { name: string },
    pathCode: string,
  ): Promise<Found> {
    const { slug, code } = await findCode(context, pathCode);
    const visitor = code && (await findVisitor(context, authenticate));
    const isOwner = code !== null && visitor === code.accountId;
    const outcome = outcomeOf(code, isOwner);
    if (code && outcome === 'served') return { code, isOwner, isClosed: isClosedAt(code, clock.now()) };
    if (slug !== null && outcome === 'private' && code?.isCounted)
      auditRefusal({ slug, call: call.name, requestId: readRequestId(context), accountId: visitor });
    throw new ApiError(REFUSAL_OF[outcome === 'served' ? 'unknown' : outcome]);
  }

  /** Counts only what people actually did: no robots, no prefetching, not the owner; and nothing of a closed code. */
  async function count(
    context: Context,
    { code, isOwner, isClosed }: Found,
    kind: EngagementRow['kind'],
    clientIp: string,
  ): Promise<void> {
    const header = (name: string) => headerOf(context, name);
    const agent = readAgent(header('user-agent'));
    if (!code.isCounted || isClosed || isOwner || agent.robot) return;
    if (context.req.method === 'HEAD' || isSpeculative(header)) return;
    await counter.count({ codeId: code.id, kind, at: clock.now(), clientIp, userAgent: agent.text });
  }
}

/** Anyone over the rate limit is not counted, but still redirected. */
function ignoreRateLimit(error: unknown): void {
  if (!isRateLimited(error)) throw error;
}

interface Found {
  code: CachedCode;
  isOwner: boolean;
  /** Visitors are kept from what it contains. */
  isClosed: boolean;
}

/** Paused or ended; not a link whose end leads on to another target. */
function isClosedAt({ type, routing }: CachedCode, now: Date): boolean {
  if (routing?.pause) return true;
  const end = routing?.end;
  if (!end || !hasEnded(end, now.getTime())) return false;
  return end.target === null || !isRedirected(type);
}

function respondFile({ name, mediaType, text }: ContentFile): Response {
  return new Response(text, {
    headers: {
      'Content-Type': mediaType,
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}
