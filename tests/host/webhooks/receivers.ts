import { Webhook as Verifier } from 'standardwebhooks';
import { expect } from 'vitest';
import type { WebhookEvent } from '#contract/webhook-events';
import { WEBHOOK_MESSAGES } from '#contract/webhook-messages';
import type { Delivery, WebhookWithSecret } from '#contract/webhooks';
import {
  type PublicRequest,
  PublicRequestError,
  type PublicRequestFailure,
  type PublicResponse,
} from '#host/http/public-request';
import { createWebhookWorker } from '#host/webhooks/worker';
import type { TestAccount, TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

export interface Received {
  url: string;
  headers: Record<string, string>;
  body: string;
}

interface Answer {
  status: number;
  headers?: PublicResponse['headers'];
  body?: string;
}

/** Programs that are told: what they got, and how they answer by address; 204 by default. */
export class Receivers {
  readonly received: Received[] = [];
  readonly answers: Record<string, number | PublicRequestFailure | Answer | (() => Promise<number>)> = {};

  readonly requestPublic = async (url: string, request: PublicRequest = {}): Promise<PublicResponse> => {
    const { headers = {}, body = '', signal } = request;
    this.received.push({ url, headers, body });
    const answer = this.answers[url] ?? 204;
    if (typeof answer === 'string') throw new PublicRequestError(answer);
    const told = typeof answer === 'function' ? await orAborted(answer(), signal) : answer;
    const {
      status,
      headers: sent = {},
      body: text = '',
    }: Answer = typeof told === 'number' ? { status: told } : told;
    return { status, headers: sent, body: Buffer.from(text) };
  };

  clear(): void {
    this.received.length = 0;
    for (const url of Object.keys(this.answers)) delete this.answers[url];
  }

  at(url: string): Received[] {
    return this.received.filter((one) => one.url === url);
  }

  /** Types of the messages to an address, with the names of their codes. */
  typesAt(url: string): string[] {
    return this.at(url).map(({ body }) => {
      const { type, data } = JSON.parse(body);
      return `${type} ${data.code?.name ?? ''}`.trim();
    });
  }
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}

/** The parsed body of a message that its signature proves to be ours; throws for any other. */
export function verified({ headers, body }: Received, secret: string) {
  const message = new Verifier(secret).verify(body, headers) as {
    type: string;
    timestamp: string;
    data: Record<string, unknown> & { code: { id: string; name: string | null } };
  };
  // As documented, with nothing besides.
  const { schema } = WEBHOOK_MESSAGES[message.type as keyof typeof WEBHOOK_MESSAGES];
  expect(schema.parse(message)).toEqual(message);
  return message;
}

/** What an owner does on the page of webhooks. */
export function webhookCalls(current: () => { host: TestHost; account: TestAccount }) {
  const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const { host, account } = current();
    return send(host, method, `/api/webhooks${path}`, body, {
      token: account.token,
      ...(headers && { headers }),
    });
  };

  async function make(
    fields: { url?: string; events?: WebhookEvent[]; tag?: string; description?: string; key?: string } = {},
  ): Promise<WebhookWithSecret> {
    const made = await call('POST', '', {
      url: 'https://hooks.program.com/a',
      events: ['code.created', 'code.updated', 'code.deleted'],
      currentPassword: current().account.password,
      ...fields,
    });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    return made.body.data as WebhookWithSecret;
  }

  const read = async (id: string) => (await call('GET', `/${id}`)).body.data as WebhookWithSecret;
  const log = async (id: string) => (await call('GET', `/${id}/deliveries`)).body.data as Delivery[];
  /** As a host does it twice a second. */
  const deliver = () => createWebhookWorker(current().host.deps)();

  return { call, make, read, log, deliver };
}
