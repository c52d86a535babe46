import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { like } from 'drizzle-orm';
import type { Campaign, VisitCampaign } from '#contract/campaign';
import type { CodeType } from '#contract/contents/contents';
import { decide, systemOf } from '#contract/routing-decision';
import type { Routing } from '#contract/routing-rules';
import type { Style } from '#contract/style-rules';
import { DAY_MS, HOUR_MS } from '#contract/time';
import { createApp } from '#host/app';
import { createDeps } from '#host/create-deps';
import type { Database } from '#host/db/client';
import { destinations } from '#host/db/insight.tables';
import { purchaseSamplePlans } from '#host/demo-purchases';
import type { HostEnv } from '#host/env';
import { clientOf } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { createLog } from '#runtime/log';
import { createAccount, findAccountByEmail } from './accounts/store';
import { campaignOf } from './codes/code/address-campaign';
import { readLogo } from './codes/logos/images';
import { countEngagement, type EngagementRow } from './engagements/store';
import { collectDestinations } from './insight/watch/check';
import { openSession } from './sign-in/open-session';
import type { Visit } from './visits/receive/classify';
import { readAgent } from './visits/receive/classify';
import { VisitRecorder } from './visits/receive/recorder';

// The host with a sample account for trying the product: `npm run demo` creates it in a separate data folder, `npm
// start` never does.

const EMAIL = 'demo@quadrille.example';
const PASSWORD = 'squared paper 8x8';
/** Since the account was created. */
const AGE_DAYS = 321;
/** Since its codes were created. */
const DAYS = 90;
const ENGAGED_EVERY = 20;

interface Sample {
  type: CodeType;
  data: string;
  subject?: string;
  logoPreset?: string;
  logo?: keyof typeof LOGOS;
  look?: keyof typeof LOOKS;
  isPublic?: false;
  perDay: number;
  act?: EngagementRow['kind'];
  rules?: object[];
  campaign?: Campaign;
}

/** Looks of some codes, which are also saved by name. */
const LOOKS = {
  Roastery: {
    moduleShape: 'bars-vertical',
    ringShape: 'rounded',
    centreShape: 'rounded',
    moduleColour: '#3a1d08',
    cornerColour: '#7a3b10',
    groundColour: '#fffaf2',
    frame: 'caption-below',
    caption: 'Scan for the menu',
    frameColour: '#3a1d08',
  },
  Harbour: {
    moduleShape: 'rounded',
    ringShape: 'leaf',
    centreShape: 'leaf',
    moduleColour: '#0b5c7a',
    cornerColour: '#083d52',
    gradientColour: '#0b3f7a',
    gradientAngle: 45,
  },
} satisfies Record<string, Partial<Style>>;

const SAMPLES: Sample[] = [
  {
    type: 'link',
    data: 'https://example.com/menu',
    logo: 'roastery.svg',
    look: 'Roastery',
    perDay: 14,
    act: 'report',
    campaign: { utm_source: 'table', utm_medium: 'print', utm_campaign: 'menu-{id}' },
    rules: [
      {
        weekdays: [5, 6],
        from: '17:00',
        to: '23:00',
        timeZone: 'Europe/Paris',
        variants: [{ target: 'https://example.com/menu/dinner' }],
      },
      { languages: ['de'], variants: [{ target: 'https://example.com/de/speisekarte' }] },
    ],
  },
  {
    type: 'link',
    data: 'https://example.com/spring-sale?from=poster',
    logo: 'sail.svg',
    look: 'Harbour',
    perDay: 6,
    campaign: { utm_source: 'poster', utm_medium: 'print', utm_campaign: 'spring sale' },
    rules: [
      {
        variants: [
          { target: 'https://example.com/spring-sale/photos', percent: 50 },
          { target: 'https://example.com/spring-sale/prices', percent: 50 },
        ],
      },
    ],
  },
  { type: 'text', data: 'Table 12: ring twice, the kitchen is upstairs.', perDay: 2, act: 'copy' },
  {
    type: 'email',
    data: 'hello@example.com',
    subject: 'A question',
    logoPreset: 'mail.svg',
    perDay: 2,
    act: 'write',
  },
  { type: 'wifi', data: 'WIFI:T:WPA;S:Guests;P:welcome-in-2026;;', logoPreset: 'wifi.svg', perDay: 0 },
  { type: 'link', data: 'https://example.com/draft', isPublic: false, perDay: 0 },
  {
    type: 'contact',
    data: JSON.stringify({
      givenName: 'Ada',
      familyName: 'Byron',
      organisation: 'Roastery',
      jobTitle: 'Owner',
      mobilePhone: '+44 20 7946 0958',
      workEmail: 'ada@example.com',
      contactWebsite: 'https://example.com',
      workStreet: '12 rue des Carreaux',
      workPostcode: '75011',
      workCity: 'Paris',
    }),
    perDay: 1,
    act: 'save',
  },
  {
    type: 'event',
    data: JSON.stringify({
      eventTitle: 'Night of the beans',
      startDate: '2027-05-01',
      startTime: '19:00',
      endTime: '01:00',
      timeZone: 'Europe/Paris',
      venue: '12 rue des Carreaux, Paris',
      description: 'Tasting, music and cake.',
    }),
    perDay: 1,
    act: 'save',
  },
  {
    type: 'place',
    data: JSON.stringify({ position: '48.8566, 2.3522', placeName: 'Roastery' }),
    perDay: 1,
    act: 'map',
  },
  {
    type: 'app',
    data: JSON.stringify({
      appStore: 'https://apps.apple.com/app/id123456789',
      googlePlay: 'https://play.google.com/store/apps/details?id=com.example.roastery',
    }),
    perDay: 1,
  },
];

