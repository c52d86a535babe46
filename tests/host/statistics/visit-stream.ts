import fc from 'fast-check';
import type { Database } from '#host/db/client';
import type { Visit } from '#host/visits/receive/classify';
import { readAgent } from '#host/visits/receive/classify';

const AGENTS = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148',
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/131.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36',
].map(readAgent);

/** A visit as the route passes it to the recorder, to one of the codes and within the time range. */
export function arbitraryVisit(codes: string[], from: number, to: number): fc.Arbitrary<Visit> {
  return fc.record({
    codeId: fc.constantFrom(null, ...codes),
    at: fc.integer({ min: from, max: to }),
    source: fc.constantFrom('scan', 'scan', 'click'),
    class: fc.constantFrom('human', 'human', 'human', 'bot', 'preview', 'owner'),
    outcome: fc.constantFrom('served', 'served', 'served', 'private'),
    agent: fc.constantFrom(...AGENTS),
    language: fc.constantFrom('', 'en', 'fr'),
    country: fc.constant(''),
    clientIp: fc.constantFrom('192.0.2.1', '192.0.2.2', '192.0.2.3'),
  });
}

/** A visit by a person with a phone; `fields` override the defaults. */
export function visitOf(codeId: string, at: string, fields: Partial<Visit> = {}): Visit {
  return {
    codeId,
    at: Date.parse(at),
    source: 'scan',
    class: 'human',
    outcome: 'served',
    agent: AGENTS[0] as Visit['agent'],
    language: 'en',
    country: '',
    clientIp: '192.0.2.1',
    ...fields,
  } as Visit;
}

export async function emptyFigures(db: Database): Promise<void> {
  const text = `truncate visits, visit_hours, code_totals, visitor_days, visit_lanes, visit_journal, account_hours, account_facets,
    account_days, account_visitors, day_figures, code_marks, code_engagements, engagements, code_beacons`;
  await db.query({ name: '', text, values: [] });
}
