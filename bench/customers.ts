import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Job } from '#contract/jobs';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { cardOf, checkout } from './checkout';

export interface Orders {
  /** Of the forms that were sent. */
  keys: string[];
  answeredAt: number[];
}

interface Options {
  buyers: number;
  pauseMs: number;
  /** That name a client's IP address to the host. */
  headers: (clientIp: string) => Record<string, string>;
  /** Whether the buyers also enter a card, which the sandbox charges at once. */
  pays?: boolean;
}

const IMPORTED_ROWS = 1_000;
const MAILS_OF_ORDER = ['account-mail.onboarding', 'billing-mail.order_paid', 'billing-mail.receipt'];
const RETRY_MS = 100;
const ANSWER_MS = 10_000;
const BUYER = 'Ada Buyer';

/**
 * Buyers who order one plan after another until stopped, and retry everything until it succeeds: an order that was
 * started is completed even then. `stopped` resolves when they have left, and rejects once an order is refused.
 */
export function startBuyers(callsUrl: string, { buyers, pauseMs, headers, pays = false }: Options) {
  const orders: Orders = { keys: [], answeredAt: [] };
  let isRunning = true;

  async function buy(): Promise<void> {
    while (isRunning) {
      const key = `order-${randomUUID()}`;
      orders.keys.push(key);
      const order = checkout({ name: BUYER, email: emailOf(key), key, ...(pays && { trial: false }) });
      const clientHeaders = headers(clientIpOf(orders.keys.length));
      const cardPage = await persist(() => placeOrder(callsUrl, order, clientHeaders));
      if (pays) await persist(() => enterCard(cardPage));
      orders.answeredAt.push(performance.now());
      await delay(pauseMs);
    }
  }

  const stopped = Promise.all(Array.from({ length: buyers }, buy));
  return {
    orders,
    stopped,
    stop: async () => {
      isRunning = false;
      await stopped;
    },
  };
}

/** The result of the first attempt that is not `null`; one that is refused for good has to throw. */
async function persist<T>(attempt: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const result = await attempt();
    if (result !== null) return result;
    await delay(RETRY_MS);
  }
}

/** A successful response; null if there is none, or the program behind is away. Throws if the request is refused. */
async function askOnce(
  url: string,
  init: RequestInit = {},
): Promise<{ status: number; text: string } | null> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const answer = await fetch(url, { redirect: 'manual', ...init, signal })
    .then(async (response) => ({ status: response.status, text: await response.text() }))
    .catch(() => null);
  if (answer === null || answer.status >= 500) return null;
  if (answer.status >= 400) throw new Error(`${url} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
  return answer;
}

/** Subscribers who import one numbered file after another until stopped; the last one is completed even then. */
export function startImports(callsUrl: string, tokens: string[]) {
  let [count, isRunning] = [0, true];

  async function importAll(): Promise<void> {
    for (; isRunning; count += 1) await importFile(callsUrl, count, tokens[count % tokens.length] ?? '');
  }

  const stopped = importAll();
  return {
    stopped,
    stop: async () => {
      isRunning = false;
      await stopped;
      return count;
    },
  };
}

async function importFile(callsUrl: string, number: number, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await askOnce(`${callsUrl}/api${path}`, { headers, ...init });
    return answer && (JSON.parse(answer.text) as { data: Job }).data;
  };
  const targets = Array.from({ length: IMPORTED_ROWS }, (_, row) => importedAddress(number, row));
  const body = new FormData();
  body.set('file', new File([`url\n${targets.join('\n')}\n`], 'rows.csv', { type: 'text/csv' }));
  const json = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{}' };
  const report = await persist(() => ask('/imports', { method: 'POST', body }));
  const { id } = await persist(() => ask(`/imports/${report.id}/start`, json));
  await persist(async () => ((await ask(`/jobs/${id}`))?.status === 'done' ? true : null));
}

function importedAddress(number: number, row: number): string {
  return `https://import.example/${number}/${row}`;
}

/** Rows of this many files that became no code, and codes that are one too many. */
export async function compareImports(orm: Orm, files: number) {
  const found = await readRows<{ content: string; count: number }>(
    orm,
    sql`select content, count(*) from codes where content like 'https://import.example/%' group by content`,
  );
  const counts = new Map(found.map(({ content, count }) => [content, count]));
  const addresses = Array.from({ length: files * IMPORTED_ROWS }, (_, n) =>
    importedAddress(Math.floor(n / IMPORTED_ROWS), n % IMPORTED_ROWS),
  );
  return compare(addresses, counts);
}

/** Orders with these keys and what follows from each: a contract, a charge, an invoice and mails. */
export async function comparePurchases(orm: Orm, keys: string[]) {
  const countsOf = async (text: string) => {
    const found = await readRows<{ name: string; count: number }>(orm, sql.raw(text));
    return new Map(found.map(({ name, count }) => [name, count]));
  };
  const perOrder = (table: string, condition: string) =>
    countsOf(`select email as name, count(*) from orders join ${table} on ${condition} group by email`);
  const emails = keys.map(emailOf);
  const mails = emails.flatMap((email) => MAILS_OF_ORDER.map((template) => `${template} ${email}`));
  return {
    orders: compare(emails, await countsOf('select email as name, count(*) from orders group by email')),
    contracts: compare(
      emails,
      await perOrder('subscriptions', `order_id = orders.id and orders.status = 'complete'`),
    ),
    charges: compare(
      emails,
      await perOrder(
        'sandbox_objects',
        `sandbox_objects.customer_id = orders.customer_id and kind = 'charge'`,
      ),
    ),
    invoices: compare(emails, await perOrder('invoices', 'invoices.account_id = orders.owner_id')),
    mails: compare(
      mails,
      await countsOf(
        `select template || ' ' || "to" as name, count(*) from mails
         where text is not null and "to" like '${emailOf('%')}' group by name`,
      ),
    ),
  };
}

/** What is missing, and what is there too often or unexpectedly. */
function compare(expected: string[], counts: ReadonlyMap<string, number>) {
  const found = expected.filter((name) => counts.has(name)).length;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { all: expected.length, lost: expected.length - found, doubled: total - found };
}

function emailOf(key: string): string {
  return `${key}@shop.example`;
}

/** Every order comes from a different client address, so that no rate limit applies. */
function clientIpOf(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}

/** Returns the address of the card page. */
async function placeOrder(
  callsUrl: string,
  order: object,
  headers: Record<string, string>,
): Promise<string | null> {
  const answer = await askOnce(`${callsUrl}/api/subscriptions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(order),
  });
  return answer?.status === 201 ? (JSON.parse(answer.text).data.redirectUrl as string) : null;
}

async function enterCard(page: string): Promise<true | null> {
  const answer = await askOnce(page, { method: 'POST', body: new URLSearchParams(cardOf(BUYER)) });
  return answer?.status === 303 ? true : null;
}