/** Uploaded logos: a coffee bean, and a sail on a wave. */
const LOGOS = {
  'roastery.svg': `<circle cx="128" cy="128" r="128" fill="#5a2d0c"/><ellipse cx="128" cy="128" rx="58" ry="84" fill="#f3e3c8" transform="rotate(30 128 128)"/><path d="M96 58c40 36 14 96 62 140" stroke="#5a2d0c" stroke-width="14" fill="none"/>`,
  'sail.svg': `<rect width="256" height="256" rx="48" fill="#0b5c7a"/><path d="M120 36v132H48z" fill="#fff"/><path d="M136 68l64 100h-64z" fill="#ffb454"/><path d="M32 196q24-24 48 0t48 0 48 0 48 0" stroke="#fff" stroke-width="14" fill="none" stroke-linecap="round"/>`,
};

const AGENTS = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
];

/** Whether the sample account is in the database already. */
export async function hasSample(db: Database): Promise<boolean> {
  return (await findAccountByEmail(db.orm, EMAIL)) !== null;
}

export function announceSample(): void {
  process.stdout.write(`\nSample account: ${EMAIL}\nPassword:       ${PASSWORD}\n\n`);
}

/** With files of its own: those of the host belong to a database that is finished. */
export async function makeSample(db: Database, env: HostEnv): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sample-'));
  try {
    await fill(db, { ...env, DATA_DIR: folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill(db: Database, env: HostEnv): Promise<void> {
  const now = new Date();
  let time = now.getTime() - AGE_DAYS * DAY_MS;
  const deps = await createDeps(
    {
      db,
      log: createLog('demo', 'warn'),
      random: (bytes) => randomBytes(bytes),
      clock: {
        now: () => new Date(time),
        set: (date) => {
          time = date.getTime();
        },
      },
    },
    // The sample must not cause any outgoing requests, and has only a few codes.
    { ...env, PAYMENTS: 'sandbox', SMTP_URL: undefined, CAPTCHA_SECRET: undefined, KNOWN_CODES: 1_000 },
  );
  // With this clock the day of the first visit has not ended, so that visitors are counted on every day.
  const recorder = new VisitRecorder({
    ...deps,
    clock: { now: () => new Date(now.getTime() - DAYS * DAY_MS) },
  });
  const app = createApp(deps, recorder);
  const account = { id: randomUUID(), email: EMAIL, roles: ['ROLE_USER'] };
  // Starts the process that decodes uploads before there are any.
  readLogo(logoFile('roastery.svg'), clientOf('', account.id), deps.log).catch(() => undefined);
  await createAccount(db.orm, {
    id: account.id,
    email: EMAIL,
    firstName: 'Ada',
    lastName: 'Byron',
    passwordHash: await deps.passwords.hash(PASSWORD, clientOf('', account.id)),
    createdAt: deps.clock.now(),
  });
  let codes: Made[] = [];
  await purchaseSamplePlans({ deps, app, account }, now, async () => {
    codes = await makeCodes(deps, app, account);
  });
  await failOneDestination(db, now);
  for (const code of codes) await visitAndEngage(db, recorder, code, now);
  await recorder.close();
}

/** The demo asks nobody: one destination fails in the data. */
async function failOneDestination({ orm }: Database, now: Date): Promise<void> {
  await collectDestinations(orm, now);
  const failingSince = new Date(now.getTime() - 2 * DAY_MS);
  const confirmedAt = new Date(failingSince.getTime() + HOUR_MS);
  const checkedAt = new Date(now.getTime() - HOUR_MS);
  await orm
    .update(destinations)
    .set({ problem: 'status', status: 404, failures: 3, failingSince, confirmedAt, checkedAt })
    .where(like(destinations.address, '%/spring-sale%'));
}

interface Made extends Sample {
  id: string;
  routing: Routing;
  led: VisitCampaign | undefined;
}

/** Uses the call that a browser makes. */
async function makeCodes(
  deps: Deps,
  app: ReturnType<typeof createApp>,
  account: Parameters<typeof openSession>[1],
): Promise<Made[]> {
  const token = await openSession(deps, account, { remember: false, userAgent: '' });
  const made: Made[] = [];
  for (const sample of SAMPLES) {
    const { type, data, subject = '', logo, logoPreset, look, isPublic = true } = sample;
    const form = new FormData();
    form.set('type', type);
    form.set('data', data);
    form.set('isPublic', String(isPublic));
    form.set(
      'parameters',
      JSON.stringify({ useWhiteBackground: true, subject, ...(look && { style: LOOKS[look] }) }),
    );
    if (logoPreset) form.set('logoPreset', logoPreset);
    if (logo) form.set('logo', logoFile(logo));
    const headers = { Authorization: `Bearer ${token}` };
    const response = await app.request('/api/qrcodes', { method: 'POST', headers, body: form });
    if (!response.ok) throw new Error(`a code was refused: ${await response.text()}`);
    const { id } = (await response.json()).data;
    const { rules = [], campaign = null } = sample;
    const body = JSON.stringify({ routing: { rules }, campaign });
    const changed = await app.request(`/api/qrcodes/${id}`, { method: 'PATCH', headers, body });
    if (!changed.ok) throw new Error(`rules were refused: ${await changed.text()}`);
    const led = campaignOf((await changed.json()).data.finalAddress ?? '');
    const routed = await app.request(`/api/qrcodes/${id}/routing`, { headers });
    made.push({ ...sample, id, led, routing: (await routed.json()).data.routing });
    deps.clock.set?.(new Date(deps.clock.now().getTime() + 60_000));
  }
  for (const [name, style] of Object.entries(LOOKS)) {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ name, style });
    const response = await app.request('/api/styles', { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`a style was refused: ${await response.text()}`);
  }
  return made;
}

function logoFile(name: keyof typeof LOGOS): File {
  return new File(
    [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 256 256">${LOGOS[name]}</svg>`],
    name,
  );
}

async function visitAndEngage(db: Database, recorder: VisitRecorder, code: Made, now: Date): Promise<void> {
  const { id, act } = code;
  // The destination reports from its first day on, so that the visitors of later days count as measured.
  for (const days of [
    [DAYS - 1, DAYS - 1],
    [DAYS - 2, 0],
  ] as const) {
    await visit(recorder, code, now, days);
    if (!act) continue;
    await recorder.idle();
    await engage(db, id, act);
  }
}

/**
 * Visits with weekly variation and slow growth, by people, occasional robots and link previews, between two days given
 * as days ago.
 */
async function visit(
  recorder: VisitRecorder,
  { id, perDay, routing, led }: Made,
  now: Date,
  [first, last]: readonly [first: number, last: number],
): Promise<void> {
  const visits: Visit[] = [];
  for (let day = first; day >= last; day -= 1) {
    const midnight = Math.floor(now.getTime() / DAY_MS - day) * DAY_MS;
    const isWeekend = [0, 6].includes(new Date(midnight).getUTCDay());
    const count = Math.round(perDay * (isWeekend ? 1.6 : 1) * (1 + (DAYS - day) / DAYS));
    for (let n = 0; n < count; n += 1) {
      const at = midnight + dayTime(n, count);
      if (at < now.getTime())
        visits.push({ ...sampleVisit(id, at, n), campaign: led, ...routeOf(routing, at, n) });
    }
  }
  await Promise.all(visits.map((each) => recorder.record(each)));
}

/** Some visitors of a page act on it, and some destinations report engagements. */
async function engage(db: Database, codeId: string, kind: EngagementRow['kind']): Promise<void> {
  const visitors = await db.query<{ day: string; visitor: string }>({
    name: '',
    text: 'select day::text, visitor::text from visitor_days where code_id = $1 order by day, visitor',
    values: [codeId],
  });
  for (const person of visitors.filter((_, n) => n % ENGAGED_EVERY === 0)) {
    await countEngagement(db, { codeId, ...person, kind });
  }
}

/** Milliseconds since midnight: from 7:00 to 23:00, with peaks at 11:00 and 19:00. */
function dayTime(n: number, count: number): number {
  const part = (n + 0.5) / Math.max(1, count);
  return Math.round((7 + 16 * (part + 0.06 * Math.sin(4 * Math.PI * part))) * HOUR_MS);
}

const COUNTRIES = ['FR', 'FR', 'DE', 'FR', 'GB', 'FR', 'BE', 'ES', 'FR', 'IT', ''];

/** As rules would have led it; codes without any are not counted by route. */
function routeOf(routing: Routing, at: number, n: number): Pick<Visit, 'route'> {
  if (routing.rules.length === 0) return {};
  const { agent, language, country } = sampleVisit('', at, n);
  const asked = { at, language, country, system: systemOf(agent.os) };
  const decision = decide(routing, asked, () => ((n * 37) % 100) / 100);
  return { route: decision.kind === 'target' ? decision.route : undefined };
}

function sampleVisit(codeId: string, at: number, n: number): Visit {
  const userAgent = AGENTS[n % AGENTS.length] as string;
  const isRobot = n % 17 === 16;
  return {
    codeId,
    at,
    source: n % 5 === 4 ? 'click' : 'scan',
    class: isRobot ? 'bot' : n % 23 === 22 ? 'preview' : 'human',
    outcome: 'served',
    agent: readAgent(userAgent),
    language: ['en', 'fr', 'de', 'es', 'it'][n % 5] as string,
    country: COUNTRIES[n % COUNTRIES.length] as string,
    clientIp: `192.0.2.${(n * 7) % 250}`,
  };
}
