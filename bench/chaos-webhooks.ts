import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { CERTIFICATE } from '../tests/support/certificate';
import type { Row } from './row';

/** A key has 300 calls a minute. */
const [WRITERS, PAUSE_MS] = [4, 1_000];
const [RETRY_MS, ANSWER_MS] = [200, 10_000];

/** With which the programs under chaos reach the receiver, under the name of its certificate. */
export function receiverEnv(certificateFile: string): Record<string, string> {
  writeFileSync(certificateFile, CERTIFICATE.cert);
  return {
    NODE_EXTRA_CA_CERTS: certificateFile,
    NODE_OPTIONS: `--import ${pathToFileURL('bench/chaos-network.mjs')}`,
  };
}

interface Message {
  type: string;
  data: { code: { id: string; name: string } };
}

/**
 * Programs that rename codes by number until stopped, and a receiver of messages about it. Each change that was answered
 * must be told at least once, and those of a code in their order.
 */
export async function startWebhooks(callsUrl: string, token: string) {
  const answered = new Map<string, number[]>();
  const told = new Map<string, number[]>();
  let [secret, isRunning, strange] = ['', true, 0];

  const server = createServer(CERTIFICATE, async (request, response) => {
    try {
      const headers = request.headers as Record<string, string>;
      const { data } = new Webhook(secret).verify(await text(request), headers) as Message;
      told.set(data.code.id, [...(told.get(data.code.id) ?? []), Number(data.code.name)]);
    } catch {
      strange += 1;
    }
    response.writeHead(204).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `https://name.example:${(server.address() as AddressInfo).port}/hooks`;

  const ask = async (method: string, path: string, bearer: string, body: object) => {
    const answer = await fetch(callsUrl + path, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS),
    }).catch(() => null);
    return answer?.ok ? await answer.json().catch(() => null) : null;
  };
  const made = async (path: string, bearer: string, body: object) => {
    const answer = await ask('POST', path, bearer, body);
    if (!answer) throw new Error(`${path} made nothing`);
    return answer.data as { id: string; secret: string };
  };
  // Without a password, as the session is recent.
  const keyBody = { name: 'chaos', permission: 'change', key: randomUUID() };
  const { secret: key } = await made('/api/account/keys', token, keyBody);
  ({ secret } = await made('/api/v1/webhooks', key, { url, events: ['code.created', 'code.updated'] }));

  async function write(): Promise<void> {
    const { id } = await made('/api/v1/codes', key, { type: 'text', content: 'chaos', name: '0' });
    const numbers = [0];
    answered.set(id, numbers);
    for (let n = 1; isRunning; n += 1) {
      const isAnswered = await ask('PATCH', `/api/v1/codes/${id}`, key, { name: String(n) });
      if (isAnswered) numbers.push(n);
      await delay(isAnswered ? PAUSE_MS : RETRY_MS);
    }
  }

  const stopped = Promise.all(Array.from({ length: WRITERS }, write));
  return {
    stopped,
    stop: async () => {
      isRunning = false;
      await stopped;
    },
    /** Messages may come twice, but then before the next one about their code. */
    compare: () => {
      const compared = { all: 0, lost: 0, disordered: 0, again: 0, strange };
      for (const [id, numbers] of answered) {
        const arrived = (told.get(id) ?? []).filter((n) => numbers.includes(n));
        compared.all += numbers.length;
        compared.lost += numbers.filter((n) => !arrived.includes(n)).length;
        compared.disordered += arrived.filter((n, at) => n < (arrived[at - 1] ?? 0)).length;
        compared.again += arrived.length - new Set(arrived).size;
      }
      return compared;
    },
    close: () => server.close().closeAllConnections(),
  };
}

type Webhooks = Awaited<ReturnType<typeof startWebhooks>>;

export function reportWebhooks({
  all,
  lost,
  disordered,
  again,
  strange,
}: ReturnType<Webhooks['compare']>): Row {
  const figure = `${lost} lost, ${disordered} out of order and ${strange} unsigned of ${all}; ${again} came again`;
  const ok = all > 0 && lost === 0 && disordered === 0 && strange === 0;
  return { what: 'changes told to a webhook', figure, bar: '0, 0 and 0', ok };
}
