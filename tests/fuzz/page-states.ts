import { randomUUID } from 'node:crypto';
import { desc, eq } from 'drizzle-orm';
import { makeOffToken } from '#host/accounts/mail-settings';
import { makeMailToken, type Purpose } from '#host/accounts/mail-tokens';
import { createOnboarding } from '#host/accounts/onboarding';
import { sessions } from '#host/db/accounts.tables';
import { dropSecondFactor } from '#host/sign-in/second-factor';
import type { TestHost } from '../support/host';
import { act } from '../support/ordering';
import { addSignInWays } from '../support/sign-in-ways';
import type { Fields } from './bodies';
import type { Form } from './html-forms';
import { type Belongings, passwordOf } from './other-account';
import {
  insertRunningJob,
  orderAsStranger,
  RULED,
  reopenDeclaration,
  setSecondFactor,
  uploadImport,
} from './preparations';

const CREDENTIAL = JSON.stringify({
  id: 'AQID',
  rawId: 'AQID',
  type: 'public-key',
  clientExtensionResults: {},
  response: { clientDataJSON: 'e30', attestationObject: 'oA', authenticatorData: 'AA', signature: 'AA' },
});

/** The second step of a declaration, which confirms what was typed in the first. */
const DECLARATION = posted([
  ['name', ''],
  ['email', ''],
  ['reference', ''],
  ['key', 'key-of-declaration'],
  ['read', 'back'],
  ['step', 'confirm'],
]);

/** What a page needs from its URL and cookies to show its forms. */
export interface Entry {
  /** With its question mark. */
  search: string;
  /** Of a visitor who is not signed in. */
  cookie: string;
  /** Of the authenticator app, in base32; empty if there is none. */
  secret: string;
}

interface Website {
  host: TestHost;
  own: Belongings;
  mark: string;
  /** Posts a form as a visitor; returns the named cookie of the response, as a header. */
  post(path: string, fields: Record<string, string>, cookie: string): Promise<string>;
  /** Signs in as a new account, which replaces `own`. */
  renew(): Promise<Belongings>;
}

export type State = (website: Website) => Promise<Partial<Entry>>;

/**
 * The states in which pages show forms, for those that show none, or not all of them, to the owner of a populated
 * account. Each changes ids in `own` if it creates a row.
 */
const STATES: Record<string, State[]> = {
  '/user/qrcodes/selection': ['tag', 'style', 'archive', 'delete'].map(
    (act): State =>
      async ({ own }) => ({ search: `${selectionOf(own)}&act=${act}` }),
  ),
  '/user/qrcodes/sheet': [async ({ own }) => ({ search: selectionOf(own) })],
  '/user/qrcodes/zip': [async ({ own }) => ({ search: selectionOf(own) })],
  '/user/qrcodes/$id/rules': [withRules],
  '/user/qrcodes/$id/rules/$rule': [withRules],
  '/user/qrcodes/$id/rules/$rule/keep': [withRules],
  '/user/subscription': [withContract],
  '/user/subscription/cancel': [withContract],
  '/user/subscription/switch': [withContract],
  '/user/subscription/resume': [
    async ({ host, renew }) => {
      await act(host, (await renew()).token, 'cancel');
      return {};
    },
  ],
  '/user/qrcodes/import/$id': [
    async ({ host, own, mark }) => {
      own.import = await uploadImport(host, own.token, mark);
      return {};
    },
  ],
  '/user/qrcodes/jobs/$id': [
    async ({ host, own, mark }) => {
      own.jobs = [await insertRunningJob(host, own.accountId, mark), ...own.jobs.slice(0, 1)];
      return {};
    },
  ],
  '/user/settings/passkeys': [withSignInWays],
  '/user/settings/passkeys/$id': [withSignInWays],
  '/user/settings/google/$id': [withSignInWays],
  '/user/settings/two-step': [
    async ({ host, own }) => {
      await dropSecondFactor(host.db.orm, own.accountId);
      return {};
    },
    async (website) => ({ secret: await withSecondFactor(website, 'pending') }),
    async (website) => ({ secret: await withSecondFactor(website, 'on') }),
  ],
  '/login/code': [
    async (website) => {
      const secret = await withSecondFactor(website, 'on');
      const credentials = { email: website.own.email, password: passwordOf(website.mark) };
      return { secret, cookie: await website.post('/login', credentials, 'sign-in') };
    },
  ],
  '/declaration': [async ({ host, own }) => withToken(await reopenDeclaration(host, own.declaration))],
  '/confirm-order': [
    async ({ host, own, mark }) => {
      own.lapsed = await host.account({ access: false });
      return withToken((await orderAsStranger(host, { email: own.lapsed.email, name: mark })).token);
    },
  ],
  '/onboarding': [
    async ({ host }) => {
      const buyer = { email: `${randomUUID()}@test.example`, locale: 'gb' as const };
      return withToken((await createOnboarding(host.db.orm, host.deps, buyer, host.clock.now())).token ?? '');
    },
  ],
  '/reset-password': [mailLink('reset')],
  '/confirm-email': [mailLink('email_change')],
  '/mails-off': [
    async ({ host, own: { accountId } }) => {
      const link = { accountId, kind: 'destinationFailing' } as const;
      return withToken(makeOffToken(link, host.deps.settings.jwtSecrets));
    },
  ],
};

