import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import sharp from 'sharp';
import { transferDraft } from '#host/codes/drafts/store';
import { insertLogo } from '#host/codes/logos/store';
import { makeApiKey } from '../support/api-keys';
import type { TestHost } from '../support/host';
import { buy, onboard, transactions } from '../support/ordering';
import { addSignInWays } from '../support/sign-in-ways';
import {
  declareAsStranger,
  insertRunningJob,
  orderAsStranger,
  setSecondFactor,
  uploadImport,
} from './preparations';

export interface Belongings {
  accountId: string;
  email: string;
  token: string;
  /** The secret of an API key. */
  key: string;
  codes: string[];
  slugs: string[];
  address: string;
  style: string;
  jobs: string[];
  import: string;
  passkey: string;
  /** Id of a linked Google account. */
  google: string;
  /** Waiting for a decision of the owner. */
  declaration: string;
  /** Waiting for a decision of `lapsed`. */
  order: string;
  /** Another account, without access. */
  lapsed: { email: string; token: string };
  session: string;
  draft: string;
  invoice: string;
  paymentIntent: string;
}

/** The password of an account, derived from its mark. */
export function passwordOf(mark: string): string {
  return `four loud lamps over ${mark}`;
}

/** Tables whose owner is that of a row in another table. */
const OWNED_BY = [
  ['payment_id', 'payments'],
  ['job_id', 'code_jobs'],
  ['import_id', 'code_imports'],
] as const;

/** Tables in which anybody may cause rows for another's e-mail address, such as mails and their tokens. */
const OPEN_TO_ALL = new Set(['mails', 'mail_tokens', 'link_requests', 'rate_limits']);

/** Tables in which the bystander must have rows: a digest of none would never change. */
const FILLED = [
  'accounts',
  'api_keys',
  'billing_addresses',
  'code_import_parts',
  'code_imports',
  'code_jobs',
  'codes',
  'declarations',
  'drafts',
  'identities',
  'invoices',
  'jobs',
  'logos',
  'orders',
  'passkeys',
  'payments',
  'recovery_codes',
  'sessions',
  'styles',
  'subscriptions',
  'tags',
  'totp_secrets',
];

/** The account that no request may touch: a populated one with a second factor. */
export async function createOtherAccount(host: TestHost, mark: string): Promise<Belongings> {
  const otherAccount = await createPopulatedAccount(host, mark);
  await setSecondFactor(host, { accountId: otherAccount.accountId, sessionId: otherAccount.session }, 'on');
  await host.recorder.idle();
  const digests = await digestOf(host, otherAccount);
  const nothing = createHash('md5').update('').digest('hex');
  const empty = FILLED.filter((table) => (digests[table] ?? nothing) === nothing);
  if (empty.length > 0) throw new Error(`the bystander has no ${empty.join(', ')}`);
  return otherAccount;
}

/**
 * Creates an account with data of every kind: codes, logo, address, style, jobs, import, draft, passkey, Google account,
 * declaration, order and invoice.
 */
export async function createPopulatedAccount(host: TestHost, mark: string): Promise<Belongings> {
  const { accountId, email, placed, body } = await buy(host, { trial: false, address: `1 rue ${mark}` });
  const token = await signInWithOwnPassword(host, email, mark);
  const square = { create: { width: 8, height: 8, channels: 4, background: '#b3261e' } } as const;
  const logo = { id: randomUUID(), name: `${mark}.png`, png: await sharp(square).png().toBuffer() };
  await insertLogo(host.db.orm, { ...logo, createdAt: host.clock.now() });
  const codes = [
    await host.code(accountId, { content: `https://${mark}.example/`, logoId: logo.id }),
    await host.code(accountId, { type: 'text', content: `note of ${mark}` }),
    await host.code(accountId, { type: 'wifi', content: `WIFI:T:WPA;S:${mark};P:long-enough;;` }),
    await host.code(accountId, {
      type: 'email',
      content: `${mark}@mail.example`,
      subject: mark,
      visibility: 'private',
    }),
    await host.code(accountId, { content: `https://${mark}.example/gone`, deletedAt: host.clock.now() }),
  ];
  const address = await post(host, token, '/api/account/billing-addresses', {
    street: `2 rue ${mark}`,
    city: 'Paris',
    postal_code: '75011',
    country: 'FR',
  });
  const style = await post(host, token, '/api/styles', {
    name: mark,
    isDefault: true,
    style: { moduleShape: 'dots', frame: 'badge', caption: mark },
  });
  const job = await post(host, token, '/api/jobs', { act: 'tag', tag: mark, ids: [codes[0]?.id] });
  const jobs = [job.data.id, await insertRunningJob(host, accountId, mark)];
  const ways = await addSignInWays(host, accountId, { email: `${mark}@google.example`, name: mark });
  const lapsed = await host.account({ access: false });
  const declaration = await declareAsStranger(host, { email, name: body.name });
  const ordered = await orderAsStranger(host, { email: lapsed.email, name: mark });
  const form = new FormData();
  form.set('visitor', `the key of the browser of ${mark}`);
  form.set('fields', JSON.stringify({ type: 'text', content: `draft of ${mark}` }));
  const saved = await host.request('/api/drafts', { method: 'POST', body: form });
  const draft = (await saved.json()).data.id;
  await transferDraft(host.db.orm, draft, accountId, host.clock.now());
  const signIn = await (await host.request('/api/account/sign-in', { token })).json();
  const [charge] = await transactions(host, token);
  return {
    accountId,
    email,
    token,
    key: (await makeApiKey(host, { token, password: passwordOf(mark) })).secret,
    draft,
    address: address.data.id,
    style: style.data.id,
    jobs,
    ...ways,
    lapsed,
    declaration,
    order: ordered.id,
    import: await uploadImport(host, token, mark),
    codes: codes.map(({ id }) => id),
    slugs: codes.map(({ slug }) => slug),
    session: signIn.data.sessions[0].id,
    invoice: charge?.invoice?.path.split('/').at(-1) ?? '',
    paymentIntent: placed.paymentIntent,
  };
}

