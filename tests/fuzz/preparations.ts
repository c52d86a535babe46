import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { DAY_MS } from '#contract/time';
import { hashToken } from '#host/accounts/mail-tokens';
import { seal } from '#host/accounts/sealed-secrets';
import type { StoredRouting } from '#host/db/codes.tables';
import { codeJobs } from '#host/db/jobs.tables';
import { declarations, orders } from '#host/db/subscriptions.tables';
import { formKeyOf } from '#host/http/form-key';
import {
  confirmTotpSecret,
  dropSecondFactor,
  keepTotpSecret,
  replaceRecoveryCodes,
} from '#host/sign-in/second-factor';
import { base32, SECRET_BYTES } from '#host/sign-in/totp';
import type { TestHost } from '../support/host';
import { send } from '../support/json-calls';
import { checkout, enterCard, placeOrder } from '../support/ordering';

const ANY = { languages: [], systems: [], countries: [], weekdays: [], from: null, to: null };
/** Where a code leads that divides its visits. */
export const RULED: StoredRouting = {
  rules: [
    {
      ...ANY,
      id: 1,
      startsOn: null,
      endsOn: null,
      timeZone: null,
      variants: [
        { route: 2, target: 'https://a.example/', percent: 50 },
        { route: 3, target: 'https://b.example/', percent: 50 },
      ],
    },
  ],
  schedule: null,
  pause: null,
  end: null,
  next: 4,
};

/** Uploads a file with two valid rows, of which one is a duplicate, and one invalid row; returns its id. */
export async function uploadImport(host: TestHost, token: string, mark: string): Promise<string> {
  const rows = [
    'name,type,content',
    ...Array(2).fill(`${mark},link,https://${mark}.example/imported`),
    'x,?,',
  ];
  const form = new FormData();
  form.set('file', new File([rows.join('\n')], `${mark}.csv`, { type: 'text/csv' }));
  const response = await host.request('/api/imports', { method: 'POST', token, body: form });
  return (await response.json()).data.id;
}

/** A job that runs until it is stopped: its next batch is due in a year. */
export async function insertRunningJob(host: TestHost, accountId: string, tag: string): Promise<string> {
  const id = randomUUID();
  const now = host.clock.now();
  const dueAt = new Date(now.getTime() + 365 * DAY_MS);
  const job = { kind: 'bulk', act: 'tag', status: 'running', total: 5 } as const;
  await host.db.orm.insert(codeJobs).values({ ...job, id, accountId, tag, createdAt: now, dueAt });
  return id;
}

/** Replaces what there is of a second factor with one waiting for its first code, or a confirmed one; returns its secret. */
export async function setSecondFactor(
  host: TestHost,
  { accountId, sessionId }: { accountId: string; sessionId: string },
  state: 'pending' | 'on',
): Promise<string> {
  const { orm } = host.db;
  const { random, settings } = host.deps;
  const createdAt = host.clock.now();
  const secret = random(SECRET_BYTES);
  const sealed = seal(secret, accountId, { secrets: settings.jwtSecrets, random });
  await dropSecondFactor(orm, accountId);
  await keepTotpSecret(orm, { accountId, sealed, sessionId, createdAt });
  if (state === 'on') {
    await confirmTotpSecret(orm, { accountId, sealed }, 0, createdAt);
    await replaceRecoveryCodes(orm, accountId, { hashes: [randomUUID()], salt: randomUUID() }, createdAt);
  }
  return base32(secret);
}

/** A withdrawal that somebody declared in the name of an account's owner, which waits for a decision; returns its id. */
export async function declareAsStranger(
  host: TestHost,
  { email, name }: { email: string; name: string },
): Promise<string> {
  const key = randomUUID();
  await send(host, 'POST', '/api/contract/withdraw', { name, email, key, confirmed: true });
  await host.runBilling();
  const [row] = await host.db.orm
    .select({ id: declarations.id, outcome: declarations.outcome })
    .from(declarations)
    .where(eq(declarations.formKey, formKeyOf(key, [name, ''])));
  if (row?.outcome !== 'waiting') throw new Error(`the declaration does not wait, but is ${row?.outcome}`);
  return row.id;
}

/** Lets a declaration wait for a decision again; returns the token of a link to it. */
export async function reopenDeclaration(host: TestHost, id: string): Promise<string> {
  const token = newToken(host);
  await host.db.orm
    .update(declarations)
    .set({ outcome: 'waiting', decidedAt: null, tokenHash: hashToken(token) })
    .where(eq(declarations.id, id));
  return token;
}

/** An order that somebody placed for the owner of an account without access, and the token of the mailed link. */
export async function orderAsStranger(
  host: TestHost,
  { email, name }: { email: string; name: string },
): Promise<{ id: string; token: string }> {
  const placed = await placeOrder(host, { ...checkout({ trial: false, email, name }), key: randomUUID() });
  await enterCard(host, placed.redirectUrl);
  await host.runBilling();
  const token = newToken(host);
  const [row] = await host.db.orm
    .update(orders)
    .set({ tokenHash: hashToken(token) })
    .where(eq(orders.paymentIntent, placed.paymentIntent))
    .returning({ id: orders.id, status: orders.status });
  if (row?.status !== 'unconfirmed') throw new Error(`the order is not held, but ${row?.status}`);
  return { id: row.id, token };
}

function newToken(host: TestHost): string {
  return Buffer.from(host.deps.random(32)).toString('base64url');
}
