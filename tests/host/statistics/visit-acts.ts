import fc from 'fast-check';
import type { Visit } from '#host/visits/receive/classify';
import { readAgent } from '#host/visits/receive/classify';
import type { TestAccount, TestHost } from '../../support/host';
import { asWebsite } from '../../support/internal-key';

/** One visit to the URL of a code. */
export interface Act {
  /** Index among the codes. */
  code: number;
  /** Milliseconds since the start; in any order, as if the clock stepped back and forth. */
  at: number;
  source: 'scan' | 'click';
  method: 'GET' | 'HEAD';
  /** Name and value of a header by which browsers mark a prefetch. */
  purpose: [string, string] | null;
  agent: string;
  language: 'en' | 'fr';
  clientIp: string;
  isOwner: boolean;
  /** Continues to the page of the code with the counted token, as the website does. */
  follows: boolean;
}

export interface ActedCode {
  id: string;
  slug: string;
  type: string;
  visibility: string;
  isDeleted: boolean;
}

interface Asked {
  from: string;
  to: string;
  code: string | null;
}

export const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1';
export const DESKTOP =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36';
export const ROBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
export const PREVIEW = 'WhatsApp/2.23.20.0';

export function arbitraryAct(codes: number, lengthMs: number): fc.Arbitrary<Act> {
  return fc.record({
    code: fc.nat({ max: codes - 1 }),
    at: fc.nat({ max: lengthMs }),
    source: fc.constantFrom('scan', 'scan', 'click'),
    method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'HEAD'),
    purpose: fc.constantFrom(
      ...Array.from({ length: 8 }, () => null),
      ['sec-purpose', 'prefetch'] as [string, string],
      ['sec-purpose', 'prefetch;prerender'] as [string, string],
      ['x-moz', 'prefetch'] as [string, string],
    ),
    agent: fc.constantFrom(PHONE, PHONE, DESKTOP, ROBOT, PREVIEW),
    language: fc.constantFrom('en', 'fr'),
    clientIp: fc.constantFrom('192.0.2.1', '192.0.2.2'),
    isOwner: fc.constantFrom(false, false, false, true),
    follows: fc.boolean(),
  });
}

/** Sends the visit to the host; may resolve before it is written. */
export async function act(host: TestHost, { slug }: ActedCode, owner: TestAccount, act: Act): Promise<void> {
  const path = `/${act.source === 'scan' ? 'r' : 'l'}/${slug}`;
  const headers = headersOf(act, owner);
  const answered = await host.app.request(path, { method: act.method, headers });
  const mark = /\?counted=.*$/.exec(answered.headers.get('location') ?? '')?.[0];
  if (mark && act.follows) {
    await host.app.request(`${path}${mark}`, { headers: { ...headers, accept: 'application/json' } });
  }
}

/** Copies the text if the visitor continued to its page; the visit must have been written. */
export async function engage(host: TestHost, { slug }: ActedCode, owner: TestAccount, act: Act) {
  if (!act.follows || act.method === 'HEAD') return;
  const headers = { ...headersOf(act, owner), accept: 'application/json' };
  await host.app.request(`/e/${slug}/copy`, { method: 'POST', headers });
}

function headersOf(act: Act, owner: TestAccount): Record<string, string> {
  return {
    'user-agent': act.agent,
    'accept-language': act.language,
    ...asWebsite,
    'x-client-ip': act.clientIp,
    ...(act.isOwner && { authorization: `Bearer ${owner.token}` }),
    ...(act.purpose && { [act.purpose[0]]: act.purpose[1] }),
  };
}

/**
 * Persons who engaged, once a UTC day, and their engagements, once a UTC day and code. Only pages of texts and e-mails
 * can be copied here.
 */
export function engagedIn(acts: { act: Act; visits: Visit[]; code: ActedCode }[], requested: Asked) {
  const persons = new Set<string>();
  const engagements = new Set<string>();
  for (const {
    act,
    visits: [visit],
    code,
  } of acts) {
    if (!visit || !act.follows || visit.class !== 'human' || visit.outcome !== 'served') continue;
    if (!['text', 'email'].includes(code.type)) continue;
    const day = new Date(visit.at).toISOString().slice(0, 10);
    if (day < requested.from || day > requested.to || ![null, code.id].includes(requested.code)) continue;
    const person = `${day} ${visit.clientIp} ${visit.agent.text}`;
    persons.add(person);
    engagements.add(`${person} ${code.id}`);
  }
  return { persons: persons.size, engagements: engagements.size };
}

/** The visit to be counted, or none: HEAD requests and prefetches are not counted. */
export function visitOfAct(code: ActedCode, act: Act, start: number): Visit[] {
  if (act.method === 'HEAD' || act.purpose) return [];
  const agent = readAgent(act.agent);
  const isHidden = code.visibility === 'private' && !act.isOwner;
  return [
    {
      codeId: code.id,
      at: start + act.at,
      source: act.source,
      class: act.isOwner ? 'owner' : (agent.robot ?? 'human'),
      outcome: code.isDeleted ? 'deleted' : isHidden ? 'private' : 'served',
      agent,
      language: act.language,
      country: '',
      clientIp: act.clientIp,
    },
  ];
}
