import type { Context } from 'hono';
import { visitByLink, visitByScan } from '#contract/visits';
import { readSlug } from '#host/codes/slugs';
import { addressOf, headerOf } from '#host/http/client-address';
import type { Deps } from '#host/http/deps';
import type { Authenticate, Router } from '#host/http/mount';
import { landing, type Refusal, redirectTo, refusal } from './answers';
import type { Visit } from './batch';
import { isSpeculative, readAgent, readLanguage } from './classify';
import { createCountedMark } from './counted';
import { inTime } from './in-time';
import { createKnownCodes, type KnownCode } from './known-codes';
import type { VisitRecorder } from './recorder';

type Source = Visit['source'];
type Outcome = Visit['outcome'];

const PATH_OF: Record<Source, string> = { scan: 'r', click: 'l' };
const REFUSAL_OF: Record<Exclude<Outcome, 'served'>, Refusal> = {
  private: 'code_private',
  unknown: 'code_unknown',
  deleted: 'code_deleted',
};
const OWNER_WAIT_MS = 1_000;

/**
 * The addresses of codes, in upper case as images have them and in lower case. Plain Hono routes: nothing runs here
 * but what a redirect needs.
 */
export function mountVisits(
  router: Router,
  deps: Deps,
  recorder: VisitRecorder,
  authenticate: Authenticate,
): void {
  const { clock, settings } = deps;
  const codes = createKnownCodes(deps);
  const mark = createCountedMark(settings.jwtSecrets);

  router.document(visitByScan);
  router.document(visitByLink);
  router.app.on('GET', ['/r/:code', '/R/:code'], (context) => visit(context, 'scan'));
  router.app.on('GET', ['/l/:code', '/L/:code'], (context) => visit(context, 'click'));

  async function visit(context: Context, source: Source): Promise<Response> {
    const typed = context.req.param('code') ?? '';
    const slug = readSlug(typed);
    const name = slug ?? nameOf(typed);
    const page = `${settings.publicUrl}/${PATH_OF[source]}/${name}`;
    let code = slug === null ? null : codes.find(slug);
    if (code instanceof Promise) {
      const read = await code.catch((error: unknown) => ({ error }));
      if (read && 'error' in read) {
        // The website says so in the visitor's language.
        if (!wantsJson(context)) return redirectTo(page);
        throw read.error;
      }
      code = read;
    }
    const isOwner = code !== null && (await isOwnedByCaller(context, code));
    const outcome = outcomeOf(code, isOwner);
    const now = clock.now();
    if (isCountable(context, name, source, now)) {
      const agent = readAgent(headerOf(context, 'user-agent'));
      await recorder.record({
        codeId: outcome === 'unknown' ? null : (code?.id ?? null),
        at: now.getTime(),
        source,
        class: isOwner ? 'owner' : (agent.robot ?? 'human'),
        outcome,
        agent,
        language: readLanguage(headerOf(context, 'accept-language')),
        country: '',
        address: addressOf(context, deps),
      });
    }
    if (code && outcome === 'served' && code.type === 'link') return new Response(null, code.redirect);
    if (!wantsJson(context)) return redirectTo(`${page}?counted=${mark.sign(name, source, now)}`);
    if (code && outcome === 'served') return landing(code);
    return refusal(outcome === 'served' ? 'code_unknown' : REFUSAL_OF[outcome], requestIdOf(context));
  }

  /** The website hands on the token of its signed-in visitor. Whatever is wrong with it makes a stranger, no more. */
  async function isOwnedByCaller(context: Context, code: KnownCode): Promise<boolean> {
    const token = /^Bearer (\S+)$/i.exec(headerOf(context, 'authorization') ?? '')?.[1];
    if (!token) return false;
    return inTime(authenticate(token), OWNER_WAIT_MS).then(
      ({ accountId }) => accountId === code.accountId,
      () => false,
    );
  }

  function isCountable(context: Context, name: string, source: Source, now: Date): boolean {
    if (context.req.method === 'HEAD' || isSpeculative((name) => headerOf(context, name))) return false;
    const given = context.req.url.includes('?') ? context.req.query('counted') : undefined;
    return given === undefined || !mark.isValid(given, name, source, now);
  }
}

/** The image of a wifi code holds the network itself, so its address leads nowhere. */
function outcomeOf(code: KnownCode | null, isOwner: boolean): Outcome {
  if (!code || code.type === 'wifi') return 'unknown';
  if (code.isDeleted) return 'deleted';
  return code.isPrivate && !isOwner ? 'private' : 'served';
}

/** What cannot be a slug, as far as it is safe in an address. */
function nameOf(typed: string): string {
  return typed.replace(/[^\w-]/g, '').slice(0, 64) || 'unknown';
}

function wantsJson(context: Context): boolean {
  return headerOf(context, 'accept')?.includes('application/json') ?? false;
}

function requestIdOf(context: Context): string {
  return headerOf(context, 'x-request-id')?.slice(0, 64) ?? '';
}
