import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Statistics } from '#contract/statistics';
import { campaignOf } from '#host/codes/code/address-campaign';
import { areVisits, joinVisits, parseVisits, serializeVisits } from '#host/visits/count/journal';
import { createTestHost, START, type TestAccount, type TestHost } from '../../support/host';
import { routingCalls, to } from '../codes/routing-calls';

let host: TestHost;
let owner: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());
beforeEach(async () => {
  host.clock.set(START);
  owner = await host.account();
});

const visit = async (slug: string, headers: Record<string, string> = {}) =>
  (await host.request(`/r/${slug}`, { headers })).headers.get('location');

async function figures(filter: object = {}): Promise<Statistics> {
  const body = JSON.stringify({ period: 30, ...filter });
  const answered = await host.request('/api/qrcodes/stats', { method: 'POST', token: owner.token, body });
  return ((await answered.json()) as { data: Statistics }).data;
}

const change = (id: string, body: object) => routingCalls(host, owner.token).send('PATCH', id, body);

describe('visits by campaign', () => {
  test('are counted by what the address said at that time, for the account, a tag and a code', async () => {
    const code = await host.code(owner.id);
    const other = await host.code(owner.id, {
      content: 'https://other.example/?utm_source=mail&utm_medium=mail',
      tags: ['letters'],
    });
    const plain = await host.code(owner.id);
    await change(code.id, { campaign: { utm_source: 'flyer', utm_campaign: 'spring' } });
    await expect.poll(() => visit(code.slug)).toContain('spring');
    const before = (await figures({ code: code.id })).campaigns.values[0]?.visits ?? 0;
    await visit(code.slug);
    await visit(code.slug, { 'user-agent': 'Googlebot/2.1' });
    await visit(other.slug);
    await visit(plain.slug);
    await change(code.id, { campaign: { utm_source: 'flyer', utm_campaign: 'summer' } });
    // The host may answer with the old address for a moment.
    let late = 0;
    await expect
      .poll(async () => {
        const address = await visit(code.slug);
        if (address?.includes('spring')) late += 1;
        return address;
      })
      .toContain('summer');
    const all = await figures();
    const spring = { value: 'spring', visits: before + 1 + late };
    expect(all.campaigns.values).toContainEqual(spring);
    expect(all.campaigns.values).toContainEqual({ value: '', visits: 1 });
    expect(all.campaigns.values.map(({ value }) => value).sort()).toEqual(['', 'spring', 'summer']);
    expect(all.campaignSources.values.map(({ value }) => value)).toEqual(['flyer', 'mail']);
    expect(all.campaignMediums.values).toContainEqual({ value: 'mail', visits: 1 });
    const one = await figures({ code: code.id });
    expect(one.campaigns.values).toContainEqual(spring);
    expect(one.campaigns.values.map(({ value }) => value)).not.toContain('');
    const tagged = await figures({ tag: 'letters' });
    expect(tagged.campaignSources).toEqual({
      definition: 'campaign_sources',
      values: [{ value: 'mail', visits: 1 }],
    });
    const csv = await host.request('/api/qrcodes/stats/breakdowns.csv?period=30', { token: owner.token });
    const text = await csv.text();
    expect(text).toContain(`utm_campaign,spring,${spring.visits}\r\n`);
    expect(text).toContain('utm_medium,mail,1\r\n');
    const earlier = { period: undefined, from: '2026-02-01', to: '2026-02-20' };
    expect((await figures(earlier)).campaigns.values).toEqual([]);
  });

  test('of others are not seen, and leave with the account', async () => {
    const stranger = await host.account();
    const code = await host.code(stranger.id, { content: 'https://a.example/?utm_source=x' });
    await visit(code.slug);
    expect((await figures()).campaignSources.values).toEqual([]);
  });

  test('of an uncounted code leave no trace, and a paused one leads nowhere', async () => {
    const content = 'https://a.example/?utm_source=x';
    const uncounted = await host.code(owner.id, { content, isCounted: false });
    const paused = await host.code(owner.id, { content });
    await change(paused.id, { routing: { pause: { message: '' } } });
    expect(await visit(uncounted.slug)).toBe(content);
    await expect.poll(() => visit(paused.slug)).not.toBe(content);
    await host.db.query({ name: '', text: 'delete from campaign_days', values: [] });
    await visit(uncounted.slug);
    await visit(paused.slug);
    expect((await figures()).campaignSources.values).toEqual([]);
  });

  test('follow the target of a rule', async () => {
    const code = await host.code(owner.id);
    const calls = routingCalls(host, owner.token);
    await calls.add(code.id, { languages: ['de'], variants: to('https://de.example/?utm_source=rule') });
    await change(code.id, { campaign: { utm_source: 'code' } });
    await expect.poll(() => visit(code.slug)).toContain('code');
    await visit(code.slug, { 'accept-language': 'de' });
    expect((await figures({ code: code.id })).campaignSources.values).toContainEqual({
      value: 'rule',
      visits: 1,
    });
  });
});

test.each([
  ['https://a.example/', undefined],
  ['https://a.example/utm_source', undefined],
  ['https://a.example/#?utm_source=x', undefined],
  ['https://a.example/?utm_source=', undefined],
  ['https://a.example/?utm_source=a%00b', undefined],
  ['https://a.example/?utm_source=%C3%A9+b&utm_campaign=%zz', ['é b', '', '%zz']],
  [`https://a.example/?utm_source=${'é'.repeat(120)}`, ['é'.repeat(100), '', '']],
])('%s names %j', (address, named) => {
  expect(campaignOf(address)).toEqual(named);
});

test('the journal keeps campaigns beside rows that earlier releases read by their length', () => {
  const seen = {
    at: Date.parse('2026-03-02T12:00:00Z'),
    source: 'scan',
    class: 'human',
    outcome: 'served',
  } as const;
  const agent = { text: '', robot: null, device: 'phone', os: 'ios' } as const;
  const visitOf = (fields: object) => ({
    codeId: null,
    ...seen,
    agent,
    language: '',
    country: '',
    clientIp: '',
    ...fields,
  });
  const plain = serializeVisits([visitOf({})], () => '1');
  const campaign = serializeVisits([visitOf({}), visitOf({ campaign: ['a', '', 'b'] })], () => '1');
  const routed = serializeVisits([visitOf({ route: 3 })], () => '1');
  expect(JSON.parse(plain)).toHaveLength(2);
  expect(JSON.parse(campaign)[2]).toEqual([]);
  const joined = joinVisits([plain, campaign, routed]);
  expect(areVisits(joined)).toBe(true);
  const read = parseVisits(joined, new Date(seen.at));
  expect(read.map(({ route, campaign: named }) => [route, named])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
    [undefined, ['a', '', 'b']],
    [3, undefined],
  ]);
  expect(areVisits(campaign.replace('"a"', '"\\u0000"'))).toBe(false);
});
