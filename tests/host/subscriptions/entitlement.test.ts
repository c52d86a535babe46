import { expect } from 'vitest';
import type { TestHost } from '../../support/host';
import { test } from '../../support/host-test';
import { send } from '../../support/json-calls';
import { advance, buy, onboard, signIn, subscriptionOf } from '../../support/ordering';

const JSON_CALLER = { headers: { accept: 'application/json' } };

/** An account whose trial ended unpaid a year ago, with a link and a text code printed before. */
async function expireForYear(host: TestHost) {
  const bought = await buy(host, {}, 'neverAgain');
  await onboard(host, bought.email);
  const link = await host.code(bought.accountId, { content: 'https://printed.example/menu' });
  const text = await host.code(bought.accountId, { type: 'text', content: 'Ring twice' });
  await advance(host, '49h');
  await advance(host, '14d');
  await advance(host, '365d');
  expect((await subscriptionOf(host, bought.accountId)).status).toBe('expired');
  return { token: await signIn(host, bought.email), link, text };
}

test('printed codes of a subscription that expired a year ago still work, and their visits are counted', async ({
  host,
}) => {
  const { token, link, text } = await expireForYear(host);
  for (const path of [`/r/${link.slug}`, `/l/${link.slug}`]) {
    const answer = await host.request(path);
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('https://printed.example/menu');
  }
  const shown = await host.request(`/r/${text.slug}`, JSON_CALLER);
  expect(shown.status).toBe(200);
  expect(await shown.json()).toMatchObject({ data: { kind: 'text', text: 'Ring twice' } });
  await host.recorder.idle();
  const { data } = (await (await host.request('/api/qrcodes', { token })).json()) as {
    data: { id: string; visits: { total: number } }[];
  };
  expect(Object.fromEntries(data.map(({ id, visits }) => [id, visits.total]))).toEqual({
    [link.id]: 2,
    [text.id]: 1,
  });
});

test('without access codes cannot be created or changed nor figures read; lists, downloads and deletion work', async ({
  host,
}) => {
  const { token, link } = await expireForYear(host);
  const form = new FormData();
  for (const [name, value] of Object.entries({
    type: 'link',
    data: 'https://new.example/',
    isPublic: 'true',
  })) {
    form.set(name, value);
  }
  const created = await host.request('/api/qrcodes', { method: 'POST', body: form, token });
  const refused = [
    { status: created.status, body: await created.json() },
    await send(host, 'PATCH', `/api/qrcodes/${link.id}`, { content: 'https://other.example/' }, { token }),
    await send(host, 'POST', '/api/qrcodes/stats', { period: 30 }, { token }),
    await send(host, 'GET', `/api/qrcodes/${link.id}/visits`, undefined, { token }),
    await send(host, 'GET', '/api/qrcodes/stats/stream', undefined, { token }),
  ];
  for (const answer of refused) {
    expect(answer).toMatchObject({ status: 402, body: { code: 'subscription_required' } });
  }
  expect((await host.request(`/r/${link.slug}`)).headers.get('location')).toBe(
    'https://printed.example/menu',
  );
  for (const path of ['/api/qrcodes', '/api/qrcodes/codes.csv', '/api/qrcodes/stats/daily.csv?period=30']) {
    const answer = await host.request(path, { token });
    expect(answer.status, path).toBe(200);
    await answer.text();
  }
  expect((await send(host, 'DELETE', `/api/qrcodes/${link.id}`, undefined, { token })).status).toBe(200);
});
