import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ListedCode } from '#contract/codes';
import { runDueJobs } from '#host/codes/bulk/run';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

describe('searching codes', () => {
  let host: TestHost;
  let account: TestAccount;

  beforeAll(async () => {
    host = await createTestHost();
  });
  afterAll(() => host.close());

  async function found(query: Record<string, string>): Promise<string[]> {
    const requested = new URLSearchParams({ limit: '100', ...query });
    const answer = await host.request(`/api/qrcodes?${requested}`, { token: account.token });
    expect(answer.status).toBe(200);
    const { data, meta } = (await answer.json()) as { data: ListedCode[]; meta: { total: number } };
    expect(meta.total).toBe(data.length);
    return data.map(({ name, content }) => name ?? content);
  }

  async function acted(filter: object) {
    const { status, body } = await send(host, 'POST', '/api/jobs', { act: 'archive', filter }, account);
    return { status, body: body as { data: { total: number }; errors?: object } };
  }

  async function foundInStatistics(text: string): Promise<string[]> {
    const path = `/api/qrcodes/stats/codes?${new URLSearchParams({ text })}`;
    const { data } = (await send(host, 'GET', path, undefined, account)).body;
    return (data as { codes: ListedCode[] }).codes.map(({ name, content }) => name ?? content);
  }

  test('the end of the longest content is found, too', async () => {
    account = await host.account();
    const content = {
      title: 'Concert',
      description: 'x '.repeat(499),
      eventPage: 'https://tickets.example/xyz',
    };
    await host.code(account.id, { type: 'event', name: 'Concert', content: JSON.stringify(content) });
    expect(await found({ search: 'tickets.example/XYZ' })).toEqual(['Concert']);
  });

  test('case and accents are ignored in names, contents and tags, and by acts on all matching codes', async () => {
    account = await host.account();
    await host.code(account.id, { name: 'Menü' });
    await host.code(account.id, { name: 'Hauptstraße 4' });
    await host.code(account.id, { type: 'text', content: 'FRÜHSTÜCK à la carte' });
    await host.code(account.id, { name: 'Tagged', tags: ['Été'] });
    await host.code(account.id, { name: 'İzmir Ελλάδα' });
    await host.code(account.id, { name: 'Œuvre d’art' });
    await host.code(account.id, { type: 'text', content: 'Smørre\u00adbrød „Lodz“' });
    for (const [search, names] of [
      ['menu', ['Menü']],
      ['MENÜ', ['Menü']],
      ['Menu\u0308', ['Menü']],
      ['strasse', ['Hauptstraße 4']],
      ['STRAßE  4', ['Hauptstraße 4']],
      ['fruhstuck A la', ['FRÜHSTÜCK à la carte']],
      ['ETE', ['Tagged']],
      ['izmir ελλαδα', ['İzmir Ελλάδα']],
      ['oeuvre', ['Œuvre d’art']],
      ["OEUVRE D'ART", ['Œuvre d’art']],
      ['œuv\u00adre\u200b d’art', ['Œuvre d’art']],
      ['smorre', ['Smørre\u00adbrød „Lodz“']],
      ['brod "łódź"', ['Smørre\u00adbrød „Lodz“']],
      ['menus', []],
    ] as const) {
      expect([search, await found({ search })]).toEqual([search, names]);
      expect([search, await foundInStatistics(search)]).toEqual([search, names]);
      expect([search, (await acted({ search })).body.data.total]).toEqual([search, names.length]);
      await runDueJobs(host.deps, new AbortController().signal);
      await send(host, 'POST', '/api/jobs', { act: 'unarchive', filter: { show: 'archived' } }, account);
      await runDueJobs(host.deps, new AbortController().signal);
    }
  });

  test('names are sorted alphabetically whatever their case and accents, equal ones newest first', async () => {
    account = await host.account();
    for (const name of ['Zebra', 'été', 'Etage', 'apple', 'Äpfel', 'Etüde', 'ETE'])
      await host.code(account.id, { name });
    expect(await found({ order: 'name' })).toEqual([
      'Äpfel',
      'apple',
      'Etage',
      'ETE',
      'été',
      'Etüde',
      'Zebra',
    ]);
  });

  test('unnamed codes are sorted by the part of the content that is shown, and found by all of it', async () => {
    account = await host.account();
    const unnamed = [
      { content: 'https://www.zebra.example/' },
      { type: 'wifi', content: 'WIFI:T:WPA;S:Mango\\; bar;P:password1;;' },
      { content: 'http://apple.example/menu' },
      { type: 'email', content: 'dora@example.com' },
      { type: 'text', content: 'Banana' },
    ] as const;
    for (const fields of unnamed) await host.code(account.id, fields);
    await host.code(account.id, { name: 'Cherry', content: 'https://a.example/' });
    const [zebra, mango, apple, dora, banana] = unnamed.map(({ content }) => content);
    expect(await found({ order: 'name' })).toEqual([apple, banana, 'Cherry', dora, mango, zebra]);
    expect(await found({ search: 'HTTPS://www.zebra' })).toEqual([zebra]);
    expect(await found({ search: 'mango; bar' })).toEqual([mango]);
    expect(await found({ search: 'T:WPA;S:Mango\\; bar' })).toEqual([mango]);
  });

  test.each(['´', '¨', '\ufe0f', '\u0301 ´', '\u200b', '\u202e\u00ad'])(
    'a search for %j alone, which is ignored in comparisons, finds no codes and changes none',
    async (text) => {
      account = await host.account();
      await host.code(account.id, { name: 'Menü', tags: ['Été', 'a'] });
      expect(await found({ search: text })).toEqual([]);
      expect(await foundInStatistics(text)).toEqual([]);
      await host.code(account.id, { name: 'made since' });
      expect(await found({ search: text })).toEqual([]);
      expect((await acted({ search: text })).body.data.total).toBe(0);
      expect(await found({ show: 'archived' })).toEqual([]);
    },
  );

  test.each([
    ['a percent sign', '%'],
    ['an underscore', '_'],
    ['a backslash', '\\'],
    ['a quote', "'"],
    ['a regular expression', '.*'],
    ['a prefix for regular expressions', '***='],
    ['an emoji', '🍕'],
    ['an emoji sequence', '👩‍👩‍👧'],
    ['Arabic', 'قائمة'],
    ['255 characters', 'y'.repeat(255)],
  ])('%s is matched literally', async (_what, text) => {
    account = await host.account();
    await host.code(account.id, { name: 'plain' });
    await host.code(account.id, { name: 'odd', type: 'text', content: `before ${text} behind` });
    expect(await found({ search: text })).toEqual(['odd']);
    expect(await foundInStatistics(text)).toEqual(['odd']);
  });

  test('bidi control characters are stripped from names and searches', async () => {
    account = await host.account();
    await host.code(account.id, { name: 'abc' });
    await host.code(account.id, { name: 'def' });
    expect(await found({ search: 'a\u202eb\u2066c' })).toEqual(['abc']);
    expect(await found({ search: '\u202e' })).toEqual(['def', 'abc']);
  });

  test.each([
    ['a null byte', 'a\u0000b'],
    ['10,000 characters', 'y'.repeat(10_000)],
    ['half of a surrogate pair', '\ud83c'],
  ])('%s is ignored as a filter of the list, and refused for actions', async (_what, text) => {
    account = await host.account();
    await host.code(account.id, { name: 'kept' });
    // Lone surrogates cannot be in a URL and arrive as U+FFFD, which no code contains.
    expect(await found({ search: text })).toEqual(!/\p{Cs}/u.test(text) ? ['kept'] : []);
    for (const filter of [{ search: text }, { tag: text }, { show: 'everything' }, { type: 'image' }])
      expect(await acted(filter)).toMatchObject({ status: 422 });
    const query = new URLSearchParams({ text });
    const { status } = await send(host, 'GET', `/api/qrcodes/stats/codes?${query}`, undefined, account);
    expect(status).toBe(!/\p{Cs}/u.test(text) ? 422 : 200);
    expect(await found({ show: 'archived' })).toEqual([]);
  });
});