/** Forms that no page contains when it is opened, by route: only scripts send them, or another form leads to them. */
export const UNSHOWN_FORMS: Record<string, Form[]> = {
  '/user/settings/passkeys': [
    posted([
      ['intent', 'start'],
      ['name', ''],
      ['currentPassword', ''],
    ]),
    posted([
      ['intent', 'add'],
      ['name', ''],
      ['credential', CREDENTIAL],
    ]),
  ],
  '/login/passkey': [posted([['credential', CREDENTIAL]])],
  '/cancel-contract': [DECLARATION],
  '/withdraw': [DECLARATION],
  '/money-back': [DECLARATION],
};

function posted(fields: Fields): Form {
  return { method: 'POST', action: '', kind: 'urlencoded', fields };
}

/** Forms that pages show only if something was prepared, and some of those that no page shows when it is opened. */
export const FORMS_IN_STATES = [
  '/user/qrcodes/import file',
  '/user/qrcodes/import/$id skipDuplicates',
  '/user/qrcodes/jobs/$id ',
  '/user/settings/passkeys start,',
  '/user/settings/passkeys add,',
  '/user/settings/passkeys rename,',
  '/user/settings/passkeys/$id ',
  '/user/settings/google/$id ',
  '/login/code code',
  '/login/passkey ',
  ...['start,', 'confirm,', 'renew,', 'end,'].map((intent) => `/user/settings/two-step ${intent}`),
  '/declaration decision',
  '/confirm-order decision',
  '/confirm-email ',
  '/mails-off ',
  '/reset-password username,',
  '/onboarding username,',
  '/user/subscription/cancel ',
  '/user/subscription/resume ',
  ...['/cancel-contract ', '/withdraw ', '/money-back '].map(
    (path) => `${path}name,email,reference,key,read,step`,
  ),
  '/user/subscription/switch plan,price_cents',
  '/user/styles/$id ',
  '/user/qrcodes/selection ',
  '/user/qrcodes/$id/rules rule,',
  '/user/qrcodes/$id/rules/$rule languages,',
  '/user/qrcodes/$id/rules/$rule/keep ',
];

/** Brings a page into each state in which it shows other forms; one that changes nothing for most pages. */
export function statesOf(route: string): State[] {
  return STATES[route] ?? [async () => ({})];
}

function selectionOf({ codes }: Belongings): string {
  return `?id%5B%5D=${codes[0]}&id%5B%5D=${codes[1]}`;
}

/** A code with a split, and the first variant of it in the address. */
async function withRules({ host, own }: Website) {
  const { id } = await host.code(own.accountId, { routing: RULED });
  own.codes = [id, ...own.codes.slice(0, 4)];
  return { search: `?route=${RULED.rules[0]?.variants[0]?.route}` };
}

/** Earlier requests may have ended the contract. */
async function withContract({ renew }: Website) {
  await renew();
  return {};
}

async function withSignInWays({ host, own, mark }: Website) {
  Object.assign(own, await addSignInWays(host, own.accountId, { email: own.email, name: mark }));
  return {};
}

/** With the browser's session, which is the newest one: only the one that set it up is shown the secret. */
async function withSecondFactor({ host, own: { accountId } }: Website, state: 'pending' | 'on') {
  const [session] = await host.db.orm
    .select({ id: sessions.id })
    .from(sessions)
    .where(eq(sessions.accountId, accountId))
    .orderBy(desc(sessions.createdAt))
    .limit(1);
  return setSecondFactor(host, { accountId, sessionId: session?.id ?? '' }, state);
}

function mailLink(purpose: Purpose): State {
  return async ({ host, own: { accountId } }) => {
    const email = `${randomUUID()}@test.example`;
    const link = { accountId, purpose, email };
    return withToken(await makeMailToken(host.db.orm, host.deps.random, link, host.clock.now()));
  };
}

const withToken = (token: string) => ({ search: `?token=${token}` });