async function signInWithOwnPassword(host: TestHost, email: string, mark: string): Promise<string> {
  const password = passwordOf(mark);
  const passwords = { currentPassword: 'three quiet lamps over water', newPassword: password };
  await post(host, await onboard(host, email), '/api/account/change-password', passwords);
  return (await post(host, '', '/api/login_check', { email, password })).token;
}

async function post(host: TestHost, token: string, path: string, body: object) {
  return (await host.request(path, { method: 'POST', token, body: JSON.stringify(body) })).json();
}

/** Digests of all rows of an account by table, except the tables in which strangers may cause rows. */
export async function digestOf(host: TestHost, owner: Belongings): Promise<Record<string, string>> {
  const columns = await rows<{ table_name: string; names: string }>(
    host,
    sql`select table_name, string_agg(column_name, ',') as names from information_schema.columns
        where table_schema = 'public' group by table_name order by table_name`,
  );
  const queries = columns
    .filter(({ table_name }) => !OPEN_TO_ALL.has(table_name))
    .flatMap(({ table_name, names }) => {
      const owned = ownedRows(table_name, names.split(','), owner);
      return owned ? [{ table: table_name, owned }] : [];
    })
    .map(
      ({ table, owned }) =>
        sql`select ${table} as name, md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as digest
            from ${sql.identifier(table)} t where ${owned}`,
    );
  const digests = await rows<{ name: string; digest: string }>(host, sql.join(queries, sql` union all `));
  return Object.fromEntries(digests.map(({ name, digest }) => [name, digest]));
}

function ownedRows(table: string, columns: string[], { accountId, declaration, order }: Belongings) {
  // Strangers may declare and order in anybody's name, which adds rows for its owner to decide.
  if (table === 'declarations') return sql`id = ${declaration}`;
  if (table === 'orders') return sql`owner_id = ${accountId} or id = ${order}`;
  if (table === 'jobs') return sql`subject in (${accountId}, ${declaration}, ${order})`;
  if (table === 'accounts') return sql`id = ${accountId}`;
  if (table === 'logos') return sql`id in (select logo_id from codes where account_id = ${accountId})`;
  // A problem belongs to the owner of the job, who may have named somebody else's code.
  if (table === 'code_job_problems')
    return sql`job_id in (select id from code_jobs where account_id = ${accountId})`;
  if (columns.includes('account_id')) return sql`account_id = ${accountId}`;
  if (columns.includes('code_id'))
    return sql`code_id in (select id from codes where account_id = ${accountId})`;
  for (const [column, owner] of OWNED_BY) {
    if (columns.includes(column))
      return sql`${sql.identifier(column)} in (select id from ${sql.identifier(owner)} where account_id = ${accountId})`;
  }
  return undefined;
}

/** Runs a query whose result Drizzle does not type. */
async function rows<Row>(host: TestHost, query: ReturnType<typeof sql>): Promise<Row[]> {
  const result = (await host.db.orm.execute(query)) as unknown as { rows: Row[] };
  return result.rows;
}
